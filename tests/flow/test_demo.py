"""The demo: its first answer comes while most of the documents are still to be read."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from importlib.metadata import Distribution, distribution
from pathlib import Path
from threading import Event
from types import ModuleType

import pytest

from house.source import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
_PATIENCE = 60.0
NAMES = ("rich", "sqlalchemy", "typer")


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the demo of three packages, in a folder of its own and without vectors."""
    spec = importlib.util.spec_from_file_location("demo", ROOT / "tools" / "demo.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    monkeypatch.setenv("WEFT_EMBEDDER", "none")
    places = {"ROOT": tmp_path, "RUN": tmp_path / "run", "HOME": tmp_path / "home"}
    for name, place in {**places, "DOCUMENTS": tmp_path / "documents"}.items():
        monkeypatch.setattr(made, name, place)
    (tmp_path / "run").mkdir()
    few = [distribution(name) for name in NAMES]
    monkeypatch.setattr(made, "_packages", lambda: few)
    return made


def test_the_first_answer_comes_before_all_is_read(
    demo: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    is_answered, gather, answered = Event(), demo.gather, demo._answered

    def gather_late(packages: Sequence[Distribution]) -> None:
        if len(packages) == len(NAMES):  # all there is waits for the first answer
            assert is_answered.wait(_PATIENCE)
        gather(packages)

    def answered_now(*given: object) -> dict[str, object]:
        shown: dict[str, object] = answered(*given)
        is_answered.set()
        return shown

    monkeypatch.setattr(demo, "gather", gather_late)
    monkeypatch.setattr(demo, "_answered", answered_now)
    assert demo.main(["Who is the author of rich?", "Which license does SQLAlchemy use?"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    first, last = (said.index(words) for words in ("Will McGugan", "The first answer took"))
    files = {name: len(demo._documents(distribution(name))) for name in NAMES}
    named, total = files["rich"] + files["sqlalchemy"], sum(files.values())
    assert first < last < said.index(f"Read {total} files")
    assert f"{named} of {total} files had been read." in said[last:]
    answers = json.loads((tmp_path / "run" / "demo.json").read_text(encoding="utf-8"))
    assert len(answers) == 2
    assert all(answer["sentences"] or answer["nearest"] for answer in answers)


def test_a_question_that_names_no_package_is_asked_of_all(
    demo: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert demo.main(["Who wrote the library for beautiful terminal formatting?"]) == 0
    said = capsys.readouterr().out
    assert "The first answer took" not in said
    assert said.index("Read ") < said.index("beautiful")
