"""The demo: ask about the Python packages installed here, and about an organisation made up for it.

Usage: python tools/demo.py [QUESTION ...]; own ones are asked of the packages alone.
The answers also lie in .run/demo.json.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import Distribution, distributions
from pathlib import Path
from threading import Event

from rich.console import Console
from rich.rule import Rule

from weft.cli.answers import as_json
from weft.cli.progress import ProgressBar
from weft.cli.rendering import print_answer
from weft.ingest.progress import IngestProgress
from weft.sdk.weft import Weft

ROOT = Path(__file__).resolve().parents[1]
RUN = ROOT / ".run"
DOCUMENTS = RUN / "demo" / "documents"
HOME = RUN / "demo" / "home"
QUESTIONS = (
    "Which license does SQLAlchemy use?",
    "Who is the author of Rich?",
    "What kind of tool is Alembic?",
    "Does httpx2 support HTTP/2?",
    "Who won the football world cup in 1998?",
)
# The organisation's own: one by way of a second document, one without an answer, two documents that
# disagree, a table's row, one in Korean, and one more without an answer.
EXAMPLES = {
    "engineering": (
        "Who leads the team that owns ledgerline?",
        "Who is the mother of the person who leads the routing team?",
    ),
    "handbook": (
        "What is the daily meal allowance?",
        "Which office has the most desks?",
        "근속 몇 년이 되면 안식 휴가를 받나요?",
        "When was Stella Park born?",
    ),
}
_WANTED = re.compile(r"(?i)(^|/)(METADATA|README[^/]*|(LICEN[CS]E|COPYING|NOTICE|AUTHORS)[^/]*)$")
_LARGEST = 40_000


def main(questions: list[str]) -> int:
    """Gather, read, ask, and say how to go on."""
    console = Console()
    packages = _packages()
    shutil.rmtree(HOME, ignore_errors=True)  # it shows a first run, each time
    shutil.rmtree(DOCUMENTS, ignore_errors=True)
    asked = questions or QUESTIONS
    files = sum(len(_documents(each)) for each in packages)
    console.print(
        f"[bold]{files} files[/] of {len(packages)} installed packages → {_short(DOCUMENTS)}"
    )
    answers = ask_early(console, packages, asked)
    for folder, own in () if questions else EXAMPLES.items():
        console.print(Rule())
        console.print(f"[bold]An invented organisation[/] → {_short(ROOT / 'examples' / folder)}")
        answers += ask(console, ROOT / "examples" / folder, own)
    target = RUN / "demo.json"
    target.write_text(json.dumps(answers, ensure_ascii=False, indent=2, default=str) + "\n")
    console.print(Rule())
    console.print(f"The answers also lie in {_short(target)}. Your own folder:\n")
    console.print('  [bold].venv/bin/weft ask ~/Documents/notes "What did we decide?"[/]\n')
    return 0


def ask_early(
    console: Console, packages: Sequence[Distribution], questions: Sequence[str]
) -> list[dict[str, object]]:
    """Read what the questions name, and answer the first one while all the rest is read."""
    named = [each for each in packages if _is_named(each, questions)]
    began = time.perf_counter()
    gather(named or packages)
    with Weft.open(DOCUMENTS, home=HOME) as weft, ThreadPoolExecutor(1) as beside:
        first = _read(console, weft, began)
        if not named:
            return [_answered(console, weft, question) for question in questions]
        reading = _Reading(weft, packages)
        whole = beside.submit(reading.run)
        console.print("All the rest is read while the first question is answered.\n")
        answers = [_answered(console, weft, questions[0])]
        seconds, done = time.perf_counter() - began, max(first.files, reading.done)
        console.print(
            f"[bold]The first answer took {seconds:.0f} seconds from the beginning: {done} of "
            f"{reading.total} files had been read.[/]"
        )
        reading.show()
        report = whole.result()
        reading.hide()
        _say_read(console, report, began)
        return answers + [_answered(console, weft, question) for question in questions[1:]]


class _Reading:
    """The reading of all packages beside a question: how far it is, and shown from when on."""

    def __init__(self, weft: Weft, packages: Sequence[Distribution]) -> None:
        self._weft = weft
        self._packages = packages
        self._bar = ProgressBar("Reading", quiet=False)
        self._is_shown = Event()
        self.total = sum(len(_documents(each)) for each in packages)
        self.done = 0

    def run(self) -> IngestProgress:
        """Gather and read all; it takes a thread of its own."""
        gather(self._packages)
        return self._weft.sync(self._watch)

    def show(self) -> None:
        """Draw a bar from now on."""
        self._is_shown.set()

    def hide(self) -> None:
        """Remove the bar."""
        self._bar.__exit__(None, None, None)

    def _watch(self, report: IngestProgress) -> None:
        self.done = report.files_done
        if self._is_shown.is_set():
            self._bar.show(report)


def ask(console: Console, folder: Path, questions: Sequence[str]) -> list[dict[str, object]]:
    """Read a folder, ask each question, show the answers and return them."""
    began = time.perf_counter()
    with Weft.open(folder, home=HOME) as weft:
        _read(console, weft, began)
        return [_answered(console, weft, question) for question in questions]


def _read(console: Console, weft: Weft, began: float) -> IngestProgress:
    with ProgressBar("Reading", quiet=False) as bar:
        report = weft.sync(bar.show)
    _say_read(console, report, began)
    return report


def _say_read(console: Console, report: IngestProgress, began: float) -> None:
    console.print(
        f"Read {report.files_done} files, wrote {report.chunks} passages, "
        f"{time.perf_counter() - began:.0f} seconds from the beginning; {report.failed} files gave "
        "no text. No key, no server, no network was used.\n"
    )


def _answered(console: Console, weft: Weft, question: str) -> dict[str, object]:
    answer = weft.ask(question)
    print_answer(console, answer, question=question)
    console.print()
    return as_json(answer)


def gather(packages: Sequence[Distribution]) -> None:
    """Copy the documents of packages into one folder; what lies there already stays as it is."""
    for found in packages:
        folder = DOCUMENTS / found.name
        if not folder.exists():
            folder.mkdir(parents=True)
            for number, source in enumerate(_documents(found)):
                target = folder / source.name
                if target.exists():
                    target = target.with_name(f"{number}-{source.name}")
                shutil.copyfile(source, target)


def _packages() -> list[Distribution]:
    names = _locked()
    found = (one for one in distributions() if _plain(one.name) in names)
    return sorted(found, key=lambda one: one.name.lower())


def _documents(found: Distribution) -> list[Path]:
    """Return the files of a package that tell something of it."""
    wanted = (Path(str(found.locate_file(f))) for f in found.files or () if _WANTED.search(str(f)))
    return [path for path in wanted if path.is_file() and path.stat().st_size <= _LARGEST]


def _is_named(found: Distribution, questions: Sequence[str]) -> bool:
    """Tell whether a question names a package, as it is spelled or by its plain name."""
    words = {_plain(word) for asked in questions for word in re.findall(r"[\w.-]+", asked)}
    return _plain(found.name) in words


def _locked() -> set[str]:
    text = (ROOT / "locks" / "runtime.txt").read_text(encoding="utf-8")
    return {_plain(name) for name in re.findall(r"(?m)^([A-Za-z0-9._-]+)==", text)}


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _short(path: Path) -> str:
    return str(path.relative_to(ROOT))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
