"""What answers to questions of tables are worth, on real tables that came with packages.

`bench_tables.py [--split NAME] [--details]`: gathers the tables of a split, makes one base of them
all, asks its questions, prints what came of them by kind and writes `bench/out/tables.json`
(`tables-NAME.json`). `dev` are ten tables that rules may be made with, `kept` ten that are kept
apart; `more` and `apart` are smaller ones of either kind. `strange` are by somebody who knew of no
rule, `office` are made up, `public` R's. `fresh` and `unseen` were written before they were asked,
and nothing was made with them then (`fresh` teaches since); `teach` are by who wrote `unseen`, of
other tables. `lay-1` to `lay-51` are laymen's; of these `lay-5`, `lay-21`, `lay-27`, `lay-38`,
`lay-40`, `lay-50` and `lay-51` teach nothing; `lay-6`, `lay-17`, `lay-19`, `lay-29`, `lay-39` and
`lay-41` to `lay-49` teach the reader alone. `twenty` are of twenty tables more, written before they
were asked.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from gather_tables import TOGETHER, gather
from retrieval_bases import model_folder
from table_scoring import Expected, Told, Worth, worth

from weft.domain.answer import Answer
from weft.sdk.weft import Weft

HERE = Path(__file__).parent
SPLITS = (
    "dev", "kept", "more", "apart", "strange", "office", "public", "fresh", "teach", "unseen",
    "twenty", *(f"lay-{number}" for number in range(1, 52)),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question of a table, and what the table says to it; `computed`: over rows, in none."""

    id: str
    table: str
    question: str
    kind: str
    computed: bool
    answer: Expected


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A question and what the product made of it; `ms` is the time it took.

    `nearest` are the words that it found in place of an answer; `offered`: one of the meanings that
    it offers instead is answered rightly.
    """

    question: Question
    worth: Worth
    short: str
    sentences: tuple[str, ...]
    ms: float
    nearest: tuple[str, ...] = ()
    offered: bool = False


def questions(split: str, absent: Iterable[str]) -> list[Question]:
    """Return the questions of the tables that are there."""
    text = (HERE / "table_questions" / f"questions-{split}.jsonl").read_text(encoding="utf-8")
    found = [Question(**json.loads(line)) for line in text.splitlines()]
    return [one for one in found if one.table not in set(absent)]


def told(answer: Answer) -> Told:
    """Return what an answer says."""
    shown = tuple(f"{one.text} {_cited(one.citations)}" for one in answer.sentences)
    return Told(short=answer.short, sentences=shown, refused=answer.refused)


def _cited(citations: Iterable[object]) -> str:
    """Return the cited words, which a row's sentence may only sum up."""
    return " ".join(str(getattr(one, "snippet", "")) for one in citations)


def ask_all(wanted: Sequence[Question], folder: Path, home: Path) -> list[Outcome]:
    """Make a base of the tables and ask it every question."""
    found: list[Outcome] = []
    with Weft.open(folder, home=home) as weft:
        weft.sync()
        for note in weft.notes:
            print(f"note: {note}", file=sys.stderr)
        for one in wanted:
            began = time.perf_counter()
            answer = weft.ask(one.question)
            took, said = (time.perf_counter() - began) * 1000, told(answer)
            found.append(
                Outcome(
                    question=one,
                    worth=worth(said, one.answer, is_computed=one.computed),
                    short=said.short,
                    sentences=said.sentences,
                    ms=took,
                    nearest=tuple(near.snippet for near in answer.nearest),
                    offered=_is_offered(weft, one, answer),
                )
            )
    return found


def _is_offered(weft: Weft, one: Question, answer: Answer) -> bool:
    """Tell whether somebody who chooses of what a refusal offers gets the right answer."""
    if one.answer is None:
        return False
    chosen = (told(weft.ask(one.question, meaning=each.id)) for each in answer.meanings)
    return any(worth(said, one.answer, is_computed=one.computed) is Worth.RIGHT for said in chosen)


def by_kind(found: Sequence[Outcome]) -> str:
    """Return the figures as a table, a line a kind."""
    kinds: dict[str, Counter[Worth]] = defaultdict(Counter)
    for one in found:
        for kind in (one.question.kind, "without an answer" if _is_none(one) else "answerable"):
            kinds[kind][one.worth] += 1
        kinds["all"][one.worth] += 1
    kinds.pop("none", None)
    offered = Counter(
        kind
        for one in found
        for kind in (
            one.question.kind,
            "without an answer" if _is_none(one) else "answerable",
            "all",
        )
        if one.offered
    )
    names = (*(each.value for each in Worth), "offered")
    lines = [f"{'kind':20}{'n':>4}" + "".join(f"{name:>9}" for name in names)]
    for kind, counted in sorted(kinds.items(), key=lambda item: sum(item[1].values())):
        lines.append(
            f"{kind:20}{counted.total():4}"
            + "".join(f"{counted[each]:9}" for each in Worth)
            + f"{offered[kind]:9}"
        )
    return "\n".join(lines)


def _is_none(one: Outcome) -> bool:
    return one.question.answer is None


def main() -> int:
    """Ask, print and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", choices=SPLITS, default="dev")
    parser.add_argument("--details", action="store_true", help="print every question")
    wanted = parser.parse_args()
    split: str = wanted.split
    with tempfile.TemporaryDirectory(prefix="weft-tables-") as made:
        folder, home = Path(made) / "tables", Path(made) / "home"
        home.mkdir()
        (home / "cache").symlink_to(model_folder().resolve())
        absent = gather(folder, TOGETHER if split in TOGETHER else (split,))
        for name in absent:
            print(f"absent: {name} (gather_tables.py --fetch gets packages)", file=sys.stderr)
        found = ask_all(questions(split, absent), folder, home)
    for one in found if wanted.details else ():
        asked = one.question
        print(f"{one.worth.value:8}{asked.id} {asked.question}\n        {asked.answer}")
        print(f"        said: {one.short or '-'}  |  {' / '.join(one.sentences)[:200]}")
    print(by_kind(found))
    out = HERE / "out" / ("tables.json" if split == "dev" else f"tables-{split}.json")
    out.write_text(json.dumps([asdict(one) for one in found], ensure_ascii=False, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
