"""Requests made up from the OpenAPI document, by four who may do differently much.

None breaks the service, is answered otherwise than the document says, or comes in unasked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.core.transport import Response
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    response_schema_conformance,
    status_code_conformance,
)

from flow.http_world import bearer, running, workspace
from flow.matrix_world import UNLIMITED
from flow.people_world import peopled
from weft.api.edge.gate import PUBLIC

CHECKS = [
    not_a_server_error,
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
]
OWNER, USER, TWIN, NOBODY = "owner", "user", "twin tenant's admin", "nobody"
# How many requests of each operation; whoever may do most comes furthest in.
EXAMPLES = {OWNER: 4, USER: 2, TWIN: 2, NOBODY: 1}
# What stands in the documents of the one tenant and in no request.
SECRET = "Borealis was launched"
Operation = APIOperation[Any, Any, Any, Any]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


@dataclass(frozen=True, kw_only=True)
class Fuzzed:
    """A running service: its operations, the headers of each caller, and what was answered."""

    operations: list[Operation]
    headers: Mapping[str, Mapping[str, str]]
    answered: dict[str, Counter[int]] = field(
        default_factory=lambda: {who: Counter() for who in EXAMPLES}
    )

    def send(self, operation: Operation, who: str) -> None:
        """Send made-up requests of an operation as somebody; raises what was wrong with one."""
        # Without credentials it is sent by that check: once, since it is the same for everybody.
        checks = [*CHECKS, ignored_auth] if who == OWNER else CHECKS

        @settings(
            max_examples=EXAMPLES[who],
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def call(case: Any) -> None:
            reply = case.call_and_validate(checks=checks, headers=self.headers[who], timeout=20)
            self.answered[who][reply.status_code] += 1
            self.check(operation, who, reply)

        call()

    def check(self, operation: Operation, who: str, reply: Response) -> None:
        """Check that who is not known comes in nowhere, and another tenant sees nothing."""
        is_in = reply.status_code < 400 and operation.path not in PUBLIC
        assert not (who == NOBODY and is_in), f"{reply.status_code} for nobody"
        assert who in {OWNER, USER} or SECRET not in reply.text, f"{who} is shown a document"


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuzzed]:
    home: Path = workspace(tmp_path_factory.mktemp("fuzz"), UNLIMITED)
    with peopled(home, {"fuzzed0user": "user", "twin/fuzzed0boss": "admin curator"}) as world:
        pass
    headers: dict[str, Mapping[str, str]] = {
        OWNER: bearer(home),
        USER: {"Authorization": f"Bearer {world.keys['local/fuzzed0user']}"},
        TWIN: {"Authorization": f"Bearer {world.keys['twin/fuzzed0boss']}"},
        NOBODY: {},
    }
    with running(home) as address:
        schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
        operations = []
        for result in schema.get_all_operations():
            assert isinstance(result, Ok)
            operations.append(result.ok())
        yield Fuzzed(operations=operations, headers=headers)


def test_no_request_breaks_the_service(fuzzed: Fuzzed) -> None:
    wrong: dict[str, str] = {}
    for operation in fuzzed.operations:
        for who in EXAMPLES:
            try:
                fuzzed.send(operation, who)
            except BaseExceptionGroup as error:
                said = "\n".join(str(each) for each in error.exceptions)
                wrong[f"{operation.label} as {who}"] = said
            except AssertionError as error:
                wrong[f"{operation.label} as {who}"] = str(error)
    assert not wrong, "\n\n".join(f"{label}: {said}" for label, said in wrong.items())
    for who, statuses in fuzzed.answered.items():
        assert statuses.total() >= len(fuzzed.operations)
        print(f"\n{who}: {statuses.total()} requests, {dict(sorted(statuses.items()))}")
    assert fuzzed.answered[USER][200] > fuzzed.answered[NOBODY][200]
