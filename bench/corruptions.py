"""Planted errors: a true sentence with exactly one thing changed so that it becomes false.

Seeded, and made from word lists of its own (`corruption_words.py`). Where it is unsure that the
change makes the sentence false, there is no corruption: nothing put in may occur in the passage.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from corruption_words import (
    ANTONYMS,
    CLAIMED,
    HEDGES,
    MONTHS,
    NUMBER_WORDS,
    ONE_WAY,
    ORDERS,
    ORDINALS,
    PLACES,
    PROFESSIONS,
    QUANTIFIERS,
    RELATIONS,
    UNITS,
    VERBS,
)

_WORD = re.compile(r"(?<![\w'’-])[^\W\d_]+(?![\w'’-])")
_YEAR = re.compile(r"(?<![\w,.$£€/–-])(?:1[0-9]{3}|20[0-4]\d)(?![\w%/–-]|,\d|\.\d)")
_NUMBER = re.compile(r"(?<![\w,./–-])\d{1,3}(?:,\d{3})*(?:\.\d+)?(?![\w,./–-]\w|\w)")
_MONTH = "|".join(MONTHS)
_DAY = re.compile(rf"(?:(?<=\b)(\d{{1,2}}) (?:{_MONTH})\b)|(?:\b(?:{_MONTH}) (\d{{1,2}})(?!\d))")
# Two to four capitalised words in a row.
NAME = r"[A-Z][^\W\d_]+(?:[ -](?:[A-Z]\.|[A-Z][^\W\d_]+)){1,3}(?!\w)"
_NAME = re.compile(rf"(?<![\w.-]){NAME}")
_ROLES = re.compile(
    rf"(?<![\w.-])(?P<a>{NAME})(?P<link>(?:\W[^.;]{{0,40}}?)?\b(?:{'|'.join(ONE_WAY)}) (?:the )?)"
    rf"(?P<b>{NAME})(?! (?:of|de|for) [A-Z]| ?[&-])"
)
# What stands before a name that is but the rest of a longer one.
_GOES_ON = re.compile(r"(?:[A-Z][\w.]*|\b(?:and|of|in|the|with|for|&))[ -]$")
_FIGURE = r"[$€£¥]?\d[\d,]*(?:\.\d+)?%?"
_RANGE = re.compile(rf"\bfrom (?P<a>{_FIGURE}) to (?P<b>{_FIGURE})(?![\w-])")
_AUXILIARY = re.compile(
    r"\b(is|was|are|were|can|could|will|would|should|did|does|do)(?= (?!not\b|n't|never\b)\w)"
)
_NEGATIVE = re.compile(
    r"\b(?:not|never|no|none|neither|nor|nobody|nothing|cannot|without|\w+n[’']t)\b"
)
_REMOVABLE = re.compile(
    r"\b(is|was|are|were|has|have|had|can|could|will|would|did|does|do) (not|never) "
    r"(?!only|just|until|necessarily|merely|to\b)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A stored text, its title, and names of the same and of other sorts from other passages."""

    title: str
    text: str
    names: Sequence[str]


Corrupt = Callable[[str, Passage, Random], Iterator[str]]


def corrupted(kind: str, sentence: str, *, passage: Passage, rng: Random) -> str | None:
    """Return the sentence with one error of a kind, or None where none can be planted surely."""
    for false in KINDS[kind](sentence, passage, rng):
        changed = _folded(false).rstrip(" .")
        says_so = re.search(rf"(?:^|[.!?] ){re.escape(changed)}", _folded(passage.text))
        if changed != _folded(sentence).rstrip(" .") and not says_so:
            return false
    return None


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _occurs(value: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.I) is not None


def _put(sentence: str, found: re.Match[str], new: str, *, group: int | str = 0) -> str:
    return sentence[: found.start(group)] + new + sentence[found.end(group) :]


def _shuffled(rng: Random, items: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    return rng.sample(items, len(items))


def _name(sentence: str, passage: Passage, rng: Random) -> Iterator[str]:
    """Put a name of another passage in place of one, or of its last word."""
    for found in _shuffled(rng, list(_NAME.finditer(sentence))):
        old = found.group().split()
        if len(old) < 2 or any(word in MONTHS for word in old):
            continue
        for new in rng.sample(passage.names, min(20, len(passage.names))):
            words = new.split()
            known = any(_occurs(word, passage.text + passage.title) for word in words)
            if known or len(words) != len(old):
                continue
            partly = rng.random() < 0.4
            yield _put(sentence, found, " ".join([*old[:-1], words[-1]]) if partly else new)
            break


def _place(sentence: str, passage: Passage, rng: Random) -> Iterator[str]:
    """Put another country, city, state or nationality in place of one."""
    for found in _shuffled(rng, list(_WORD.finditer(sentence))):
        group = next((group for group in PLACES if found.group() in group), None)
        if group is None:
            continue
        others = [name for name in group if not _occurs(name, passage.text + passage.title)]
        yield _put(sentence, found, rng.choice(others))


def _number(sentence: str, passage: Passage, rng: Random) -> Iterator[str]:
    """Put another number in place of one that is no year: as figures or in words."""
    figures = [m for m in _NUMBER.finditer(sentence) if not _is_in_date(sentence, m)]
    for found in _shuffled(rng, figures):
        for new in _near_numbers(found.group(), rng):
            if not _occurs(new, passage.text):
                yield _put(sentence, found, new)
                break
    for found in _shuffled(rng, list(_WORD.finditer(sentence))):
        group = next((g for g in (NUMBER_WORDS, ORDINALS) if found.group() in g), ())
        others = [word for word in group if not _occurs(word, passage.text)]
        if others:
            yield _put(sentence, found, rng.choice(others))


def _is_in_date(sentence: str, number: re.Match[str]) -> bool:
    before, after = sentence[: number.start()].split(), sentence[number.end() :].split()
    beside = {word.strip(",.()") for word in (*before[-1:], *after[:1])}
    return bool(beside & set(MONTHS)) or _YEAR.fullmatch(number.group()) is not None


def _near_numbers(number: str, rng: Random) -> Iterator[str]:
    """Yield numbers that look like one: one digit is another, or two are exchanged."""
    places = [place for place, char in enumerate(number) if char.isdigit()]
    for _ in range(12):
        place = rng.choice(places)
        lowest = 1 if place == 0 else 0
        digit = rng.choice([d for d in range(lowest, 10) if str(d) != number[place]])
        yield number[:place] + str(digit) + number[place + 1 :]


def _date(sentence: str, passage: Passage, rng: Random) -> Iterator[str]:
    """Put another year, month or day in place of one."""
    moves = [_year_moved, _month_moved, _day_moved]
    for move in rng.sample(moves, len(moves)):
        yield from move(sentence, passage, rng)


def _year_moved(sentence: str, passage: Passage, rng: Random) -> Iterator[str]:
    for found in _shuffled(rng, list(_YEAR.finditer(sentence))):
        steps = rng.sample([-40, -20, -10, -9, -3, -2, -1, 1, 2, 3, 9, 10, 20, 40], 10)
        years = (str(int(found.group()) + step) for step in steps)
        new = next((year for year in years if year not in passage.text), None)
        if new:
            yield _put(sentence, found, new)


def _month_moved(sentence: str, passage: Passage, rng: Random) -> Iterator[str]:
    """Move a month that stands beside a figure: `May` alone is also a word and a name."""
    pattern = re.compile(rf"(?:(?<=\d )(?:{_MONTH})\b)|(?:\b(?:{_MONTH})(?= \d))")
    for found in _shuffled(rng, list(pattern.finditer(sentence))):
        others = [month for month in MONTHS if not _occurs(month, passage.text)]
        if others:
            yield _put(sentence, found, rng.choice(others))


def _day_moved(sentence: str, passage: Passage, rng: Random) -> Iterator[str]:
    for found in _shuffled(rng, list(_DAY.finditer(sentence))):
        group = 1 if found.group(1) else 2
        others = [str(d) for d in range(1, 29) if not _occurs(str(d), passage.text)]
        if others and 1 <= int(found.group(group)) <= 31:
            yield _put(sentence, found, rng.choice(others), group=group)


def _negation(sentence: str, passage: Passage, rng: Random) -> Iterator[str]:
    """Take a `not` out, or put one in where there is none."""
    removable = list(_REMOVABLE.finditer(sentence))
    if removable:
        yield _put(sentence, removable[0], f"{removable[0].group(1)} ")
    if _NEGATIVE.search(sentence):
        return
    ways = [_auxiliary_negated, _verb_negated]
    for way in rng.sample(ways, len(ways)):
        yield from way(sentence, rng)


def _auxiliary_negated(sentence: str, rng: Random) -> Iterator[str]:
    found = _AUXILIARY.search(sentence)
    if found:
        word = found.group()
        short = {"can": "can't", "will": "won't"}.get(word, f"{word}n't")
        new = rng.choice([f"{word} not", f"{word} not", f"{word} never", short])
        yield _put(sentence, found, "cannot" if new == "can not" else new)


def _verb_negated(sentence: str, rng: Random) -> Iterator[str]:
    """Negate the first verb in the past that follows a name or a pronoun."""
    subject = rf"\b(?:He|She|It|They|he|she|it|they|who|[A-Z]\w+) (?P<verb>{'|'.join(VERBS)})\b"
    found = re.search(subject, sentence)
    if found and not sentence[found.end() :].startswith(" by"):
        verb = found.group("verb")
        new = rng.choice([f"did not {VERBS[verb][0]}", f"never {verb}"])
        yield _put(sentence, found, new, group="verb")


def _swap(sentence: str, passage: Passage, rng: Random) -> Iterator[str]:
    """Exchange the two sides of a relation that does not hold both ways."""
    both = [*_ROLES.finditer(sentence), *_RANGE.finditer(sentence)]
    for found in _shuffled(rng, both):
        a, b = found.group("a"), found.group("b")
        apart = not set(a.split()) & set(b.split()) and a.split()[0] not in PLACES[-1]
        apart = apart and not _GOES_ON.search(sentence[: found.start("a")])
        link = found.groupdict().get("link") or ""
        if apart and not re.search(r"\b(?:and|or)\b|, [A-Z]", link):
            middle = sentence[found.end("a") : found.start("b")]
            yield sentence[: found.start("a")] + b + middle + a + sentence[found.end("b") :]


def _voice(sentence: str, passage: Passage, rng: Random) -> Iterator[str]:
    """Turn `A was directed by B` into `A directed B`, and the other way round, roles exchanged."""
    passive = re.compile(
        rf"(?<![\w.-])(?:{NAME}|It|He|She|They) (?P<was>(?:was|is|were) "
        rf"(?P<done>{'|'.join(p for _, p in VERBS.values())}) by) (?=[A-Z])"
    )
    for found in passive.finditer(sentence):
        past = next(past for past, (_, done) in VERBS.items() if done == found.group("done"))
        yield _put(sentence, found, past, group="was")
    verbs = "|".join(VERBS.keys() - {"married"})
    active = re.compile(rf"(?<![\w.-])(?:{NAME}|He|She) (?P<verb>{verbs}) (?={NAME})")
    for found in active.finditer(sentence):
        done = VERBS[found.group("verb")][1]
        yield _put(sentence, found, f"was {done} by", group="verb")


def _antonym(sentence: str, passage: Passage, rng: Random) -> Iterator[str]:
    """Put its opposite in place of a word that is not part of a name."""
    for found in _shuffled(rng, list(_WORD.finditer(sentence))):
        opposites = ANTONYMS.get(found.group(), ())
        new = [word for word in opposites if not _occurs(word, passage.text)]
        if new and not sentence[: found.start()].endswith(("year ", "years ", "months ")):
            yield _put(sentence, found, rng.choice(new))


def _family(families: Sequence[Sequence[str]]) -> Corrupt:
    """Return the kind that puts another member of a family of words in place of one."""

    def corrupt(sentence: str, passage: Passage, rng: Random) -> Iterator[str]:
        for found in _shuffled(rng, list(_WORD.finditer(sentence))):
            group = [one for family in families if found.group() in family for one in family]
            new = [one for one in group if not _occurs(one, passage.text + passage.title)]
            if new:
                yield _put(sentence, found, rng.choice(new))

    return corrupt


def _phrase(pairs: Sequence[tuple[str, str]]) -> Corrupt:
    """Return the kind that puts one small phrase in place of another."""

    def corrupt(sentence: str, passage: Passage, rng: Random) -> Iterator[str]:
        for old, new in rng.sample(pairs, len(pairs)):
            at = sentence.find(old)
            if at >= 0:
                yield sentence[:at] + new + sentence[at + len(old) :]

    return corrupt


def _unattributed(sentence: str, passage: Passage, rng: Random) -> Iterator[str]:
    """Say as a fact what somebody only claimed, believed or denied."""
    found = re.search(rf"\b(?:{CLAIMED}) that (?P<claim>[^,;\"”]+)\.$", sentence)
    if found and len(found.group("claim").split()) > 4:
        claim = found.group("claim")
        yield f"{claim[0].upper()}{claim[1:]}."


KINDS: dict[str, Corrupt] = {
    "name": _name,
    "number": _number,
    "date": _date,
    "negation": _negation,
    "swapped roles": _swap,
    "antonym": _antonym,
    "place": _place,
    "voice": _voice,
    "unit": _family(UNITS),
    "category": _family(PROFESSIONS),
    "relation": _family(RELATIONS),
    "quantifier": _phrase(QUANTIFIERS),
    "hedge": _phrase(HEDGES),
    "order": _phrase(ORDERS),
    "attribution": _unattributed,
}
