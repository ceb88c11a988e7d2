"""People changed in any order: what is remembered is true, and nobody grants beyond."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.adapters.argon2.passwords import ArgonPasswords
from weft.adapters.sql.records import Records, open_records
from weft.domain.errors import BadInput, Forbidden, NotFound, VersionConflict
from weft.domain.scope import Scope
from weft.platform.access import PERMISSIONS, allows
from weft.platform.identity import operator
from weft.platform.people.administration import Administration, administration_of
from weft.platform.people.principals import Caller, Principals
from weft.ports.records.people import NewGroup, NewUser, OwnRole, UserChange

SECRET = b"s" * 32
NAMES = ("ann", "bo", "cy")
GROUPS = ("staff", "board", "ｓｔａｆｆ", "BOARD")
ROLES = ("user", "curator", "auditor", "admin", "own", "other")
CODES = ("kb.read", "kb.write", "audit.read", "admin.users", "admin.*", "run.read.all")
REFUSED = (BadInput, Forbidden, NotFound, VersionConflict)
_TENANTS = count()
MANAGING = ("admin.users", "admin.groups", "admin.roles", "admin.keys")


@dataclass(slots=True)
class StoppedClock:
    time: datetime = datetime(2026, 3, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    def elapsed(self) -> float:
        return 0.0


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Records]:
    path = tmp_path_factory.mktemp("people") / "records.db"
    opened = open_records(f"sqlite:///{path}", audit_key=SECRET, clock=StoppedClock())
    yield opened
    asyncio.run(opened.close())


@dataclass
class Town:
    """A tenant of its own with an administration and the keys that were made."""

    administration: Administration
    principals: Principals
    fresh: Callable[[], Principals]
    tenant: str
    keys: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, records: Records) -> Town:
        def principals() -> Principals:
            return Principals(records.people.standings, secret=SECRET, clock=StoppedClock())

        made = administration_of(
            records.people, audit=records.audit, passwords=ArgonPasswords(), secret=SECRET
        )
        return cls(made, principals(), principals, f"town{next(_TENANTS)}")

    async def do(self, scope: Scope, act: tuple[str, Any]) -> None:
        """Do one act, if it may be done."""
        with suppress(*REFUSED):
            await self._acts(scope)[act[0]](act[1])

    def _acts(self, scope: Scope) -> dict[str, Callable[[Any], Awaitable[object]]]:
        on = self.administration

        async def key(given: tuple[str, list[str]]) -> None:
            made = await on.keys.add(scope, given[0], scopes=given[1], expires=None)
            self.keys.append(made.text)

        async def revoke(index: int) -> None:
            if self.keys:
                text = self.keys[index % len(self.keys)]
                await on.keys.revoke(scope, text.split("_")[1])

        return {
            "user": lambda g: on.users.add(
                scope, NewUser(name=g[0], groups=frozenset(g[1]), roles=frozenset(g[2]))
            ),
            "change": lambda g: on.users.change(
                scope, g[0], UserChange(groups=frozenset(g[1]), roles=frozenset(g[2]))
            ),
            "disable": lambda g: on.users.change(scope, g[0], UserChange(is_disabled=g[1])),
            "remove": lambda g: on.users.remove(scope, g),
            "group": lambda g: on.groups.add(
                scope, NewGroup(name=g[0], within=g[1], roles=frozenset(g[2]))
            ),
            "regroup": lambda g: on.groups.change(scope, g[0], within=g[1], roles=g[2]),
            "ungroup": lambda g: on.groups.remove(scope, g),
            "role": lambda g: on.roles.keep(
                scope, OwnRole(name=g[0], permissions=frozenset(g[1])), is_new=g[2]
            ),
            "unrole": lambda g: on.roles.remove(scope, g),
            "key": key,
            "revoke": revoke,
        }

    async def rights(self, principals: Principals) -> dict[str, Scope | Caller | None]:
        """Return who everybody is, and who every key opens the door to."""
        users = {name: await principals.of_user(self.tenant, name) for name in NAMES}
        return users | {text: await principals.of_key(text) for text in self.keys}

    async def permissions(self) -> dict[str, frozenset[str]]:
        """Return what everybody may do."""
        found: dict[str, frozenset[str]] = {}
        for who, right in (await self.rights(self.fresh())).items():
            scope = right.scope if isinstance(right, Caller) else right
            found[who] = scope.permissions if scope else frozenset()
        return found


def _acts() -> st.SearchStrategy[tuple[str, Any]]:
    name, group = st.sampled_from(NAMES), st.sampled_from(GROUPS)
    groups, roles = st.lists(group, max_size=1), st.lists(st.sampled_from(ROLES), max_size=2)
    codes, flag = st.lists(st.sampled_from(CODES), max_size=2), st.booleans()
    outer, own = st.sampled_from(("", *GROUPS)), st.sampled_from(("own", "other"))
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "user": st.tuples(name, groups, roles),
        "change": st.tuples(name, groups, roles),
        "disable": st.tuples(name, flag),
        "remove": name,
        "group": st.tuples(group, outer, roles),
        "regroup": st.tuples(group, outer, roles),
        "ungroup": group,
        "role": st.tuples(own, codes, flag),
        "unrole": own,
        "key": st.tuples(name, codes),
        "revoke": st.integers(0, 3),
    }
    return st.one_of(*(st.tuples(st.just(kind), given) for kind, given in kinds.items()))


@settings(max_examples=40)
@given(acts=st.lists(_acts(), max_size=20))
def test_what_is_remembered_of_somebody_is_never_stale(
    records: Records, acts: list[tuple[str, Any]]
) -> None:
    async def check() -> None:
        town = Town.of(records)
        owner = operator(town.tenant)
        for act in acts:
            await town.do(owner, act)
            assert await town.rights(town.principals) == await town.rights(town.fresh())

    asyncio.run(check())


@settings(max_examples=40)
@given(
    before=st.lists(_acts(), max_size=10),
    own=st.frozensets(st.sampled_from(MANAGING)),
    more=st.frozensets(st.sampled_from(("kb.read", "kb.write", "admin.*"))),
    acts=st.lists(_acts(), min_size=3, max_size=20),
)
def test_nobody_is_given_what_the_giver_may_not_do(
    records: Records,
    before: list[tuple[str, Any]],
    own: frozenset[str],
    more: frozenset[str],
    acts: list[tuple[str, Any]],
) -> None:
    async def check() -> None:
        town = Town.of(records)
        owner = operator(town.tenant)
        for act in before:
            await town.do(owner, act)
        role = OwnRole(name="managing", permissions=own | more)
        await town.administration.roles.keep(owner, role, is_new=True)
        new = NewUser(name="manager", roles=frozenset({"managing"}))
        await town.administration.users.add(owner, new)
        manager = await town.principals.of_user(town.tenant, "manager")
        assert manager is not None
        assert manager.permissions == own | more
        for act in acts:
            held = await town.permissions()
            await town.do(manager, act)
            for who, now in (await town.permissions()).items():
                gained = now - held.get(who, frozenset())
                assert all(allows(manager.permissions, code) for code in gained), (who, act)

    asyncio.run(check())


def test_a_group_is_the_same_in_any_form_of_its_name(records: Records) -> None:
    async def check() -> None:
        town = Town.of(records)
        owner = operator(town.tenant)
        await town.do(owner, ("group", ("staff", "", ["admin"])))
        await town.do(owner, ("role", ("own", ["admin.users", *CODES[:1]], True)))
        await town.do(owner, ("user", ("ann", [], ["own"])))
        ann = await town.principals.of_user(town.tenant, "ann")
        assert ann is not None
        new = NewUser(name="bo", groups=frozenset({"ｓｔａｆｆ"}), roles=frozenset({"own"}))
        with pytest.raises(Forbidden):
            await town.administration.users.add(ann, new)

    asyncio.run(check())


def test_every_permission_that_is_drawn_is_one() -> None:
    assert {code for code in CODES if code != "admin.users"} <= set(PERMISSIONS)
