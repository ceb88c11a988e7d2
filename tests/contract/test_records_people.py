"""The contract of what is kept of people: users, groups, roles, keys, tenants, standings."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from contract.records_world import ANN, ANN_ELSEWHERE, NOON, each_database, world
from weft.domain.errors import BadInput, NotFound, VersionConflict
from weft.ports.records.bases import NewBase, Sharing
from weft.ports.records.people import (
    NewGroup,
    NewKey,
    NewUser,
    OwnRole,
    People,
    User,
    UserChange,
)
from weft.ports.records.standings import Standing, UserKind

pytestmark = pytest.mark.anyio

KEY = NewKey(id="00ff", user="bo", mac="seal", scopes=frozenset({"kb.read"}), expires=NOON)


async def staffed(people: People) -> None:
    await people.groups.add(ANN, NewGroup(name="staff", roles=frozenset({"auditor"})))
    await people.groups.add(ANN, NewGroup(name="juniors", within="Staff"))
    await people.roles.keep(
        ANN, OwnRole(name="scribe", permissions=frozenset({"kb.write"})), is_new=True
    )
    bo = NewUser(
        name="Bo", groups=frozenset({"JUNIORS"}), roles=frozenset({"user", "scribe"}), password="h"
    )
    await people.users.add(ANN, bo)


@each_database
async def test_a_user_is_what_was_said_of_it(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        people = w.records.people
        await staffed(people)
        bo = User(
            name="Bo",
            groups=("juniors",),
            roles=("scribe", "user"),
            has_password=True,
            created=NOON,
        )
        assert await people.users.named(ANN, "bO") == bo
        robot = await people.users.add(ANN, NewUser(name="an.bot", kind=UserKind.SERVICE))
        assert (robot.kind, robot.groups, robot.roles) == (UserKind.SERVICE, (), ())
        assert await people.users.listed(ANN) == [robot, bo]
        changed = await people.users.change(
            ANN, "bo", UserChange(groups=frozenset({"staff"}), roles=frozenset(), password="")
        )
        assert (changed.groups, changed.roles, changed.has_password) == (("staff",), (), False)
        assert not changed.is_disabled
        shut = await people.users.change(ANN, "BO", UserChange(is_disabled=True))
        assert (shut.groups, shut.is_disabled) == (("staff",), True)


@each_database
async def test_a_standing_holds_what_comes_of_groups(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        people = w.records.people
        await staffed(people)
        found = await people.standings.of_user("acme", "bo")
        assert found == Standing(
            name="Bo",
            kind=UserKind.PERSON,
            is_disabled=False,
            password="h",
            groups=frozenset({"juniors", "staff"}),
            roles=frozenset({"user", "scribe", "auditor"}),
            permissions=frozenset({"kb.write"}),
            stamp=await people.standings.stamp("acme"),
        )
        await people.groups.change(ANN, "juniors", within="")
        found = await people.standings.of_user("acme", "bo")
        assert found is not None
        assert found.groups == {"juniors"}
        assert found.roles == {"user", "scribe"}
        await people.roles.keep(
            ANN, OwnRole(name="scribe", permissions=frozenset({"kb.read"})), is_new=False
        )
        await people.groups.remove(ANN, "juniors")
        found = await people.standings.of_user("acme", "bo")
        assert found is not None
        assert not found.groups
        assert found.permissions == {"kb.read"}
        await people.roles.remove(ANN, "scribe")
        found = await people.standings.of_user("acme", "bo")
        assert found is not None
        assert found.roles == {"user"}
        assert not found.permissions
        assert await people.standings.of_user("acme", "nobody") is None


@each_database
async def test_names_are_the_same_in_any_case_and_form(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        people = w.records.people
        await staffed(people)
        for twin in ("BO", "Ｂｏ"):
            with pytest.raises(VersionConflict):
                await people.users.add(ANN, NewUser(name=twin))
        for twin in ("STAFF", "ｓｔａｆｆ"):
            with pytest.raises(VersionConflict):
                await people.groups.add(ANN, NewGroup(name=twin))
        with pytest.raises(VersionConflict):
            await people.roles.keep(
                ANN, OwnRole(name="scribe", permissions=frozenset()), is_new=True
            )


@each_database
@pytest.mark.parametrize("name", ["", " ", "a b", "-a", "a:b", "a\n", "x" * 101, "a/b", "tenant*"])
async def test_a_name_keeps_to_the_rule(database: str, name: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        with pytest.raises(BadInput):
            await w.records.people.users.add(ANN, NewUser(name=name))
        with pytest.raises(BadInput):
            await w.records.people.groups.add(ANN, NewGroup(name=name))


@each_database
async def test_groups_lie_no_deeper_than_one(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        groups = w.records.people.groups
        await staffed(w.records.people)
        await groups.add(ANN, NewGroup(name="board"))
        for name, within in (("staff", "board"), ("board", "juniors"), ("board", "BOARD")):
            with pytest.raises(BadInput):
                await groups.change(ANN, name, within=within)
        with pytest.raises(NotFound):
            await groups.add(ANN, NewGroup(name="lost", within="nowhere"))
        held = {group.name: group.within for group in await groups.listed(ANN)}
        assert held == {"board": "", "juniors": "staff", "staff": ""}
        await groups.remove(ANN, "staff")
        held = {group.name: group.within for group in await groups.listed(ANN)}
        assert held == {"board": "", "juniors": ""}


@each_database
async def test_a_removed_user_is_nobody_and_its_name_is_nobodys(
    database: str, tmp_path: Path
) -> None:
    async with world(database, tmp_path) as w:
        people = w.records.people
        await staffed(people)
        await people.keys.add(ANN, KEY)
        await people.users.remove(ANN, "bo")
        assert await people.users.listed(ANN) == []
        assert await people.standings.of_user("acme", "bo") is None
        assert await people.standings.of_key(KEY.id) is None
        assert await people.keys.listed(ANN) == []
        with pytest.raises(VersionConflict):
            await people.users.add(ANN, NewUser(name="bo"))
        for gone in (
            people.users.named(ANN, "bo"),
            people.users.remove(ANN, "bo"),
            people.users.change(ANN, "bo", UserChange(is_disabled=False)),
            people.keys.add(ANN, KEY),
            people.keys.listed(ANN, user="bo"),
        ):
            with pytest.raises(NotFound):
                await gone


@each_database
async def test_a_key_is_kept_by_its_seal_until_it_is_revoked(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        people = w.records.people
        await staffed(people)
        made = await people.keys.add(ANN, KEY)
        assert (made.user, made.scopes, made.expires, made.revoked) == (
            "Bo",
            frozenset({"kb.read"}),
            NOON,
            None,
        )
        kept = await people.standings.of_key("00ff")
        assert kept is not None
        assert (kept.tenant, kept.user, kept.mac, kept.expires) == ("acme", "Bo", "seal", NOON)
        assert not kept.is_revoked
        w.clock.move(60)
        revoked = await people.keys.revoke(ANN, "00ff")
        w.clock.move(60)
        assert await people.keys.revoke(ANN, "00ff") == revoked
        assert [key.revoked for key in await people.keys.listed(ANN, user="BO")] == [
            revoked.revoked
        ]
        kept = await people.standings.of_key("00ff")
        assert kept is not None
        assert kept.is_revoked
        with pytest.raises(NotFound):
            await people.keys.revoke(ANN, "ff00")


@each_database
async def test_every_change_moves_the_stamp_of_its_tenant_alone(
    database: str, tmp_path: Path
) -> None:
    async with world(database, tmp_path) as w:
        people, bases = w.records.people, w.records.bases
        await bases.create(ANN, NewBase(name="Docs", target="sqlite:d.db"))
        role = OwnRole(name="reader", permissions=frozenset({"kb.read"}))
        changes: list[Callable[[], Awaitable[object]]] = [
            lambda: people.groups.add(ANN, NewGroup(name="staff")),
            lambda: people.groups.change(ANN, "staff", roles=["user"]),
            lambda: people.users.add(ANN, NewUser(name="bo", groups=frozenset({"staff"}))),
            lambda: people.users.change(ANN, "bo", UserChange(is_disabled=True)),
            lambda: people.roles.keep(ANN, role, is_new=True),
            lambda: people.roles.keep(ANN, role, is_new=False),
            lambda: people.roles.remove(ANN, "reader"),
            lambda: people.keys.add(ANN, KEY),
            lambda: people.keys.revoke(ANN, KEY.id),
            lambda: bases.share(ANN, "Docs", Sharing(readers=frozenset({"user:bo"}))),
            lambda: people.users.remove(ANN, "bo"),
            lambda: people.groups.remove(ANN, "staff"),
        ]
        seen = [await people.standings.stamp("acme")]
        elsewhere = await people.standings.stamp("globex")
        for change in changes:
            await change()
            seen.append(await people.standings.stamp("acme"))
        assert seen == sorted(set(seen))
        assert await people.standings.stamp("globex") == elsewhere


@each_database
async def test_another_tenant_has_people_of_its_own(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        people = w.records.people
        await staffed(people)
        await people.keys.add(ANN, KEY)
        for empty in (people.users, people.groups, people.roles, people.keys):
            assert await empty.listed(ANN_ELSEWHERE) == []
        for hidden in (
            people.users.named(ANN_ELSEWHERE, "bo"),
            people.users.remove(ANN_ELSEWHERE, "bo"),
            people.groups.remove(ANN_ELSEWHERE, "staff"),
            people.roles.remove(ANN_ELSEWHERE, "scribe"),
            people.keys.revoke(ANN_ELSEWHERE, KEY.id),
            people.users.add(ANN_ELSEWHERE, NewUser(name="x", groups=frozenset({"staff"}))),
        ):
            with pytest.raises(NotFound):
                await hidden
        twin = await people.users.add(ANN_ELSEWHERE, NewUser(name="bo"))
        assert (twin.groups, twin.roles) == ((), ())
        assert (await people.users.named(ANN, "bo")).groups == ("juniors",)


@each_database
async def test_tenants_are_listed_by_name(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        tenants = w.records.people.tenants
        await tenants.add("Zoo", title="The zoo")
        await tenants.add("acme", title="Acme")
        listed = [(one.name, one.title, one.created) for one in await tenants.listed()]
        assert listed == [("acme", "Acme", NOON), ("zoo", "The zoo", NOON)]
        with pytest.raises(VersionConflict):
            await tenants.add("ZOO", title="")
        with pytest.raises(BadInput):
            await tenants.add("a b", title="")
