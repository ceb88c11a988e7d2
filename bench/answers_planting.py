"""Planted errors that are noticed, and true sentences that pass: shares of both by kind."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from answers_checking import Verifier
from corruptions import KINDS, NAME, Passage, corrupted
from paraphrases import Original, originals, sentences_of
from retrieval_bases import SETS

SEED = 20_260
# At most so many errors of a kind, over the three corpora in equal parts.
PER_KIND = 300
# Kinds that few sentences allow: all sentences of a passage are tried for them.
RARE = frozenset({"voice", "attribution", "hedge"})
# True sentences are of so many passages for each error of a kind.
PASSAGES_PER_ERROR = 10
# Ways that keep the order of what is said, as the tier `close` asks; the others are shown beside.
CLOSE_WAYS = frozenset(
    {"quotation", "without brackets", "clause trimmed", "date restyled", "number restyled"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """Errors of one kind, planted in sentences that were accepted without them."""

    kind: str
    n: int
    detected: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """True sentences of one way of saying, and the share that was accepted."""

    way: str
    n: int
    accepted: float


@dataclass(slots=True)
class Tally:
    """What was tried so far; `missed` and `refused` are kept to be looked at."""

    planted: Counter[str] = field(default_factory=Counter)
    detected: Counter[str] = field(default_factory=Counter)
    said: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    missed: list[tuple[str, str, str]] = field(default_factory=list)
    refused: list[tuple[str, str, str]] = field(default_factory=list)

    def rows(self) -> tuple[list[Planted], list[Accepted]]:
        """Return what was counted as shares."""
        planted = [
            Planted(kind=kind, n=n, detected=_share(self.detected[kind], n))
            for kind, n in self.planted.items()
        ]
        accepted = [
            Accepted(way=way, n=n, accepted=_share(self.accepted[way], n))
            for way, n in self.said.items()
        ]
        return planted, accepted

    def pooled(self) -> float:
        """Return the share of quotations and close paraphrases that was accepted."""
        return _share(
            sum(self.accepted[way] for way in CLOSE_WAYS), sum(self.said[way] for way in CLOSE_WAYS)
        )


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def plant(data: Path, *, limit: int = 0) -> Tally:
    """Say true sentences of the three corpora and plant errors in them; count what is noticed."""
    per_kind = max(1, (limit or PER_KIND) // len(SETS))
    with closing(Verifier()) as verifier:
        bench = Bench(verifier=verifier)
        for name in SETS:
            passages = _passages(data / name / "corpus.jsonl.gz")
            bench.rng = Random(f"{SEED} {name}")
            left = Counter(dict.fromkeys(KINDS, per_kind))
            shuffled = bench.rng.sample(passages, len(passages))
            for passage in shuffled[: per_kind * PASSAGES_PER_ERROR]:
                bench.say(passage)
            for passage in shuffled:
                for kind in [kind for kind in KINDS if left[kind] > 0]:
                    left[kind] -= bench.plant(kind, passage)
        return bench.tally


def _passages(corpus: Path) -> list[Passage]:
    with gzip.open(corpus, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    common = {word for row in rows for word in re.findall(r"\b[a-z]+\b", row["text"])}
    names = sorted(
        {
            row["title"]
            for row in rows
            if re.fullmatch(NAME, row["title"])
            and common.isdisjoint(row["title"].casefold().split())
        }
    )
    return [Passage(title=row["title"], text=row["text"], names=names) for row in rows]


@dataclass(slots=True, kw_only=True)
class Bench:
    """The verifier, the dice, and what was counted."""

    verifier: Verifier
    rng: Random = field(default_factory=Random)
    tally: Tally = field(default_factory=Tally)

    def say(self, passage: Passage) -> None:
        """Say a sentence of a passage in each way, and all of them in those that few allow."""
        found = sentences_of(passage.text)
        chosen = self.rng.choice(found) if found else ""
        for sentence in found:
            for original in originals(sentence):
                if sentence == chosen or original.way not in CLOSE_WAYS:
                    self._say(original, passage)

    def _say(self, original: Original, passage: Passage) -> None:
        self.tally.said[original.way] += 1
        if self.verifier.accepts(original.text, passage.text):
            self.tally.accepted[original.way] += 1
        else:
            self.tally.refused.append((original.way, original.quoted, original.text))

    def plant(self, kind: str, passage: Passage) -> int:
        """Plant an error in one sentence of a passage, said in some way; return how many: 0 or 1.

        A sentence that is not accepted without the error does not count.
        """
        found = sentences_of(passage.text)
        tries = len(found) if kind in RARE else 1
        for sentence in self.rng.sample(found, min(tries, len(found))):
            true = self.rng.choice(list(originals(sentence))).text
            false = corrupted(kind, true, passage=passage, rng=self.rng)
            if false is not None and self.verifier.accepts(true, passage.text):
                self._count(kind, true, false=false, passage=passage)
                return 1
        return 0

    def _count(self, kind: str, true: str, *, false: str, passage: Passage) -> None:
        self.tally.planted[kind] += 1
        if self.verifier.accepts(false, passage.text):
            self.tally.missed.append((kind, true, false))
        else:
            self.tally.detected[kind] += 1


def show_planted(tally: Tally, examples: int) -> None:
    """Print the shares, and some of what went wrong."""
    planted, accepted = tally.rows()
    for row in planted:
        print(f"corruption {row.kind:17}{row.n:>6}{100 * row.detected:>8.1f} % detected")
    for way in accepted:
        print(f"original   {way.way:17}{way.n:>6}{100 * way.accepted:>8.1f} % accepted")
    _show_cases("missed", tally.missed, examples)
    _show_cases("refused", tally.refused, examples)


def _show_cases(title: str, cases: Iterable[tuple[str, str, str]], examples: int) -> None:
    rng, by_kind = Random(SEED), dict[str, list[tuple[str, str]]]()
    for kind, true, other in cases:
        by_kind.setdefault(kind, []).append((true, other))
    for kind, own in by_kind.items():
        for true, other in rng.sample(own, min(examples, len(own))):
            print(f"{title}, {kind}:\n    {true}\n    {other}")
