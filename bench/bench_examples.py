"""What answers on the example organisation are worth: shown, refused, and nothing leaked.

`bench_examples.py [--failures]`: ingests both example knowledge bases once into a
workspace that is kept while documents and settings stay the same, asks every question of
`examples/questions.jsonl` with its asker's scope, prints the figures by kind and language, and
writes `bench/out/examples.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from retrieval_bases import cache_folder, model_folder

from weft.bootstrap.app import App, load_settings, open_app
from weft.bootstrap.flows import build_flows
from weft.domain.answer import Answer
from weft.domain.answer import Outcome as AnswerOutcome
from weft.domain.ids import digest
from weft.domain.scope import Scope
from weft.flows.asking import Asking
from weft.platform.identity import LOCAL_TENANT, OWNER_PERMISSIONS, local_owner, principal_scope
from weft.sdk.weft import Weft

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
OUT = Path(__file__).parent / "out" / "examples.json"
BASES = ("handbook", "engineering")
# Of what was found instead of an answer so many count.
NEAREST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question of the examples: `accepted` is how its answer may be written.

    `evidence` are the words that a worked-out answer stands on, `hidden` what the asker may not
    read.
    """

    id: str
    text: str
    kb: str
    kind: str
    language: str
    readers: tuple[str, ...]
    accepted: tuple[str, ...]
    evidence: tuple[str, ...]
    hidden: tuple[str, ...]
    answerable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A question and what the product answered."""

    question: Question
    answer: Answer

    @property
    def is_shown(self) -> bool:
        """Tell whether the answer stands in the cited sentences or the nearest, or is stated.

        A worked-out answer that is not stated is shown when all words that it stands on are.
        """
        if any(same(self.answer.short, one) for one in self.question.accepted):
            return True
        shown = [sentence.text for sentence in self.answer.sentences]
        said = "\n".join([*shown, *(one.snippet for one in self.answer.nearest[:NEAREST])])
        if self.question.evidence:
            return all(stands(part, said) for part in self.question.evidence)
        return any(stands(one, said) for one in self.question.accepted)

    @property
    def is_right(self) -> bool:
        """Tell whether the answer is shown, or refused where there is none."""
        return self.is_shown if self.question.answerable else self.answer.refused

    @property
    def leaked(self) -> tuple[str, ...]:
        """Return what the answer says that the asker may not read."""
        parts = [self.answer.answer, self.answer.short, *self.answer.notes]
        parts += [c.snippet for s in self.answer.sentences for c in s.citations]
        parts += [one.snippet for one in self.answer.nearest]
        return tuple(one for one in self.question.hidden if stands(one, "\n".join(parts)))


def stands(part: str, text: str) -> bool:
    """Tell whether words stand in a text, no letter or figure of an alphabet touching them."""
    words = re.escape(" ".join(part.split()).casefold())
    flat = " ".join(text.split()).casefold()
    return bool(part) and re.search(rf"(?<![a-z0-9]){words}(?![a-z0-9])", flat) is not None


def same(short: str, accepted: str) -> bool:
    """Tell whether a stated answer is an accepted one."""
    return bool(short) and " ".join(short.split()).casefold() == accepted.casefold()


def read_questions() -> list[Question]:
    """Return the questions in the order of their file."""
    lines = (EXAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        Question(
            id=row["id"],
            text=row["question"],
            kb=row["kb"],
            kind=row["kind"],
            language=row["language"],
            readers=tuple(row["as"]),
            accepted=(row["answer"], *row["aliases"]) if row["answer"] else (),
            evidence=tuple(row.get("evidence", ())),
            hidden=tuple(row.get("hidden", ())),
            answerable=row["answerable"],
        )
        for row in map(json.loads, lines)
    ]


def scope_of(question: Question) -> Scope:
    """Return the scope of a question's asker."""
    [actor] = [one for one in question.readers if one.startswith("user:")]
    groups = [one for one in question.readers if one.startswith("group:")]
    return principal_scope(
        tenant=LOCAL_TENANT, actor=actor, groups=groups, permissions=OWNER_PERMISSIONS
    )


def workspace() -> Path:
    """Return a workspace with both knowledge bases, made by the product if it is not there."""
    files = (path for path in EXAMPLES.rglob("*") if path.is_file())
    key = digest(*(digest(str(path), path.read_bytes().hex()) for path in sorted(files)))[:10]
    home = cache_folder() / f"examples-{key}"
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "cache").exists():
        (home / "cache").symlink_to(model_folder().resolve())
    if not (home / "complete").exists():
        fill(home)
        (home / "complete").touch()
    return home


def fill(home: Path) -> None:
    """Bring both knowledge bases into a workspace, as the product does."""
    for name in BASES:
        with Weft.open(EXAMPLES / name, home=home) as opened:
            print(name, opened.sync())


async def ask_all(questions: Sequence[Question], home: Path) -> list[Outcome]:
    """Return the outcomes of the questions, each asked of its own knowledge base."""
    app = await open_app(load_settings(home))
    try:
        return [outcome for name in BASES for outcome in await _ask_base(app, name, questions)]
    finally:
        await app.close()


async def _ask_base(app: App, name: str, questions: Sequence[Question]) -> list[Outcome]:
    own = [question for question in questions if question.kb == name]
    if not own:
        return []
    store = await app.library.of_folder(local_owner(), EXAMPLES / name)
    flows = build_flows(app)
    outcomes = []
    for one in own:
        asking = Asking(question=one.text, knowledge_bases=(store.name,))
        answer = (await flows.run(scope_of(one), asking)).answer
        outcomes.append(Outcome(question=one, answer=answer))
    return outcomes


def row_of(name: str, outcomes: Sequence[Outcome]) -> dict[str, object]:
    """Return the figures of some outcomes, shares in 0 to 1."""
    open_ = [one for one in outcomes if one.question.answerable]
    closed = [one for one in outcomes if not one.question.answerable]
    return {
        "name": name,
        "answerable": len(open_),
        "shown": _share(one.is_shown for one in open_),
        "answered": _share(not one.answer.refused for one in open_),
        "lost": _share(one.answer.outcome is AnswerOutcome.NOTHING for one in open_),
        "unanswerable": len(closed),
        "refused": _share(one.answer.refused for one in closed),
        "leaked": sum(bool(one.leaked) for one in outcomes),
    }


def _share(values: Iterable[bool]) -> float | None:
    found = list(values)
    return round(sum(found) / len(found), 4) if found else None


def rows_of(outcomes: Sequence[Outcome]) -> list[dict[str, object]]:
    """Return the figures of all, by language and by kind."""
    rows = [row_of("all", outcomes)]
    by: tuple[Callable[[Outcome], str], ...] = (
        lambda one: one.question.language,
        lambda one: one.question.kind,
    )
    for of in by:
        rows += [
            row_of(value, [one for one in outcomes if of(one) == value])
            for value in dict.fromkeys(map(of, outcomes))
        ]
    return rows


def show(rows: Sequence[dict[str, object]]) -> None:
    """Print figures as a table, shares in percent."""
    print("               answerable shown  answered lost   unanswerable refused  leaked")
    for row in rows:
        shown, answered, lost, refused = (
            "    –" if row[name] is None else f"{100 * float(str(row[name])):5.1f}"
            for name in ("shown", "answered", "lost", "refused")
        )
        print(
            f"{row['name']:<18}{row['answerable']:>7} {shown}    {answered} {lost}   "
            f"{row['unanswerable']:>12}   {refused}  {row['leaked']:>6}"
        )


def show_failures(outcomes: Sequence[Outcome]) -> None:
    """Print the questions that went wrong, with what was answered."""
    for one in outcomes:
        if one.is_right and not one.leaked:
            continue
        wanted = one.question.accepted if one.question.answerable else "a refusal"
        print(f"\n{one.question.id} {one.question.kind}: {one.question.text}\n  wanted {wanted}")
        print(f"  short {one.answer.short!r}  missing {one.answer.missing} leaked {one.leaked}")
        for sentence in one.answer.sentences:
            print(f"  - {' '.join(sentence.text.split())[:220]}")


def main() -> None:
    """Ask, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--failures", action="store_true", help="print what went wrong")
    wanted = parser.parse_args()
    outcomes = asyncio.run(ask_all(read_questions(), workspace()))
    rows = rows_of(outcomes)
    if wanted.failures:
        show_failures(outcomes)
    show(rows)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps({"rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
