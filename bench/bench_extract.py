"""Measure the rules that find and type names: precision, recall, F1 and speed.

Reads Re-DocRED's development documents from `$DATA/redocred` (default `../shared/data`).
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from weft.domain.document import Chunk, Span, chunk_id
from weft.domain.ids import DocumentId
from weft.extraction.rules.mentions import mentions
from weft.ontology.catalog import load_baseline

KINDS = {
    "person": "PER",
    "organization": "ORG",
    "place": "LOC",
    "nationality": "LOC",
    "date": "TIME",
    "amount": "NUM",
}
CLOSE = set(".,;:!?)]}%'’") | {"'s", "n't", "’s"}
OPEN = set("([{$£€")
Gold = dict[tuple[int, int], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A document with its text as people write it and the spans of its entities."""

    title: str
    text: str
    sentences: tuple[Span, ...]
    gold: Gold


def samples(path: Path) -> Iterator[Sample]:
    """Yield the documents of a Re-DocRED file, their tokens joined to text."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield sample(json.loads(line))


def sample(row: dict) -> Sample:  # type: ignore[type-arg]
    """Return one document: offsets of each token are kept while the text is joined."""
    text, sentences, places = "", [], []
    for tokens in row["sents"]:
        text += " " if text else ""
        first, row_places, quoted, glue = len(text), [], False, True
        for token in tokens:
            closing = token in CLOSE or (token == '"' and quoted)
            if not glue and not closing and token not in "-–—/":
                text += " "
            row_places.append((len(text), len(text) + len(token)))
            text += token
            glue = token in OPEN or token in "-–—/" or (token == '"' and not quoted)
            quoted ^= token == '"'
        sentences.append(Span(start=first, end=len(text)))
        places.append(row_places)
    gold = {
        (places[sent][start][0], places[sent][end - 1][1]): entity["type"]
        for entity in row["entities"]
        for _, sent, start, end in entity["mentions"]
    }
    return Sample(title=row["title"], text=text, sentences=tuple(sentences), gold=gold)


def found(each: Sample) -> Gold:
    """Return the spans that the rules find, with their kind in Re-DocRED's terms."""
    document = DocumentId(f"file:bench/{each.title}")
    chunk = Chunk(
        id=chunk_id(document, each.text, chunk_index=0),
        document_id=document,
        chunk_index=0,
        text=each.text,
        start=0,
        end=len(each.text),
        sentences=each.sentences,
    )
    said = mentions([chunk], load_baseline(), text=each.text, title=each.title)
    return {(m.start, m.end): KINDS.get(m.entity_class, "MISC") for m in said}


def report(name: str, right: int, *, said: int, there: int) -> None:
    """Print precision, recall and F1 in percent."""
    precision, recall = right / max(said, 1), right / max(there, 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    print(f"{name:14} P {precision:6.1%}  R {recall:6.1%}  F1 {f1:6.1%}")


def main() -> None:
    """Measure all development documents; `-v` lists the most frequent errors too."""
    data = Path(os.environ.get("DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    documents = list(samples(data / "redocred" / "dev.jsonl.gz"))
    found(documents[0])
    start = time.process_time()
    said = [found(each) for each in documents]
    took = time.process_time() - start
    characters = sum(len(each.text) for each in documents)
    spans = sum(
        len(each.gold.keys() & mine.keys()) for each, mine in zip(documents, said, strict=True)
    )
    typed = sum(
        len(each.gold.items() & mine.items()) for each, mine in zip(documents, said, strict=True)
    )
    total_said, total_there = sum(map(len, said)), sum(len(each.gold) for each in documents)
    report("untyped", spans, said=total_said, there=total_there)
    report("typed", typed, said=total_said, there=total_there)
    print(f"type accuracy on right spans {typed / spans:.1%}")
    for kind in ("PER", "ORG", "LOC", "TIME", "NUM", "MISC"):
        there = [
            (n, s) for n, each in enumerate(documents) for s, k in each.gold.items() if k == kind
        ]
        hit = sum(s in said[n] for n, s in there)
        good = sum(said[n].get(s) == kind for n, s in there)
        print(f"{kind:5} recall {hit / len(there):.1%}, typed {good / len(there):.1%}")
    print(f"{took * 1e6 / characters:.2f} ms per 1,000 characters")
    if "-v" in sys.argv:
        errors(documents, said)


def errors(documents: list[Sample], said: list[Gold]) -> None:
    """Print the most frequent spans that are wrong, missed, or of the wrong kind."""
    wrong: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    mistyped: Counter[str] = Counter()
    for each, mine in zip(documents, said, strict=True):
        wrong.update(f"{each.text[s:e]}|{mine[s, e]}" for s, e in mine.keys() - each.gold.keys())
        missed.update(
            f"{each.text[s:e]}|{each.gold[s, e]}" for s, e in each.gold.keys() - mine.keys()
        )
        both = each.gold.keys() & mine.keys()
        mistyped.update(f"{each.gold[k]}>{mine[k]}" for k in both if each.gold[k] != mine[k])
    print("wrong", wrong.most_common(150))
    print("missed", missed.most_common(150))
    print("mistyped", mistyped.most_common(20))


if __name__ == "__main__":
    main()
