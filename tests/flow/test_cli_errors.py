"""What goes wrong on the command line is said in one line, with an exit code of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from flow.command import Command, write

# Each call is a process that starts cold, which takes long where the cores are busy.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]
WRONG = [
    (("ask", "nowhere", "What?"), 2, "bad_input", "no file or folder 'nowhere'"),
    (("ask", "docs", "  "), 2, "bad_input", "question is empty"),
    (("ask", "docs", "one", "two"), 2, "bad_input", "in quotes"),
    (("ask", "docs", "What?", "--kb", "Main"), 2, "bad_input", "not both"),
    (("ask", "What?", "--kb", "Nowhere"), 2, "unknown_knowledge_base", "'Nowhere'"),
    (("ask", "docs"), 2, "bad_input", "question is missing"),
    (("ask", "docs", "a" * 2001), 2, "bad_input", "at most 2,000 characters; this one has 2,001"),
    (("search", "a" * 2001), 2, "bad_input", "at most 2,000 characters; this one has 2,001"),
    (("chat", "nowhere"), 2, "bad_input", "no file or folder"),
    (("kb", "ledger"), 2, "unknown_knowledge_base", "no default knowledge base"),
    (("ingest", "nowhere"), 2, "bad_input", "no file or folder"),
    (("ingest", ""), 2, "bad_input", "no file or folder ''"),
    (("ingest", "/dev/null"), 2, "bad_input", "'/dev/null' is neither a file nor a folder"),
    (("ingest", "bare"), 2, "bad_input", "nothing to read in"),
    (("ingest", "bare", "--kb", "Bare"), 2, "bad_input", "nothing to read in"),
    (("ingest", "nowhere", "--kb", "Bare"), 2, "bad_input", "no file or folder"),
    (("ask", "/dev/null", "What?"), 2, "bad_input", "'/dev/null' is neither a file nor a folder"),
    (("kb", "drop", "", "--yes"), 2, "bad_input", "Name the knowledge base"),
    (("ingest", "docs", "--acl", "alice"), 2, "bad_input", "'alice' is not a principal"),
    (("ingest", "docs", "--kb", "two/words"), 2, "bad_input", "path of a folder"),
    (("kb", "create", "./lives"), 2, "bad_input", "weft ingest ./lives"),
    (("kb", "create", "taken"), 2, "knowledge_base_exists", "aken"),
    (("kb", "stats", "Nowhere"), 2, "unknown_knowledge_base", "no folder of that name"),
    (("kb", "ledger", "docs"), 2, "unknown_knowledge_base", "weft ingest docs"),
    (("kb", "reindex", "Nowhere"), 2, "unknown_knowledge_base", "Nowhere"),
    (("kb", "drop", "Nowhere", "--yes"), 2, "unknown_knowledge_base", "Nowhere"),
    (("runs", "show", "nothing"), 3, "not_found", "no such run"),
    (("runs", "cancel", "nothing"), 3, "not_found", "no such"),
]


@pytest.fixture(scope="module")
def weft(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Return the command beside a folder `docs` that nobody has read."""
    folder = tmp_path_factory.mktemp("desk")
    write(folder / "docs", {"a.txt": "Something.\n"})
    (folder / "bare").mkdir()
    made = Command(home=home, folder=folder, settings={"WEFT_EMBEDDER": "none"})
    assert made("kb", "create", "Taken").code == 0
    return made


@pytest.mark.parametrize(
    ("words", "code", "name", "said"), WRONG, ids=["-".join(row[0]) for row in WRONG]
)
def test_an_error_has_a_code_and_says_what_is_wrong(
    weft: Command, words: Sequence[str], code: int, *, name: str, said: str
) -> None:
    told = weft(*words, "--json")
    assert told.code == code
    assert told.err == ""
    assert told.error["code"] == name
    assert said in told.error["message"]
    titles = {row["title"] for row in weft("kb", "list", "--json").json}
    assert not titles & {"Bare", str(weft.folder / "bare"), "/dev/null"}


def test_nothing_can_be_opened_before_there_is_an_answer(weft: Command, tmp_path: Path) -> None:
    told = weft("open", "1", "--json", WEFT_HOME=str(tmp_path / "home"))
    assert told.code == 3
    assert told.error["code"] == "not_found"
    assert "no answer yet" in told.error["message"]


def test_without_json_an_error_is_one_line_on_standard_error(weft: Command) -> None:
    told = weft("ask", "nowhere", "What?")
    assert told.code == 2
    assert told.out == ""
    assert told.err == "weft: there is no file or folder 'nowhere'\n"


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("WEFT_EMBEDDER", "word2vec", "names no embedder"),
        ("WEFT_EMBEDDER", "openai:small", "EMBEDDING_DIMENSION"),
        ("WEFT_CHUNK_TOKENS", "many", "chunk_tokens"),
        ("EMBEDDING_DIMENSION", "7", "gives 384"),
    ],
)
def test_a_bad_setting_is_named(weft: Command, variable: str, value: str, said: str) -> None:
    settings = {"WEFT_EMBEDDER": "local"} | {variable: value}
    told = weft("ask", "docs", "What?", "--json", **settings)
    assert told.code == 2
    assert told.error["code"] == "bad_configuration"
    assert said in told.error["message"]


def test_an_index_of_other_settings_names_the_way_out(weft: Command) -> None:
    write(weft.folder / "other", {"a.txt": "The colour of the buoy is green.\n"})
    bring = ("ingest", "other", "--kb", "Buoys", "--json")
    assert weft(*bring).code == 0
    told = weft(*bring, WEFT_EMBEDDER="local")
    assert told.code == 6
    assert told.error["code"] == "index_mismatch"
    assert "weft kb reindex Buoys" in told.error["message"]
    assert weft("kb", "reindex", "Buoys", "--json", WEFT_EMBEDDER="local").code == 0
    ask = ("ask", "What is the colour of the buoy?", "--kb", "Buoys", "--json")
    again = weft(*ask, WEFT_EMBEDDER="local")
    assert "green" in again.json["answer"]
    assert again.json["notes"] == []


@pytest.mark.parametrize("words", [("fly",), ("ask",), ("open", "zero"), ("kb", "drop")])
def test_a_call_that_no_verb_understands_ends_with_2(weft: Command, words: Sequence[str]) -> None:
    told = weft(*words)
    assert told.code == 2
    assert "Usage" in told.err


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder nobody can write to")
@pytest.mark.parametrize(
    "words",
    [("kb", "list"), ("doctor",), ("ask", "docs", "What?"), ("init",), ("serve",)],
    ids="-".join,
)
def test_a_workspace_that_cannot_be_used_is_named_in_one_line(
    weft: Command, words: Sequence[str]
) -> None:
    told = weft(*words, WEFT_HOME="/proc/nope")
    assert told.code == 7
    assert (
        told.err == "weft: The workspace '/proc/nope' cannot be used: No such file or directory.\n"
    )
