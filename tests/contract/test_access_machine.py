"""Rights at random: people, keys, bases and documents change, and a model of sets says who may."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from contract.access_model import Held, Member, Model
from contract.access_tenant import Tenant
from contract.records_world import NOON
from weft.bootstrap.app import App, open_app
from weft.config import load_settings
from weft.domain.errors import Forbidden, NotFound, UnknownKnowledgeBase
from weft.domain.scope import Scope
from weft.ingest.inbox_documents import InboxChange
from weft.ingest.sources.inbox import HandedRecord
from weft.platform.access import allows
from weft.ports.records.bases import Sharing
from weft.ports.records.people import NewGroup, NewUser, OwnRole, UserChange

EXAMPLES, STEPS, KEYS = 40, 30, 4
USERS = ("ann", "bo", "cy")
GROUPS = ("inner", "outer", "other")
ROLES = ("admin", "curator", "developer", "user", "auditor", "own")
BASES = ("Docs", "Notes")
ACTIONS = ("ask", "kb.read", "kb.write", "kb.admin", "audit.read", "admin.users", "tool.run:search")
CODES = ("kb.read", "kb.write", "kb.admin", "tool.run:search", "admin.*", "audit.read")
PRINCIPALS = ("tenant:*", *(f"user:{one}" for one in USERS), *(f"group:{one}" for one in GROUPS))
MAKER = "maker"
KINDS = frozenset("share hand_over work change take_back known shown papers".split())
_TENANTS = itertools.count()
_COUNTED: Counter[tuple[str, bool]] = Counter()

user, group, base = st.sampled_from(USERS), st.sampled_from(GROUPS), st.sampled_from(BASES)
roles = st.frozensets(st.sampled_from(ROLES), max_size=2)
groups = st.frozensets(group, max_size=2)
codes = st.frozensets(st.sampled_from(CODES), max_size=3)
named = st.frozensets(st.sampled_from(PRINCIPALS), max_size=3)
acls = named.filter(bool)
pick = st.integers(0, 7)
losses = st.sampled_from(("", "", "later", "user", "base"))


@dataclass(frozen=True, kw_only=True)
class Place:
    """An open product without a model, and the loop on which it lives."""

    app: App
    runner: asyncio.Runner


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    home = tmp_path_factory.mktemp("machine")
    (home / "weft.yaml").write_text("embedder: none\n")
    with asyncio.Runner() as runner:
        app = runner.run(open_app(load_settings(home), is_service=True))
        yield Place(app=app, runner=runner)
        runner.run(app.close())


@dataclass(frozen=True)
class Waiting:
    """A document that was handed over and is not read yet: by whom, known by which names."""

    who: str
    base: str
    paper: str
    acl: set[str]
    principals: set[str]


def count(what: str, is_done: bool) -> None:
    """Count how often something was let through, and how often not."""
    _COUNTED[what, is_done] += 1


class Access(RuleBasedStateMachine):
    """A tenant of its own, changed at random beside its model."""

    place: ClassVar[Place]

    def __init__(self) -> None:
        super().__init__()
        self.app = self.place.app
        self.tenant = Tenant(app=self.app, name=f"t{next(_TENANTS)}")
        self.on, self.boss = self.tenant.administration, self.tenant.boss
        self.model = Model()
        self.waiting: list[Waiting] = []
        self.number = 0
        self.compared = ""

    def run(self, work: Any) -> Any:
        return self.place.runner.run(work)

    @initialize()
    def begin(self) -> None:
        """Begin where some may write, some read, and some neither."""
        self.model = Model(
            members={
                "ann": Member(groups={"inner"}, roles={"developer"}),
                "bo": Member(groups={"outer"}, roles={"curator"}),
                "cy": Member(groups={"other"}, roles={"user"}),
                MAKER: Member(roles={"admin"}),
            },
            within={"outer": "", "inner": "outer", "other": ""},
            group_roles={name: set() for name in GROUPS},
            own={"own": {"kb.read"}},
            bases={
                "Docs": {
                    "readers": {"tenant:*"},
                    "writers": {"group:outer"},
                    "admins": {f"user:{MAKER}", "user:bo"},
                },
                "Notes": {
                    "readers": {"group:inner", "user:cy"},
                    "writers": {"user:bo"},
                    "admins": {f"user:{MAKER}"},
                },
            },
        )
        self.run(self._begin())
        self.make_key("ann", frozenset({"kb.read"}), 2)
        self.make_key("bo", frozenset(), None)
        for name in BASES:
            self.hand(MAKER, name, frozenset({"tenant:*"}), frozenset({"group:outer"}))
        self.work()

    async def _begin(self) -> None:
        on, model = self.on, self.model
        for name, outer in model.within.items():
            await on.groups.add(self.boss, NewGroup(name=name, within=outer))
        own = OwnRole(name="own", permissions=frozenset(model.own["own"]))
        await on.roles.keep(self.boss, own, is_new=True)
        for name, member in model.members.items():
            new = NewUser(name=name, roles=frozenset(member.roles), groups=frozenset(member.groups))
            await on.users.add(self.boss, new)
        maker = await self.tenant.scope_of(MAKER)
        assert maker is not None
        for name, lists in model.bases.items():
            await self.app.library.create(maker, name)
            await self._share(name, lists)

    async def _share(self, name: str, lists: dict[str, set[str]]) -> None:
        maker = await self.tenant.scope_of(MAKER)
        assert maker is not None
        sharing = Sharing(**{what: frozenset(to) for what, to in lists.items()})
        await self.app.records.bases.share(maker, name, sharing)

    @rule(name=user, roles=roles, groups=groups)
    def change_user(self, name: str, roles: frozenset[str], groups: frozenset[str]) -> None:
        change = UserChange(groups=groups, roles=roles)
        self.run(self.on.users.change(self.boss, name, change))
        self.model.members[name].roles, self.model.members[name].groups = {*roles}, {*groups}

    @rule(name=user, shut=st.booleans())
    def disable(self, name: str, shut: bool) -> None:
        change = UserChange(is_disabled=shut)
        self.run(self.on.users.change(self.boss, name, change))
        self.model.members[name].is_disabled = shut

    @rule(name=st.sampled_from(("inner", "other")), outer=st.sampled_from(("", "outer")))
    def nest(self, name: str, outer: str) -> None:
        self.run(self.on.groups.change(self.boss, name, within=outer))
        self.model.within[name] = outer

    @rule(name=group, roles=roles)
    def give_group_roles(self, name: str, roles: frozenset[str]) -> None:
        self.run(self.on.groups.change(self.boss, name, roles=roles))
        self.model.group_roles[name] = {*roles}

    @rule(codes=codes)
    def change_role(self, codes: frozenset[str]) -> None:
        role = OwnRole(name="own", permissions=codes)
        self.run(self.on.roles.keep(self.boss, role, is_new=False))
        self.model.own["own"] = {*codes}

    @rule(name=user, codes=codes, hours=st.one_of(st.none(), st.integers(1, 5)))
    def make_key(self, name: str, codes: frozenset[str], hours: int | None) -> None:
        if len(self.model.keys) == KEYS:
            return
        hour = self.model.hour
        ends = None if hours is None else hour + hours
        expires = None if ends is None else NOON + timedelta(hours=ends)
        made = self.run(self.on.keys.add(self.boss, name, scopes=codes, expires=expires))
        self.tenant.texts[made.kept.id] = made.text
        self.model.keys[made.kept.id] = Held(user=name, scopes={*codes}, ends=ends)

    @rule(index=pick)
    def revoke_key(self, index: int) -> None:
        if key := self.chosen(list(self.model.keys), index):
            self.run(self.on.keys.revoke(self.boss, key))
            self.model.keys[key].is_revoked = True

    @rule(hours=st.integers(1, 3))
    def wait(self, hours: int) -> None:
        self.tenant.clock.move(hours * 3600)
        self.model.hour += hours

    @rule(index=pick, name=base, what=st.sampled_from(("readers", "writers", "admins")), to=named)
    def share(self, index: int, name: str, what: str, to: frozenset[str]) -> None:
        who = self.somebody(index)
        sharing = Sharing(**{what: to | ({f"user:{MAKER}"} if what == "admins" else set())})

        async def share(scope: Scope) -> None:
            await self.app.records.bases.share(scope, name, sharing)

        done = self.tried(who, share)
        assert done == (self.may_on(who, name, "kb.admin")), (who, name)
        if done:
            self.model.bases[name][what] = {*(getattr(sharing, what))}

    @rule(index=pick, name=base, acl=st.one_of(st.none(), acls), loss=losses)
    def hand_over(self, index: int, name: str, acl: frozenset[str] | None, loss: str) -> None:
        who = self.somebody(index)
        self.hand(who, name, acl)
        if loss == "user" and who != MAKER:
            self.disable(self.person(who), True)
        if loss == "base":
            alone = {"admins": {f"user:{MAKER}"}, "writers": set()}
            self.model.bases[name] |= alone
            self.run(self._share(name, alone))
        if loss != "later":
            self.work()

    def hand(self, who: str, name: str, *acls: frozenset[str] | None) -> None:
        records = []
        for acl in acls:
            self.number += 1
            paper = f"paper{self.number}"
            given = None if acl is None else acl | {f"user:{self.person(who)}"}
            text = f"A word of {paper}."
            records.append(HandedRecord(id=paper, title=paper, content=text, acl=given))

        async def hand_over(scope: Scope) -> None:
            inbox = await self.tenant.inbox(scope, name)
            await inbox.hand_over(scope, files=(), records=records)

        done = self.tried(who, hand_over)
        assert done == self.may_on(who, name, "kb.write"), (who, name)
        for record in records if done else ():
            own, readers = self.model.principals(who), {*(record.acl or {"tenant:*"})}
            self.waiting.append(Waiting(who, name, record.title, readers, own))

    @rule()
    def work(self) -> None:
        """Do all that waits: each under what its owner may do now."""
        self.run(self.tenant.work())
        for one in self.waiting:
            is_done = self.may_on(one.who, one.base, "kb.write", one.principals)
            count("work", is_done)
            if is_done:
                self.model.papers[one.paper] = one.base, one.acl
        self.waiting.clear()

    @rule(index=pick, chosen=pick, acl=acls)
    def narrow(self, index: int, chosen: int, acl: frozenset[str]) -> None:
        if not (paper := self.chosen(list(self.model.papers), chosen)):
            return
        who, (name, _) = self.somebody(index), self.model.papers[paper]
        acl = acl | {f"user:{self.person(who)}"}

        async def change(scope: Scope) -> None:
            inbox = await self.tenant.inbox(scope, name)
            await inbox.change(
                scope, await self.tenant.id_of(scope, name, paper), InboxChange(acl=acl)
            )

        done = self.tried(who, change)
        assert done == self.may_change(who, paper), (who, paper)
        if done:
            self.model.papers[paper] = name, {*acl}

    @rule(index=pick, chosen=pick)
    def delete(self, index: int, chosen: int) -> None:
        if not (paper := self.chosen(list(self.model.papers), chosen)):
            return
        who, (name, _) = self.somebody(index), self.model.papers[paper]

        async def take_back(scope: Scope) -> None:
            inbox = await self.tenant.inbox(scope, name)
            await inbox.take_back(scope, await self.tenant.id_of(scope, name, paper))

        done = self.tried(who, take_back)
        assert done == self.may_change(who, paper), (who, paper)
        if done:
            del self.model.papers[paper]

    @invariant()
    def everybody_sees_and_may_what_the_model_says(self) -> None:
        if self.model.bases and repr(self.model) != self.compared:
            self.run(self._compare())
            self.compared = repr(self.model)

    async def _compare(self) -> None:
        model = self.model
        for who in (*USERS, *model.keys):
            scope = await self.tenant.scope_of(who)
            assert (scope is not None) == model.is_known(who), who
            count("known", scope is not None)
            if scope is None:
                continue
            assert scope.principals == model.principals(who)
            for action in ACTIONS:
                assert allows(scope.permissions, action) == model.may(who, action), (who, action)
            listed = {one.name for one in await self.app.library.listed(scope)}
            assert listed == {one for one in BASES if model.is_seen(who, one)}, who
            for name in BASES:
                expected = self.expected(who, name)
                assert await self.tenant.shown(scope, name) == expected, (who, name)
                count("shown", isinstance(expected, set))
                if isinstance(expected, set):
                    there = {one for one, (where, _) in model.papers.items() if where == name}
                    count("papers", expected == there)

    def expected(self, who: str, name: str) -> object:
        if not self.model.is_seen(who, name):
            return "UnknownKnowledgeBase"
        if not self.model.is_open(who, name, "kb.read"):
            return "Forbidden"
        return self.model.readable(who, name)

    def may_on(self, who: str, name: str, action: str, then: set[str] | None = None) -> bool:
        """Tell whether somebody may do something to a knowledge base, by the model."""
        model = self.model
        may = model.is_known(who) and model.may(who, action)
        return may and model.is_open(who, name, action, then)

    def may_change(self, who: str, paper: str) -> bool:
        name, acl = self.model.papers[paper]
        return self.may_on(who, name, "kb.write") and bool(acl & self.model.principals(who))

    def chosen(self, names: list[str], index: int) -> str:
        return names[index % len(names)] if names else ""

    def somebody(self, index: int) -> str:
        return self.chosen([*USERS, *self.model.keys, MAKER], index)

    def person(self, who: str) -> str:
        key = self.model.keys.get(who)
        return key.user if key else who

    def tried(self, who: str, work: Callable[[Scope], Any]) -> bool:
        """Do something as somebody; tell whether it was let through."""

        async def do() -> bool:
            scope = await self.tenant.scope_of(who)
            if scope is None:
                return False
            try:
                await work(scope)
            except (Forbidden, NotFound, UnknownKnowledgeBase):
                return False
            return True

        done = bool(self.run(do()))
        count(work.__name__, done)
        return done


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_everybody_sees_and_may_what_a_model_of_sets_says(place: Place) -> None:
    Access.place = place
    run_state_machine_as_test(
        Access,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    print(f"\n{dict(_COUNTED)}: 0 divergences")
    assert {what for what, _ in _COUNTED} == KINDS
    assert all(_COUNTED[what, is_done] for what in KINDS for is_done in (True, False))
