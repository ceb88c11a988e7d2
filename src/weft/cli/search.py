"""`weft search`: the passages for a question, and how each stage came to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text
from rich.tree import Tree

from weft.cli.bases.choice import AskedPlace, stores_for
from weft.cli.invocation import run, show_json
from weft.cli.options import Bases, Remote
from weft.cli.remote.asked import RemoteQuestion, passages_of
from weft.cli.screen import screen
from weft.cli.terminal.places import PlacedText, heading_of, place_of
from weft.cli.terminal.question import read_words
from weft.cli.terminal.texts import noted
from weft.domain.display import on_one_line
from weft.language.markup import is_prose, plain
from weft.platform.audit import audited, found_ids
from weft.platform.identity import local_owner
from weft.ports.records.audit import Deed

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.ports.store import Store
    from weft.retrieval.hits import Explanation, Found, Hit

Words = Annotated[
    list[str], typer.Argument(metavar="QUESTION [PATH]", help="A question; a folder or file.")
]
Top = Annotated[
    int | None,
    typer.Option(help="How many passages; the default: as set.", min=1, max=100),
]
Explain = Annotated[bool, typer.Option("--explain", help="Draw what each stage found.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_SNIPPET, _FEW = 150, 8


def search(
    words: Words,
    *,
    kb: Bases = "",
    top: Top = None,
    explain: Explain = False,
    remote: Remote = "",
    as_json: Json = False,
) -> None:
    """Find the passages for a question, best first, and the way to each through the graph."""
    if remote:
        wanted = RemoteQuestion(words=words, kb=kb)
        _show_remote(*passages_of(remote, wanted, top=top or _FEW, as_json=as_json), as_json)
        return

    async def action(app: App) -> tuple[str, Found, dict[str, str]]:
        path, question = read_words(words, verb="search")
        place = AskedPlace(path=path, kb=kb, verb="search", question=question)
        stores = await stores_for(app, local_owner(), place, quiet=as_json)
        found = await _found(app, stores, question, top=top)
        return question, found, {store.name: store.title for store in stores}

    question, found, titles = run(action, as_json=as_json)
    if as_json:
        show_json(_as_json(found, explain))
        return
    console = screen()
    console.print(_ways(found, question))
    for each in found.explanations if explain else ():
        console.print(_stages(each, titles))
    for note in found.notes:
        console.print(Text(noted(note), style="dim"))


def _show_remote(question: str, passages: Sequence[Mapping[str, Any]], as_json: bool) -> None:
    if as_json:
        show_json({"hits": passages})
        return
    tree = Tree(Text(question, style="bold"))
    for number, one in enumerate(passages, start=1):
        line = Text(f"{number} ", style="bold cyan")
        line.append(on_one_line(one["uri"]), style="bold")
        branch = tree.add(line.append(f"  {on_one_line(one['title'])}", style="dim"))
        _tell(branch, one["path"], plain(one["text"]) if is_prose(one["uri"]) else one["text"])
    if not passages:
        tree.add(Text("nothing", style="dim"))
    screen().print(tree)


def _tell(branch: Tree, path: Sequence[str], text: str) -> None:
    """Add to a passage the way that led there, and how it begins."""
    for step in path:
        branch.add(Text(step, style="yellow" if " → " in step else "dim"))
    said = " ".join(text.split())
    branch.add(Text(said[:_SNIPPET] + ("…" if len(said) > _SNIPPET else "")))


async def _found(app: App, stores: Sequence[Store], question: str, *, top: int | None) -> Found:
    from weft.bootstrap.knowledge import bases_of, top_k_of
    from weft.retrieval.hits import Query
    from weft.retrieval.search import search as find

    bases = bases_of(stores)
    scope = local_owner()
    deed = Deed(action="search", target=f"kb:{','.join(base.name for base in bases)}")
    async with audited(app.records.audit, scope, deed) as act:
        most = top or top_k_of(app.settings, stores)
        query = Query(text=question, top_k=most, explain=True)
        found = await find(bases, app.embedder, scope, query=query)
        act.note(**found_ids([hit.evidence for hit in found.hits]))
        return found


def _as_json(found: Found, explain: bool) -> dict[str, object]:
    shown: dict[str, object] = {
        "passages": found.passages,
        "notes": list(found.notes),
        "hits": [
            {
                "id": hit.evidence.id,
                "document": hit.evidence.document_id,
                "title": hit.evidence.title,
                "uri": hit.evidence.uri,
                "score": hit.score,
                "path": list(hit.evidence.path),
                "text": hit.evidence.text,
            }
            for hit in found.hits
        ],
    }
    if explain:
        shown["explanations"] = [asdict(each) for each in found.explanations]
    return shown


def _ways(found: Found, question: str) -> Tree:
    """Return the hits as branches from the question, each with the way that led there."""
    tree = Tree(Text(question, style="bold"))
    for number, hit in enumerate(found.hits, start=1):
        branch = tree.add(_headline(number, hit))
        _tell(branch, hit.evidence.path, _read(hit))
    if not found.hits:
        tree.add(Text(f"nothing in {found.passages} passages", style="dim"))
    return tree


def _read(hit: Hit) -> str:
    return plain(hit.evidence.text) if is_prose(hit.evidence.uri) else hit.evidence.text


def _headline(number: int, hit: Hit) -> Text:
    found = hit.evidence
    passage = PlacedText(
        document=found.document_id,
        uri=found.uri,
        start=found.start,
        text=found.text,
        title=found.title,
        section=found.section,
        page=found.page,
    )
    place = place_of(passage, here=Path.cwd())
    line = Text(f"{number} ", style="bold cyan")
    line.append(on_one_line(place), style="bold")
    title = heading_of(passage, place)
    line.append(f"  {title}" if title else "", style="dim")
    line.append(f"  {hit.score:.2f}", style="green")
    return line


def _stages(each: Explanation, titles: Mapping[str, str]) -> Tree:
    """Return what each stage found in one base, which is called by its title."""
    title = titles[each.knowledge_base]
    tree = Tree(Text(f"how it was found in {title}", style="bold"))
    names = ", ".join(f"{name} ({count})" for name, count in each.names) or "none"
    tree.add(Text(f"names in the question, and in how many passages: {names}"))
    for label, steps in each.stages:
        branch = tree.add(Text(label, style="bold"))
        for step in steps:
            branch.add(Text(f"{step.score:.3f}  {step.document_id}"))
    again = tree.add(Text("asked again for the second hop", style="bold"))
    for document, bridge, text in each.requeries:
        line = Text(f"{document} → ", style="dim")
        line.append(bridge, style="yellow")
        line.append(f": {text}", style="default")
        again.add(line)
    return tree
