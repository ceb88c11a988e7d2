"""`Weft` and `AsyncWeft`: the whole way from a folder to a cited answer, inside one process."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import weft
from flow.command import DOCUMENTS, write
from patience import eventually
from weft import AsyncWeft, Weft
from weft.domain.answer import Outcome
from weft.domain.errors import BadInput, IndexMismatch, NotFound
from weft.ingest.progress import IngestProgress

LIFTS = "What does the new crane lift?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of documents that no test of this module changes."""
    return write(tmp_path_factory.mktemp("desk") / "docs")


@pytest.fixture(scope="module")
def opened(folder: Path, home: Path) -> Iterator[Weft]:
    """Return the folder's knowledge base, opened once."""
    with Weft.open(folder, home=home) as made:
        yield made


def test_importing_weft_is_cheap_and_gives_the_library_when_asked() -> None:
    code = (
        "import sys, weft; lean = {'numpy', 'pydantic', 'sqlalchemy'} & set(sys.modules);"
        "assert not lean, lean; assert weft.Weft.__name__ == 'Weft'; assert 'numpy' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)
    with pytest.raises(AttributeError, match="'Nothing'"):
        _ = weft.Nothing  # type: ignore[attr-defined]  # the point


def test_the_first_question_reads_the_folder_and_cites_it(opened: Weft, folder: Path) -> None:
    answer = opened.ask(LIFTS)
    assert "120 tonnes" in answer.answer
    assert answer.offline
    assert not answer.refused
    citations = [one for sentence in answer.sentences for one in sentence.citations]
    assert citations[0].snippet in DOCUMENTS["harbour.md"]
    assert citations[0].uri == (folder / "harbour.md").as_uri()


def test_search_gives_the_best_passages_first(opened: Weft) -> None:
    found = opened.search("north crane", top_k=3)
    assert 0 < len(found) <= 3
    assert found[0].document_id == "file:docs/harbour.md"
    assert found[0].knowledge_base == opened.name
    assert opened.search("north crane", top_k=1) == found[:1]


def test_sources_narrow_what_is_cited(opened: Weft) -> None:
    assert opened.ask(LIFTS, sources=["nowhere"]).refused
    assert opened.search(LIFTS, sources=["nowhere"]) == ()
    assert "120 tonnes" in opened.ask(LIFTS, sources=["docs"]).answer


def test_what_cannot_be_asked_is_refused_by_name(opened: Weft) -> None:
    with pytest.raises(BadInput, match="empty"):
        opened.ask("  ")
    with pytest.raises(BadInput):
        opened.search("crane", top_k=0)


def test_a_question_that_is_too_long_is_refused_by_limit_and_length(opened: Weft) -> None:
    for call in (opened.ask, opened.search):
        with pytest.raises(BadInput, match=r"at most 2,000 characters; this one has 2,001\."):
            call("a" * 2001)


def test_it_may_be_used_from_several_threads(opened: Weft) -> None:
    answers: list[str] = []
    threads = [
        threading.Thread(target=lambda: answers.append(opened.ask(LIFTS).answer)) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 3
    assert len(set(answers)) == 1


def test_sync_sees_additions_and_removals(tmp_path: Path, home: Path) -> None:
    folder = write(tmp_path / "moving", {"a.md": "The ferry leaves at nine.\n"})
    seen: list[IngestProgress] = []
    with Weft.open(folder, home=home) as opened:
        assert opened.sync(seen.append).documents == 1
        assert seen[-1].files_done == 1
        write(folder, {"b.md": "The office closes at noon.\n"})
        assert opened.sync().documents == 1
        assert opened.stats().documents == 2
        (folder / "a.md").unlink()
        assert opened.sync().removed == 1
        assert opened.ask("When does the ferry leave?").refused
        assert opened.stats().documents == 1


def test_texts_and_paths_are_added_to_a_named_base(tmp_path: Path, home: Path) -> None:
    more = write(tmp_path / "more", {"a.md": "The colour of the buoy is green.\n"})
    with Weft.open(kb="Notes", home=home) as opened:
        opened.add(more, acl=["group:crew"])
        opened.add_text("pilot", "The pilot on duty is Ada Novak.")
        assert opened.stats().documents == 2
        assert "Ada Novak" in opened.ask("Who is the pilot on duty?").answer
        opened.add_text("pilot", "The pilot on duty is Jun Ito.")
        answer = opened.ask("Who is the pilot on duty?").answer
        assert "Jun Ito" in answer
        assert "Ada Novak" not in answer
        assert opened.remove_text("pilot").removed == 1
        assert opened.stats().documents == 1
        with pytest.raises(NotFound):
            opened.remove_text("pilot")
        with pytest.raises(BadInput, match="cannot name a text"):
            opened.add_text("../pilot", "No.")
        with pytest.raises(BadInput, match="opened by name"):
            opened.sync()


def test_an_index_of_other_settings_is_said_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "docs", {"a.md": "The colour of the buoy is green.\n"})
    monkeypatch.setenv("WEFT_EMBEDDER", "none")
    with Weft.open(folder, home=tmp_path / "home") as opened:
        assert "green" in opened.ask("What is the colour of the buoy?").answer
        assert opened.ask("What is the colour of the buoy?").notes
    monkeypatch.setenv("WEFT_CHUNK_TOKENS", "64")
    with Weft.open(folder, home=tmp_path / "home") as opened:
        assert opened.sync().documents == 1  # cut anew, for the splitter is another
    monkeypatch.setenv("WEFT_EMBEDDER", "local")
    with (
        Weft.open(folder, home=tmp_path / "home") as opened,
        pytest.raises(IndexMismatch, match="weft kb reindex"),
    ):
        opened.sync()


def test_what_is_not_there_is_not_opened(tmp_path: Path, home: Path) -> None:
    with pytest.raises(BadInput, match="no file or folder"):
        Weft.open(tmp_path / "nowhere", home=home)
    with pytest.raises(BadInput, match="not both"):
        Weft.open(tmp_path, kb="Notes", home=home)
    with pytest.raises(BadInput, match="path of a folder, not a title"):
        Weft.open(kb="no/name", home=home)


def test_a_base_is_opened_by_its_title(home: Path) -> None:
    with Weft.open(kb="사내 위키", home=home) as one, Weft.open(kb="사내 위키", home=home) as again:
        assert one.name == again.name != "사내 위키"


def test_a_closed_base_says_so(tmp_path: Path, home: Path) -> None:
    before = threading.active_count()
    opened = Weft.open(tmp_path, home=home)
    assert threading.active_count() > before
    opened.close()
    opened.close()
    # A thread that was told to end may take a moment to.
    eventually(lambda: threading.active_count() <= before, what="the end of its threads")
    with pytest.raises(RuntimeError, match="closed"):
        opened.ask(LIFTS)


@pytest.mark.anyio
async def test_a_program_with_a_loop_awaits_the_same(folder: Path, home: Path) -> None:
    async with await AsyncWeft.open(folder, home=home) as opened:
        answer = await opened.ask(LIFTS)
        assert "120 tonnes" in answer.answer
        assert answer.outcome is Outcome.ANSWERED
        assert answer.more[0].n > answer.sentences[0].citations[0].n
        refused = await opened.ask("Who is the king of Atlantis?")
        assert (refused.outcome, refused.more) == (Outcome.NOTHING, ())
        assert (await opened.search(LIFTS, 1))[0].document_id == "file:docs/harbour.md"
        assert (await opened.stats()).documents == 6


async def test_questions_go_on_while_a_folder_is_brought_in_step_again(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "rope", {"a.txt": "The mooring rope is blue.\n"})
    async with await AsyncWeft.open(folder, home=home) as opened:
        await opened.sync()
        may_end, bring = asyncio.Event(), opened._bring

        async def held_up(*given: Any, **options: Any) -> Any:
            await may_end.wait()
            return await bring(*given, **options)

        monkeypatch.setattr(opened, "_bring", held_up)
        syncing = asyncio.create_task(opened.sync())
        await asyncio.sleep(0)
        answer = await asyncio.wait_for(opened.ask("What colour is the mooring rope?"), 20)
        assert "blue" in answer.answer
        assert not syncing.done()
        may_end.set()
        assert (await syncing).unchanged == 1
