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
from importlib.metadata import Distribution, distributions
from pathlib import Path

from rich.console import Console
from rich.rule import Rule

from weft.cli.answers import as_json
from weft.cli.progress import ProgressBar
from weft.cli.rendering import print_answer
from weft.sdk.weft import Weft

ROOT = Path(__file__).resolve().parents[1]
RUN = ROOT / ".run"
DOCUMENTS = RUN / "demo" / "documents"
HOME = RUN / "demo" / "home"
QUESTIONS = (
    "Which license does SQLAlchemy use?",
    "Who is the author of Rich?",
    "What is Alembic?",
    "Does httpx2 support HTTP/2?",
    "Who won the football world cup in 1998?",
)
# The organisation's own: a chain through three documents, one that ends on the way, two documents
# that disagree, a count, one in Korean, and one without an answer.
EXAMPLES = {
    "engineering": (
        "Who leads the team that owns the service which LED-14 broke?",
        "Who is the mother of the person who leads the routing team?",
    ),
    "handbook": (
        "What is the daily meal allowance?",
        "How many offices are there?",
        "몇 년을 근무하면 안식 휴가를 받을 수 있나요?",
        "When was Stella Park born?",
    ),
}
_WANTED = re.compile(r"(?i)(^|/)(METADATA|README[^/]*|(LICEN[CS]E|COPYING|NOTICE|AUTHORS)[^/]*)$")
_LARGEST = 40_000


def main(questions: list[str]) -> int:
    """Gather, read, ask, and say how to go on."""
    console = Console()
    names = _locked()
    count = gather(names)
    shutil.rmtree(HOME, ignore_errors=True)  # it shows a first run, each time
    console.print(
        f"[bold]{count} documents[/] of {len(names)} installed packages → {_short(DOCUMENTS)}"
    )
    answers = ask(console, DOCUMENTS, questions or QUESTIONS)
    for folder, asked in () if questions else EXAMPLES.items():
        console.print(Rule())
        console.print(f"[bold]An invented organisation[/] → {_short(ROOT / 'examples' / folder)}")
        answers += ask(console, ROOT / "examples" / folder, asked)
    target = RUN / "demo.json"
    target.write_text(json.dumps(answers, ensure_ascii=False, indent=2, default=str) + "\n")
    console.print(Rule())
    console.print(f"The answers also lie in {_short(target)}. Your own folder:\n")
    console.print('  [bold].venv/bin/weft ask ~/Documents/notes "What did we decide?"[/]\n')
    return 0


def ask(console: Console, folder: Path, questions: Sequence[str]) -> list[dict[str, object]]:
    """Read a folder, ask each question, show the answers and return them."""
    answers = []
    began = time.perf_counter()
    with Weft.open(folder, home=HOME) as weft:
        with ProgressBar("Reading", quiet=False) as bar:
            report = weft.sync(bar.show)
        seconds = time.perf_counter() - began
        console.print(
            f"Read {report.files_done} files, wrote {report.chunks} passages in {seconds:.0f} s; "
            f"{report.failed} files gave no text. No key, no server, no network was used.\n"
        )
        for question in questions:
            answer = weft.ask(question)
            print_answer(console, answer, question=question)
            console.print()
            answers.append(as_json(answer))
    return answers


def gather(names: set[str]) -> int:
    """Copy the documents of some packages into one folder and return how many there are."""
    shutil.rmtree(DOCUMENTS, ignore_errors=True)
    count = 0
    for found in sorted(distributions(), key=lambda one: one.name.lower()):
        if _plain(found.name) in names:
            count += _copy(found)
    return count


def _copy(found: Distribution) -> int:
    count = 0
    for file in found.files or ():
        source = Path(str(found.locate_file(file)))
        if not _WANTED.search(str(file)) or not source.is_file():
            continue
        if source.stat().st_size > _LARGEST:
            continue
        target = DOCUMENTS / found.name / source.name
        if target.exists():
            target = target.with_name(f"{count}-{source.name}")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        count += 1
    return count


def _locked() -> set[str]:
    text = (ROOT / "locks" / "runtime.txt").read_text(encoding="utf-8")
    return {_plain(name) for name in re.findall(r"(?m)^([A-Za-z0-9._-]+)==", text)}


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _short(path: Path) -> str:
    return str(path.relative_to(ROOT))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
