"""What a caller may not read was never there: its answers are those after deletion, to the bit.

The bench of answers rests on this: it takes the documents of a question away by scope alone.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from answers_bases import Answerer, FilledBase

from flow.conftest import workspace
from principals import somebody
from weft.bootstrap.app import App, load_settings, open_app
from weft.bootstrap.flows import build_flows
from weft.domain.answer import Answer
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.flows.asking import Asking
from weft.ingest.jobs.ingestion import IngestRequest
from weft.ports.store import Store

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

Ask = Callable[[Scope, str], Awaitable[Answer]]

DOCUMENTS = {
    "lanterns": "The Quiet Lanterns is a 1962 drama film directed by Marta Ekholm.",
    "rivers": "Nine Rivers is a 1971 comedy film directed by Tomas Brandel. It ran for two hours.",
    "ekholm": "Marta Ekholm (born 4 May 1921) was a Swedish film director from Lund.",
    "brandel": "Tomas Brandel (born 9 June 1930) is a Danish film director and painter.",
    "harbour": "The Harbour Bridge was opened by Olga Berg on 14 March 1932.",
    "berg": "Olga Berg was a Norwegian engineer. She was born in Bergen.",
    "tram": "Trams cross the Harbour Bridge. Tomas Brandel filmed them for Nine Rivers in 1971.",
    "archive": "The archive in Lund keeps the letters of Marta Ekholm and of Olga Berg.",
}
# Each with the documents that answer it.
QUESTIONS = {
    "When was the Harbour Bridge opened?": ("harbour",),
    "Who directed The Quiet Lanterns?": ("lanterns",),
    "What nationality is the director of film The Quiet Lanterns?": ("lanterns", "ekholm"),
    "Which film came out first, The Quiet Lanterns or Nine Rivers?": ("lanterns", "rivers"),
    "Are Marta Ekholm and Tomas Brandel both film directors?": ("ekholm", "brandel"),
    "Where was the engineer who opened the Harbour Bridge born?": ("harbour", "berg"),
}


def scope_without(gone: Iterable[str] = ()) -> Scope:
    """Return a scope that may read each document by a group of its own, but not these."""
    return somebody("reader", *(f"group:{name}" for name in DOCUMENTS if name not in gone))


def write(folder: Path) -> Path:
    """Write the documents, and who may read each."""
    folder.mkdir()
    for name, text in DOCUMENTS.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    rules = "".join(f"  {name}.txt: ['group:{name}']\n" for name in DOCUMENTS)
    (folder / "weft.acl.yaml").write_text(f"paths:\n{rules}", encoding="utf-8")
    return folder


@asynccontextmanager
async def house(home: Path) -> AsyncIterator[tuple[App, Store]]:
    app = await open_app(load_settings(home))
    try:
        yield app, await app.library.ensured(scope_without(), "Works")
    finally:
        await app.close()


async def bring_in(app: App, store: Store, folder: Path) -> None:
    """Bring the knowledge base in step with the folder, removals included."""
    request = IngestRequest(path=folder, prune=True)
    await app.ingest.bring_in(scope_without(), store, request=request, watch=lambda _: None)


def plain(app: App, store: Store) -> Ask:
    """Return the product's own question path."""
    flows = build_flows(app)

    async def ask(scope: Scope, question: str) -> Answer:
        asking = Asking(question=question, knowledge_bases=(store.name,))
        return (await flows.run(scope, asking)).answer

    return ask


def benched(app: App, store: Store) -> Ask:
    """Return the question path as the bench takes it: new views go on from that of all passages."""
    return Answerer(FilledBase(app=app, store=store, gold=frozenset(DOCUMENTS))).ask


async def answers(asking: Ask, scope: Scope) -> dict[str, Answer]:
    """Return what is answered, apart from what tells one run from another."""
    return {
        question: replace(await asking(scope, question), run_id=RunId(""), took_ms=0.0)
        for question in QUESTIONS
    }


def _gone(kept: int) -> dict[str, None]:
    """Return the answering documents of every question but its first `kept`."""
    return dict.fromkeys(name for names in QUESTIONS.values() for name in names[kept:])


@pytest.mark.parametrize("path", [plain, benched])
@pytest.mark.parametrize("kept", [0, 1], ids=["all of the gold", "one of the gold"])
async def test_gold_documents_out_of_scope_are_as_good_as_deleted(
    kept: int, path: Callable[[App, Store], Ask], tmp_path: Path, network: Path
) -> None:
    folder = write(tmp_path / "works")
    gone = tuple(_gone(kept))
    homes = [tmp_path / name for name in ("hiding", "deleting")]
    for home in homes:
        home.mkdir()
    async with house(workspace(homes[0], network)) as (app, store):
        await bring_in(app, store, folder)
        asking = path(app, store)
        whole = await answers(asking, scope_without())
        hidden = await answers(asking, scope_without(gone))
    async with house(workspace(homes[1], network)) as (app, store):
        await bring_in(app, store, folder)
        asking = plain(app, store)
        assert await answers(asking, scope_without()) == whole
        for name in gone:
            (folder / f"{name}.txt").unlink()
        await bring_in(app, store, folder)
        deleted = await answers(asking, scope_without())
    assert hidden == deleted
    assert not whole["When was the Harbour Bridge opened?"].refused
    cited = {c.doc_id for one in hidden.values() for s in one.sentences for c in s.citations}
    assert not cited & {f"file:works/{name}.txt" for name in gone}
    assert hidden != whole
