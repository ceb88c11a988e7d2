"""Who is admitted to a knowledge base."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.domain.acl import Guarded

NAMED = st.frozensets(st.sampled_from(["tenant:*", "user:ann", "user:bo", "group:staff"]))


@pytest.mark.parametrize("action", ["kb.read", "ask", "kb.write", "kb.admin", "kb.drop"])
@given(readers=NAMED, writers=NAMED, admins=NAMED, own=NAMED)
def test_whoever_answers_to_one_who_is_admitted_is(
    action: str,
    readers: frozenset[str],
    writers: frozenset[str],
    admins: frozenset[str],
    own: frozenset[str],
) -> None:
    base = Guarded(name="Docs", readers=readers, writers=writers, admins=admins)
    assert base.admits(action, own) == bool(own & base.admitted(action))
    assert admins <= base.admitted(action) <= admins | writers | readers
