"""Cards of labelled lines, records and tables with questions on them, made of a public set's facts.

Articles have no labelled lines: without these nothing teaches that a label and a name are answered
by the line's value, and that a line which says the question's words alone says nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from random import Random

from strangers_base import SEED, StrangerQuestion

from weft.domain.evidence import Evidence
from weft.domain.ids import ChunkId, DocumentId
from weft.language.sentences import sentences
from weft.language.terms import terms, word_terms, words
from weft.retrieval.hits import Found, Hit, QuestionTerm

CARDS = "cards"
_LINES = 5
_OTHERS = 7
_ASKS = (
    "What is the {label} of {name}?",
    "Which {label} does {name} have?",
    "{name}: {label}?",
    "Tell me the {label} of {name}.",
    "Who or what is the {label} of {name}?",
)
_FORMS = ("lines", "record", "table", "items")


@dataclass(frozen=True, slots=True, kw_only=True)
class CardQuestion:
    """A question on a card, what was found for it, and the value that answers, if it is there."""

    question: StrangerQuestion
    found: Found
    line: str


def card_questions(data: Path, count: int) -> Iterator[CardQuestion]:
    """Yield questions on cards; of every third the line that answers was left out."""
    rows = [
        json.loads(line)
        for line in (data / "text2kgbench" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    facts = sorted({(t["sub"], t["rel"], t["obj"]) for row in rows for t in row["triples"]})
    rng = Random(SEED)
    for n in range(count):
        yield _card_question(facts, rng, gone=n % 3 == 0, number=n)


def _card_question(
    facts: Sequence[tuple[str, str, str]], rng: Random, *, gone: bool, number: int
) -> CardQuestion:
    form = rng.choice(_FORMS)
    names = rng.sample(sorted({name for name, _, _ in facts}), 1 + _OTHERS)
    labels = rng.sample(sorted({label for _, label, _ in facts}), _LINES)
    of = {label: [value for _, own, value in facts if own == label] for label in labels}
    cards = {name: {label: rng.choice(of[label]) for label in labels} for name in names}
    asked, label = names[0], labels[rng.randrange(_LINES)]
    value = cards[asked][label]
    if gone:
        del cards[asked][label]
        value = ""
    text = rng.choice(_ASKS).format(label=label, name=asked)
    hits = _ranked(text, [_hit(name, cards[name], form, n) for n, name in enumerate(names)])
    return CardQuestion(
        question=StrangerQuestion(
            id=f"card-{number}",
            dataset=CARDS,
            text=text,
            answers=(value,) if value else (),
            paragraph="",
            article=asked,
            answerable=True,
            gone="paragraph" if gone else "",
        ),
        found=Found(hits=tuple(hits), terms=tuple(_terms(text, hits)), passages=len(hits)),
        line=value,
    )


def _hit(name: str, card: dict[str, str], form: str, number: int) -> Hit:
    said = {
        "lines": [f"Name: {name}", *(f"{k.capitalize()}: {v}" for k, v in card.items())],
        "record": [f"name: {name}", *(f"{k}: {v}" for k, v in card.items())],
        "items": [f"# {name}", "", *(f"- **{k}:** {v}" for k, v in card.items())],
        "table": [
            f"| Name | {' | '.join(card)} |",
            f"|{'---|' * (len(card) + 1)}",
            f"| {name} | {' | '.join(card.values())} |",
        ],
    }[form]
    text = "\n".join(said)
    document = DocumentId(f"record:cards/{number}" if form == "record" else f"file:cards/{number}")
    title = name if form in ("items", "lines") and number % 2 else "Overview"
    evidence = Evidence(
        id=f"cards/{name}", knowledge_base="cards", document_id=document, document_type="file",
        title=title, uri=f"file:///cards/{number}", chunk_id=ChunkId(name), chunk_index=0,
        start=0, end=len(text), page=None, section=None, text=text, sentences=sentences(text),
        updated=None, score_kind="ranked", path=(),
    )  # fmt: skip
    return Hit(evidence=evidence, score=0.0, cosine=0.0, cosines=())


def _ranked(question: str, hits: Sequence[Hit]) -> list[Hit]:
    """Return passages by the share of the question's stems that they have."""
    asked = frozenset(terms(question))

    def score(hit: Hit) -> float:
        return len(asked & frozenset(terms(hit.evidence.text))) / max(1, len(asked))

    scored = [Hit(evidence=hit.evidence, score=score(hit), cosine=0.0, cosines=()) for hit in hits]
    return sorted(scored, key=lambda hit: -hit.score)


def _terms(question: str, hits: Sequence[Hit]) -> Iterator[QuestionTerm]:
    held = [frozenset(terms(f"{h.evidence.title}\n{h.evidence.text}")) for h in hits]
    n = len(hits)
    for word in words(question):
        for stem in word_terms(word):
            df = sum(stem in own for own in held)
            idf = log(1 + n / df) / log(1 + n) if df else 1.0
            yield QuestionTerm(stem=stem, words=(word,), df=df, idf=idf)
