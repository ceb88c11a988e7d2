"""The one gate: deny by default."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.domain.errors import Forbidden
from weft.domain.scope import Scope
from weft.platform.access import PERMISSIONS, authorize, require
from weft.platform.identity import OWNER_PERMISSIONS, local_owner, principal_scope


def having(*permissions: str) -> Scope:
    return principal_scope(tenant="acme", actor="user:ann", groups=(), permissions=permissions)


def test_a_permission_that_was_given_allows_just_that() -> None:
    scope = having("kb.read")
    assert authorize(scope, "kb.read", "kb:Docs").allowed
    assert [code for code in PERMISSIONS if authorize(scope, code, "x:1").allowed] == ["kb.read"]


@pytest.mark.parametrize(
    ("granted", "action", "allowed"),
    [
        ("tool.run:*", "tool.run:search", True),
        ("tool.run:search", "tool.run:search", True),
        ("tool.run:search", "tool.run:delete", False),
        ("tool.run:sea", "tool.run:search", False),
        ("tool.run:", "tool.run:search", False),
        ("tool.run:*", "tool.run:", False),
        ("tool.run:*", "tool.run:*", False),
        ("tool.run:*", "tool.runner", False),
        ("admin.*", "admin.users", True),
        ("admin.*", "audit.read", False),
        ("*", "kb.read", False),
        ("kb.*", "kb.read", False),
        ("run.read.all", "run.read", False),
        ("run.read", "run.read.all", False),
        ("no.such", "no.such", False),
        ("kb.read", "KB.READ", False),
        ("", "", False),
    ],
)
def test_what_a_permission_covers(granted: str, action: str, allowed: bool) -> None:
    assert authorize(having(granted), action, "x:1").allowed is allowed


@given(action=st.text(max_size=20), target=st.text(max_size=5))
def test_without_permissions_nothing_is_allowed(action: str, target: str) -> None:
    assert not authorize(having(), action, target).allowed


@given(action=st.text(max_size=20))
def test_an_unknown_action_is_denied_even_when_it_was_granted(action: str) -> None:
    known = action in PERMISSIONS or action.startswith(("tool.run:", "admin."))
    assert authorize(having(action), action, "x:1").allowed <= known


@pytest.mark.parametrize(("tenant", "actor"), [("", "user:ann"), ("acme", "")])
def test_an_unknown_caller_is_denied(tenant: str, actor: str) -> None:
    # Nothing in the product can make such a scope; the gate does not rely on it.
    nobody = Scope(
        tenant=tenant, actor=actor, principals=frozenset(), permissions=frozenset({"ask"})
    )
    assert not authorize(nobody, "ask", "kb:Docs").allowed


def test_what_is_acted_on_must_be_named() -> None:
    assert not authorize(having("kb.read"), "kb.read", "").allowed


def test_a_refusal_is_an_error_that_says_why() -> None:
    with pytest.raises(Forbidden, match=r"kb\.write") as refused:
        require(having("kb.read"), "kb.write", "kb:Secret")
    assert refused.value.fields["reason"] == "needs the permission kb.write"
    assert "Secret" not in str(refused.value)
    assert require(having("kb.read"), "kb.read", "kb:Docs").reason == "granted by kb.read"


def test_the_owner_has_only_permissions_that_there_are() -> None:
    assert set(PERMISSIONS) >= OWNER_PERMISSIONS
    for action in ("ask", "kb.admin", "tool.run:search", "audit.read", "run.read"):
        assert authorize(local_owner(), action, "x:1").allowed


def test_every_permission_is_explained() -> None:
    assert all(len(told.split()) > 2 for told in PERMISSIONS.values())
