"""Check the questions of questions.jsonl against the documents that are on this machine.

    python bench/manuals/check.py [--site FOLDER]

Prints the counts and what is wrong; ends with 1 where something is. The questions of documents
that are not here are counted, but their sentences cannot be looked up.
"""

import argparse
import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from gather import Manual, gathered, manuals

QUESTIONS = Path(__file__).parent / "questions.jsonl"
KINDS = frozenset("fact who when howmuch howto why yesno define list condition row option".split())
DOCUMENTS = {"teach": 54, "keep": 36}
ANSWERED, NEAR = 6, 2
"""How many questions with an answer and how many without one stand beside each document."""


@dataclass(frozen=True, slots=True)
class Question:
    """One line of the questions; `document` is empty where no document answers it."""

    id: str
    question: str
    document: str
    answers: list[str]
    unit: str
    kind: str
    near: str = ""

    @property
    def beside(self) -> str:
        """The document it was written beside."""
        return self.document or self.near


def squeezed(text: str) -> str:
    """The text with its white space collapsed to single blanks."""
    return " ".join(text.split())


def questions() -> list[Question]:
    """All questions, in their order."""
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()
    return [Question(**json.loads(line)) for line in lines]


def twice(names: list[str]) -> list[str]:
    """The names that stand more than once."""
    return [name for name, count in Counter(names).items() if count > 1]


def wrong_in_list(listed: list[Manual]) -> list[str]:
    """What is wrong with the list of documents."""
    wrong = [f"{name}: listed twice" for name in twice([manual.id for manual in listed])]
    parts = {(manual.package, manual.part) for manual in listed}
    wrong += [f"{name}: a package of both parts" for name in twice([name for name, _ in parts])]
    counts = Counter(manual.part for manual in listed)
    return wrong + ([f"documents: {dict(counts)}"] if counts != DOCUMENTS else [])


def wrong_in_question(question: Question, listed: set[str], texts: dict[str, str]) -> list[str]:
    """What is wrong with one question."""
    told = {
        f"kind {question.kind}": question.kind not in KINDS,
        f"no document {question.beside!r}": question.beside not in listed,
        "an answer without a document": not question.document and bool(question.answers),
        "a sentence without a document": not question.document and bool(question.unit),
        "a document without an answer": bool(question.document) and not question.answers,
        "no sentence": bool(question.document) and not question.unit,
        "white space in the sentence": question.unit != squeezed(question.unit),
        f"not in its document: {question.unit}": question.document in texts
        and question.unit not in texts[question.document],
    } | {
        f"not in its sentence: {answer}": answer not in question.unit for answer in question.answers
    }
    return [f"{question.id}: {what}" for what, wrong in told.items() if wrong]


def wrong_in_counts(asked: list[Question], listed: set[str]) -> list[str]:
    """What is wrong with how many questions stand beside each document."""
    counts = Counter((question.beside, bool(question.document)) for question in asked)
    found = {name: (counts[name, True], counts[name, False]) for name in sorted(listed)}
    return [
        f"{name}: {answered} answered, {near} near"
        for name, (answered, near) in found.items()
        if (answered, near) != (ANSWERED, NEAR)
    ]


def main() -> None:
    """Check, print the counts and what is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--site", action="append", default=[])
    site = parser.parse_args().site
    listed, asked = manuals(), questions()
    texts = {name: squeezed(text) for name, text in gathered(site).items()}
    names = {manual.id for manual in listed}
    part = {manual.id: manual.part for manual in listed}

    wrong = wrong_in_list(listed)
    wrong += [f"{name}: an id twice" for name in twice([question.id for question in asked])]
    wrong += [f"asked twice: {text}" for text in twice([question.question for question in asked])]
    for question in asked:
        wrong += wrong_in_question(question, names, texts)
    wrong += wrong_in_counts(asked, names)

    absent = sorted(names - texts.keys())
    print(f"{len(texts)} documents, {len(absent)} absent: {', '.join(absent)}")
    for name in DOCUMENTS:
        of_part = [question for question in asked if part.get(question.beside) == name]
        kinds = Counter(question.kind for question in of_part)
        near = sum(not question.document for question in of_part)
        print(f"{name}: {len(of_part)} questions, {near} of them near misses")
        print("  " + ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
    print("\n".join(wrong) or "nothing wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
