"""Scopes that are narrowed, and readers that nobody named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.platform.access import PERMISSIONS, allows
from weft.platform.identity import of_today, principal_scope, readers_by_default, within
from weft.ports.records.jobs import JobOwner

CODES = [code for code in PERMISSIONS if not code.endswith("*")]
SINGLE = [*CODES, "admin.users", "admin.keys", "tool.run:search", "tool.run:open"]
PERMITTED = st.frozensets(st.sampled_from([*SINGLE, "admin.*", "tool.run:*"]))


@given(held=PERMITTED, wanted=PERMITTED)
def test_a_narrowed_scope_grants_what_both_do_and_no_more(
    held: frozenset[str], wanted: frozenset[str]
) -> None:
    scope = principal_scope(tenant="acme", actor="user:ann", groups=(), permissions=held)
    narrowed = within(scope, wanted).permissions
    for action in SINGLE:
        both = allows(held, action) and (not wanted or allows(wanted, action))
        assert allows(narrowed, action) == both
    assert within(within(scope, wanted), wanted).permissions == narrowed


@given(held=PERMITTED, today=PERMITTED)
def test_a_job_may_do_what_its_owner_might_then_and_may_now(
    held: frozenset[str], today: frozenset[str]
) -> None:
    owner = JobOwner(
        tenant="acme",
        actor="user:ann",
        principals=frozenset({"user:ann", "group:staff"}),
        permissions=held,
        key_id="00ff",
    )
    ann = principal_scope(tenant="acme", actor="user:ann", groups=(), permissions=today)
    scope = of_today(owner, ann)
    for action in SINGLE:
        assert allows(scope.permissions, action) == (allows(held, action) and allows(today, action))
    assert (scope.principals, scope.key_id) == (frozenset({"user:ann"}), "00ff")


@pytest.mark.parametrize(
    ("default", "expected"),
    [
        ({"tenant:*"}, {"tenant:*"}),
        ({"group:staff"}, {"group:staff", "user:ann"}),
        (set(), {"user:ann"}),
    ],
)
def test_who_brings_a_document_in_is_among_its_readers(
    default: set[str], expected: set[str]
) -> None:
    ann = principal_scope(tenant="acme", actor="user:ann", groups=(), permissions=())
    assert readers_by_default(frozenset(default), ann) == expected
