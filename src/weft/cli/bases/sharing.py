"""`weft kb share`: to whom a knowledge base is open, and who may read what comes in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.auditing.acting import acting
from weft.cli.bases.choice import meant, shown_title
from weft.cli.invocation import run, show_json, tell
from weft.cli.screen import screen
from weft.cli.terminal.tables import say, show_table, words
from weft.domain.acl import EVERYONE, checked
from weft.domain.errors import BadInput
from weft.platform.identity import OWNER, local_owner
from weft.ports.records.bases import RegisteredBase, Sharing

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.domain.scope import Scope

Principals = frozenset[str]

_NONE = "none"
_WHAT = ("readers", "writers", "admins", "default_acl")
Base = Annotated[str, typer.Argument(metavar="NAME|FOLDER", help="By name, title or folder.")]
Readers = Annotated[
    list[str] | None,
    typer.Option("--reader", help="user:NAME, group:NAME or tenant:* may ask; more than once."),
]
Writers = Annotated[
    list[str] | None, typer.Option("--writer", help="May add and remove documents too.")
]
Admins = Annotated[list[str] | None, typer.Option("--admin", help="May share and drop it too.")]
DefaultAcl = Annotated[
    list[str] | None,
    typer.Option(
        "--default-acl",
        help="Who may read documents that come in from now on, of which nothing else is said; "
        "none: only who brings them in.",
    ),
]
Removed = Annotated[
    list[str] | None, typer.Option("--remove", help="Take somebody off readers, writers, admins.")
]
Only = Annotated[
    bool, typer.Option("--only", help="Those named take the place of who was named before.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def share(
    which: Base,
    *,
    readers: Readers = None,
    writers: Writers = None,
    admins: Admins = None,
    default_acl: DefaultAcl = None,
    remove: Removed = None,
    only: Only = False,
    as_json: Json = False,
) -> None:
    """Open a knowledge base to users and groups, or shut it; without an option, say how it stands.

    The first reader that is named takes the place of everyone. Documents keep their own readers:
    who may not read one does not see it here either. Users and groups may be named before they are
    there.
    """
    named = dict(zip(_WHAT, (readers, writers, admins, default_acl), strict=True))

    async def action(opened: App) -> tuple[RegisteredBase, RegisteredBase, list[str]]:
        scope = local_owner()
        wanted = _Wanted(named=named, remove=remove or (), is_only=only)
        before = await meant(opened, scope, which)
        sharing = wanted.of(before)
        if sharing == Sharing():
            return before, before, []
        async with acting(opened, "kb.change", target=f"kb:{before.name}") as act:
            after = await opened.records.bases.share(scope, before.name, sharing)
            act.note(**openness(after))
        return before, after, await _absent(opened, scope, wanted.added)

    before, after, absent = run(action, with_models=False, as_json=as_json)
    for principal in absent:
        tell(f"There is no {principal.replace(':', ' ', 1)} yet; it is named all the same.")
    if as_json:
        names = {"name": after.name, "title": after.title}
        show_json({**names, **openness(after), "before": openness(before), "absent": absent})
    else:
        _print(before, after)


class _Wanted:
    """What is said of a knowledge base's readers, writers and admins."""

    def __init__(
        self,
        *,
        named: Mapping[str, list[str] | None],
        remove: Iterable[str],
        is_only: bool,
    ) -> None:
        self._named = {key: _checked(given) for key, given in named.items() if given}
        self._remove = _checked(remove)
        self._is_only = is_only

    @property
    def added(self) -> Principals:
        """Return everybody who is named."""
        return frozenset[str]().union(*self._named.values())

    def of(self, base: RegisteredBase) -> Sharing:
        """Return what changes of a knowledge base."""
        held = openness(base)
        if self._is_only and not self._named:
            raise BadInput("--only goes with --reader, --writer, --admin or --default-acl.")
        guard = base.guard
        if strangers := self._remove - (guard.readers | guard.writers | guard.admins):
            raise BadInput(f"{', '.join(sorted(strangers))} is not named there.")
        changed = {
            key: wanted
            for key in _WHAT
            if (wanted := self._list(key, frozenset(held[key]))) != frozenset(held[key])
        }
        if changed.get("admins") == frozenset():
            raise BadInput("Somebody must be left who manages it: name one with --admin.")
        return Sharing(**changed)

    def _list(self, key: str, held: Principals) -> Principals:
        named = self._named.get(key)
        if named is None:
            return held if key == "default_acl" else held - self._remove
        # Who may read by default is said as a whole: it is no list that grows unseen.
        if self._is_only or key == "default_acl":
            return named
        # To name somebody beside everyone would change nothing: everyone makes room.
        return (held - self._remove - {EVERYONE}) | named


def openness(base: RegisteredBase) -> dict[str, list[str]]:
    """Return to whom a knowledge base is open, and its documents by default."""
    guard = base.guard
    lists = (guard.readers, guard.writers, guard.admins, base.default_acl)
    return {key: sorted(principals) for key, principals in zip(_WHAT, lists, strict=True)}


def open_to(base: RegisteredBase) -> str:
    """Return in words to whom a knowledge base is open."""
    guard = base.guard
    return everyone_first(guard.readers | guard.writers | guard.admins)


def everyone_first(principals: Iterable[str]) -> str:
    """Return principals in words: where everyone is among them the others need no mention."""
    named = sorted(principals)
    if EVERYONE in named:
        return "everyone"
    return ", ".join("you" if one == OWNER else one for one in named) or "nobody"


def _checked(given: Iterable[str] | None) -> Principals:
    """Return principals; `none` alone is nobody."""
    parts = [part.strip() for one in given or () for part in one.split(",") if part.strip()]
    return frozenset() if parts == [_NONE] else frozenset(checked(part) for part in parts)


async def _absent(opened: App, scope: Scope, named: Principals) -> list[str]:
    """Return the users and groups that are not there yet."""
    users = await opened.administration.users.listed(scope)
    groups = await opened.administration.groups.listed(scope)
    known = {EVERYONE, OWNER}
    known |= {f"user:{user.name}" for user in users} | {f"group:{one.name}" for one in groups}
    return sorted(named - known)


def _print(before: RegisteredBase, after: RegisteredBase) -> None:
    console = screen(highlight=False)
    say(console, shown_title(after.title), style="bold")
    was, now = openness(before), openness(after)
    meaning = {
        "readers": "may ask",
        "writers": "may add and remove documents",
        "admins": "may share and drop it",
        "default_acl": "read new documents by default",
    }
    rows = [
        [meaning[key], ", ".join(now[key]) or "nobody", ", ".join(was[key]) or "nobody"]
        for key in _WHAT
    ]
    if was == now:
        show_table(console, [words("who"), words("is")], rows=[row[:2] for row in rows])
        return
    show_table(console, [words("who"), words("now"), words("before")], rows=rows)
    if was["default_acl"] != now["default_acl"]:
        told = (
            "The default holds for what is brought in from now on: documents that are there, and "
            "folders that were read before, keep their readers."
        )
        say(console, told, style="dim")
