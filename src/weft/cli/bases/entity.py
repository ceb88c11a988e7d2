"""`weft entity show`: who bears a name, told apart, and what is stated of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.auditing.acting import acting
from weft.cli.bases.choice import chosen
from weft.cli.invocation import run, show_json
from weft.cli.options import named
from weft.cli.screen import screen
from weft.cli.terminal.tables import say, show_table, words
from weft.cli.terminal.units import counted
from weft.domain.display import on_one_line
from weft.domain.errors import NotFound
from weft.domain.frozen import dataclass
from weft.platform.identity import local_owner

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.domain.pattern import LocalClaim
    from weft.retrieval.entity_candidates import EntityCandidate

app = typer.Typer(help="Entities: what bears a name, and what is stated of it.")
Name = Annotated[str, typer.Argument(metavar="NAME", help="A name, whole or a part of it.")]
Kb = Annotated[
    str, typer.Option(callback=named, help="A knowledge base by name, by title or by folder.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_MOST_CLAIMS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """An entity, and what documents state of it."""

    found: EntityCandidate
    claims: Sequence[LocalClaim]

    def as_json(self) -> dict[str, object]:
        entity = self.found.entity
        return {
            "node_id": entity.id,
            "name": entity.name,
            "labels": list(self.found.labels),
            "aliases": list(entity.aliases),
            "documents": list(self.found.documents),
            "source": str(self.found.found_by),
            "claims": [
                {
                    "relation": one.claim.predicate,
                    "says": _said(one),
                    "document": one.document_id,
                    "start": one.claim.start,
                    "end": one.claim.end,
                }
                for one in self.claims
            ],
        }


@app.callback()
def entity() -> None:
    """Look at entities."""


@app.command("show")
def show(name: Name, *, kb: Kb = "", as_json: Json = False) -> None:
    """Show the things that bear a name, each with its node, and what is stated of it."""

    async def action(opened: App) -> list[_Known]:
        scope = local_owner()
        store = await chosen(opened, scope, kb)
        async with acting(opened, "kb.read", target=f"kb:{store.name}"):
            return await _known(opened, store.name, name)

    known = run(action, with_models=False, as_json=as_json)
    if as_json:
        show_json([each.as_json() for each in known])
        return
    for each in known:
        _print(each)


async def _known(opened: App, base: str, name: str) -> list[_Known]:
    from weft.bootstrap.knowledge import bases_of
    from weft.ports.knowledge import ClaimFilter
    from weft.retrieval.entity_candidates import NamesAsked, candidates

    scope = local_owner()
    (one,) = bases_of([await opened.library.named(scope, base)])
    found = await candidates([one], scope, NamesAsked(names=[name], spelt={name}))
    if not found[name]:
        raise NotFound(f"Nothing is called '{name}' here.", name=name)
    known = []
    for each in found[name]:
        ends = frozenset(each.entity.members)
        claims = await one.knowledge.claims(scope, ClaimFilter(ends=ends), _MOST_CLAIMS)
        known.append(_Known(found=each, claims=claims))
    return known


def _said(one: LocalClaim) -> str:
    return one.claim.object_name or str(one.claim.value)


def _print(known: _Known) -> None:
    console, made = screen(highlight=False), known.found.entity
    head = f"{on_one_line(made.name)} · {', '.join(known.found.labels)}"
    say(console, head, style="bold")
    if made.aliases:
        say(console, f"also {', '.join(map(on_one_line, made.aliases))}")
    say(console, f"{counted(len(known.found.documents), 'document')} · node {made.id}")
    rows = [
        [one.claim.predicate, on_one_line(_said(one)), str(one.document_id)] for one in known.claims
    ]
    if rows:
        columns = [words("relation"), words("says"), words("document")]
        show_table(console, columns, rows=rows)
    say(console, "")
