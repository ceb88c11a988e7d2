"""Every route by every kind of caller; every slot for an id filled with another tenant's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from httpx2 import Response

from flow.matrix_world import (
    AUDIT,
    CANARY,
    FITTING,
    Ids,
    Matrix,
    alike,
    job_of,
    matrix_of,
    who_lacks,
)
from flow.operations import Operation
from weft.platform.identity import LOCAL_TENANT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]
UNKNOWN = ("nobody", "wrong token", "expired key", "revoked key", "disabled user")
SLOTS = (
    ("query", "kb"),
    ("query", "user"),
    ("query", "conversation_id"),
    ("query", "run"),
    ("header", "X-Session-ID"),
    ("body", "kb"),
    ("body", "databases"),
    ("body", "target_database"),
    ("body", "session_id"),
    ("body", "conversation_id"),
    ("body", "model"),
    ("body", "user"),
    ("body", "within"),
    ("body", "groups"),
)
# What may be in a request and names nothing that is anybody's.
PLAIN = frozenset(
    """create_database_if_missing create_if_missing enable_rule_constraints entity_overrides
    dimensions encoding_format input instructions previous_response_id
    background n response_format text tool_choice
    index_name labels mode properties rounds acl action admins agent_id all budget decision
    by cron default_acl depth disabled everywhere expires flow ontology
    explain filters format goes_on head If-Match iterations kind Last-Event-ID limit meaning message
    messages metadata money oldest_first original password path permissions prune q query question
    readers
    records request rerank roles scopes since source sources status stream stream_options target
    tenant time title tokens tool_calls top_k unread until view who with writers zone""".split()
)
# Tried in tests of their own: what is in paths, what goes on with something, what is pinned.
ELSEWHERE = frozenset(
    {
        "id",
        "doc",
        "name",
        "schedule",
        "session_id",
        "cursor",
        "Idempotency-Key",
        "entity_overrides",
    }
)


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Matrix]:
    with matrix_of(tmp_path_factory.mktemp("matrix")) as made:
        yield made


def test_every_operation_says_what_it_needs(matrix: Matrix) -> None:
    unsaid = [one.label for one in matrix.operations if not (one.is_public or one.permission)]
    assert unsaid == []
    assert len(matrix.operations) >= 60


def test_every_slot_is_known(matrix: Matrix) -> None:
    """A new parameter either names something, and is tried below, or is plain."""
    known = PLAIN | ELSEWHERE | {name for _, name in SLOTS}
    for operation in matrix.operations:
        found = {name for _, name in operation.slots} | operation.fields
        assert found <= known, (operation.label, found - known)


@pytest.mark.parametrize("who", UNKNOWN)
def test_nobody_unknown_comes_in(matrix: Matrix, who: str) -> None:
    before = matrix.dump(LOCAL_TENANT, but=AUDIT)
    for operation in matrix.operations:
        reply = matrix.send("" if who == "nobody" else who, operation, matrix.ours)
        assert CANARY not in reply.text
        if operation.is_public:
            assert reply.status_code < 500, operation.label
            continue
        assert reply.status_code == 401, operation.label
        assert reply.headers["WWW-Authenticate"] == "Bearer", operation.label
    assert matrix.dump(LOCAL_TENANT, but=AUDIT) == before


def test_nobody_does_what_they_have_no_permission_for(matrix: Matrix) -> None:
    before = matrix.dump(LOCAL_TENANT, but=AUDIT)
    for operation in matrix.operations:
        if operation.is_public or operation.permission == "known":
            continue
        acts = matrix.acts(LOCAL_TENANT)
        reply = matrix.send(who_lacks(operation), operation, matrix.ours)
        assert reply.status_code == 403, (operation.label, reply.text)
        assert CANARY not in reply.text
        assert len(matrix.acts(LOCAL_TENANT) - acts) == 1, operation.label
    assert matrix.dump(LOCAL_TENANT, but=AUDIT) == before


def test_paths_with_ids_of_another_tenant_lead_nowhere(matrix: Matrix) -> None:
    """As if the ids had been made up; nothing changes; each request is one act of the log."""
    ours = unlike_the_twins(matrix)
    job = job_of(matrix.world, ours)
    before, tried = matrix.dump(LOCAL_TENANT), 0
    for operation in matrix.operations:
        of_runs = operation.path.startswith("/v1/runs/")
        for ids in (ours, job) if of_runs else (ours,):
            if "{" not in operation.path:
                continue
            acts = matrix.acts("twin")
            foreign = matrix.send("twin/boss", operation, ids)
            assert len(matrix.acts("twin") - acts) == 1, operation.label
            absent = matrix.send("twin/boss", operation, ids.absent())
            assert foreign.status_code == 404, (operation.label, foreign.text)
            assert alike(foreign, ids) == alike(absent, ids.absent()), operation.label
            tried += 1
    assert tried >= 35
    assert matrix.dump(LOCAL_TENANT) == before


def test_ids_of_another_tenant_lead_nowhere_beside_the_path(matrix: Matrix) -> None:
    """In queries, headers and bodies, the rest of the request being one that works."""
    ours = unlike_the_twins(matrix)
    before, tried = matrix.dump(LOCAL_TENANT), Counter[tuple[str, str]]()
    for operation in matrix.operations:
        for place, name in SLOTS:
            has = name in operation.fields if place == "body" else (place, name) in operation.slots
            if has:
                foreign = beside(matrix, operation, place, name=name, ids=ours)
                absent = beside(matrix, operation, place, name=name, ids=ours.absent())
                label = (operation.label, place, name, foreign.text)
                assert alike(foreign, ours) == alike(absent, ours.absent()), label
                assert foreign.status_code < 500, label
                tried[place, name] += 1
    assert set(tried) == set(SLOTS)
    assert matrix.dump(LOCAL_TENANT) == before


def test_a_cookie_of_another_tenants_session_is_none(matrix: Matrix) -> None:
    before = matrix.dump(LOCAL_TENANT)
    for session in (matrix.ours.session, matrix.ours.absent().session):
        cookie = {"Cookie": f"X-Session-ID={session}"}
        history = matrix.world.ask("twin/boss", "GET", "/chat/history", headers=cookie)
        assert history.json() == {"session_id": "", "conversation_id": "", "messages": []}
        cleared = matrix.world.ask("twin/boss", "POST", "/chat/clear", headers=cookie)
        assert cleared.json() == {"conversations": 0, "messages": 0, "runs": 0}
        listed = matrix.world.ask("twin/boss", "GET", "/v1/conversations", headers=cookie)
        assert listed.json()["items"] == []
    assert matrix.dump(LOCAL_TENANT) == before


def test_cursors_of_another_tenant_show_what_is_ones_own(matrix: Matrix) -> None:
    for operation in matrix.operations:
        # A tenant's own log says what it asked for, so what it asked for in vain as well.
        if ("query", "cursor") not in operation.slots or "audit" in operation.path:
            continue
        page = matrix.send("local/boss", operation, matrix.ours, params={"limit": 1}).json()
        cursor = {"cursor": page["next"] or "YQ"}
        given = matrix.send("twin/boss", operation, matrix.theirs, params=cursor)
        assert given.status_code in {200, 422}, (operation.label, given.text)
        for id_of_ours in (matrix.ours.run, matrix.ours.conversation, matrix.ours.session):
            assert id_of_ours not in given.text, operation.label


def test_the_same_idempotency_key_is_another_one_for_each(matrix: Matrix) -> None:
    once = {"Idempotency-Key": "the-very-same"}
    for path in ("/v1/sessions", "/v1/conversations"):
        made = [
            matrix.world.ask(who, "POST", path, headers=once)
            for who in ("local/boss", "twin/boss", "twin/ann", "local/ann")
        ]
        assert all("Idempotent-Replayed" not in each.headers for each in made)
        assert len({each.text for each in made}) == len(made)


def unlike_the_twins(matrix: Matrix) -> Ids:
    """Return our ids; of names that both tenants have, ones that are ours alone."""
    world = matrix.world
    listed = world.ask("local/boss", "GET", "/v1/admin/users").json()["items"]
    if "ours0only" not in {each["name"] for each in listed}:
        world.add("ours0only")
        world.add_group("ours0only")
        role = {"name": "ours0only", "permissions": ["kb.read"]}
        assert world.ask("local/boss", "POST", "/v1/admin/roles", json=role).status_code == 201
    return replace(matrix.ours, user="ours0only", group="ours0only", role="ours0only")


def beside(matrix: Matrix, operation: Operation, place: str, *, name: str, ids: Ids) -> Response:
    value: Any = ids.of(operation, name)
    if place == "body":
        listed = [value] if name in {"kb", "databases", "groups"} else value
        body = {**(FITTING.get(operation.label) or operation.example or {}), name: listed}
        return matrix.send("twin/boss", operation, matrix.theirs, json=body)
    given = {"params" if place == "query" else "headers": {name: value}}
    return matrix.send("twin/boss", operation, matrix.theirs, **given)
