"""Whoever has the right to an operation can do it, and the log has a row of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from flow.matrix_world import FITTING, matrix_of
from flow.operations import Operation
from weft.platform.identity import LOCAL_TENANT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
# A run that has ended is told to go on: a conflict, or no change; not a refusal.
STEERED = ("/pause", "/resume", "/budget", "/cancel")
# What was handed over as a record has no file, and nobody makes vectors here.
NO_FILE = "/original"
NO_EMBEDDER = "/v1/embeddings"


def test_who_has_the_right_does_it_and_a_row_says_so(tmp_path: Path) -> None:
    """Alone, because it takes away what other tests would look for."""
    with matrix_of(tmp_path) as matrix:
        refused: dict[str, str] = {}
        for operation in sorted(matrix.operations, key=removing_last):
            if operation.is_public or operation.path.endswith((NO_FILE, NO_EMBEDDER)):
                continue
            who = "owner" if operation.permission == "platform.tenants" else "local/boss"
            acts = matrix.acts(LOCAL_TENANT)
            body = FITTING.get(operation.label)
            options = {} if body is None else {"json": body}
            reply = matrix.send(who, operation, matrix.ours, **options)
            if reply.status_code >= 300 and not operation.path.endswith(STEERED):
                refused[operation.label] = f"{reply.status_code} {reply.text[:200]}"
            assert reply.status_code not in {401, 403, 404}, (operation.label, reply.text)
            if operation.method != "GET":
                assert matrix.acts(LOCAL_TENANT) - acts, operation.label
        assert refused == {}


def removing_last(operation: Operation) -> tuple[bool, bool, int]:
    """Return when an operation comes: what removes a thing after all that name it."""
    holds_others = "/session/" in operation.path  # emptying one takes its conversations with it
    removes = operation.method == "DELETE"
    return removes, removes and holds_others, -operation.path.count("/")
