"""Is a sentence one that follows from another by leaving things out? Word by word, by rules.

A claim is derived from a source sentence when each of its words stands there in the same order (as
it is, inflected, or as a listed synonym) and what it leaves out may be left out: a phrase with its
preposition, a clause between commas, an adjective; never a negation, a condition, a modal verb, a
hedge, who says so, or half of a name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import pairwise

from weft.domain.frozen import dataclass
from weft.verification.lexicon import lexicon
from weft.verification.omission import Omission, is_guarded, may_go, without_parentheses
from weft.verification.words import Word, WordKind, same

_CONTENT, _SMALL, _ADJACENT = 3.0, 1.0, 0.125
_ARTICLES = frozenset({"a", "an", "the"})
_NEVER = float("-inf")


class SupportGate(StrEnum):
    """What a claim fails at."""

    NUMBER = "number"
    NAME = "name"
    NEGATION = "negation"
    RELATION = "relation"
    OMISSION = "omission"
    ORDER = "order"
    WORDING = "wording"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A gate that a claim does not pass, and the word it fails at."""

    gate: SupportGate
    word: Word


def faults(claim: Sequence[Word], source: Sequence[Word]) -> list[Fault]:
    """Return why a claim does not follow from one source sentence; nothing when it does.

    Both are tried in the active voice and with a leading phrase put behind; the reading with the
    fewest faults counts.
    """
    hopeless = _absent(claim, source)
    if hopeless:
        return hopeless
    best: list[Fault] | None = None
    bare = without_parentheses(_heavy(source))
    sources = [*_readings(_heavy(source)), *(_readings(bare) if len(bare) < len(source) else ())]
    for said in _readings(_heavy(claim)):
        for stands in sources:
            found = _compare(said, stands)
            if not found:
                return []
            if best is None or len(found) < len(best):
                best = found
    # A rule or a fence is a sentence without words: from it nothing follows.
    return _uncovered(claim, source) if best is None else best


def _absent(claim: Sequence[Word], source: Sequence[Word]) -> list[Fault]:
    """Return the words of the claim in doubt when one that must stand in the source does not."""
    found = _uncovered(claim, source)
    return found if any(fault.word.is_exact for fault in found) else []


def _uncovered(claim: Sequence[Word], source: Sequence[Word]) -> list[Fault]:
    lacking = [word for word in claim if not any(same(word, other) for other in source)]
    return [Fault(gate=_gate(word, source), word=word) for word in lacking if _counts(word)]


def _counts(word: Word) -> bool:
    return word.is_content or word.kind is WordKind.NEGATION


def _heavy(words: Sequence[Word]) -> list[Word]:
    """Return the words without articles; a break before one stands before the next."""
    found: list[Word] = []
    broken = led = False
    for word in words:
        if word.kind in (WordKind.FILLER, WordKind.RELATION) and lexicon().has("light", word.form):
            broken, led = broken or word.broken, led or word.form in _ARTICLES
            continue
        found.append(replace(word, broken=word.broken or broken, led=led))
        broken = led = False
    return found


def _compare(claim: list[Word], source: list[Word]) -> list[Fault]:
    pairs = _aligned(claim, source)
    taken = {mine for mine, _ in pairs}
    found = [
        Fault(gate=_gate(word, source), word=word)
        for place, word in enumerate(claim)
        if place not in taken
    ]
    reworded = [fault.word for fault in found if fault.gate is SupportGate.WORDING]
    gone = _runs(source, [at for _, at in pairs])
    unfair = [gap for gap in gone if not may_go(gap) and not _is_reworded(gap, reworded)]
    return found + [_left_out(gap) for gap in unfair]


def _is_reworded(gap: Omission, reworded: Sequence[Word]) -> bool:
    """Tell whether other words of the claim, themselves in doubt, may stand for what is left out.

    No name, figure or small word can be put in other words.
    """
    plain = all(word.kind in (WordKind.WORD, WordKind.FILLER) for word in gap.words)
    return plain and bool(reworded) and not any(is_guarded(word) for word in gap.words)


def _gate(word: Word, source: Sequence[Word]) -> SupportGate:
    """Return what is wrong with a word of a claim that has no counterpart in its place."""
    known = any(same(replace(word, role=other.role), other) for other in source)
    if known and word.kind is not WordKind.FILLER:
        return SupportGate.ORDER
    match word.kind:
        case WordKind.NUMBER:
            return SupportGate.NUMBER
        case WordKind.NAME:
            return SupportGate.NAME
        case WordKind.NEGATION:
            return SupportGate.NEGATION
        case WordKind.RELATION:
            return SupportGate.RELATION
        case _:
            return SupportGate.WORDING


def _left_out(gap: Omission) -> Fault:
    said = next((word for word in gap.words if word.kind is WordKind.NEGATION), None)
    if said is not None:
        return Fault(gate=SupportGate.NEGATION, word=said)
    return Fault(gate=SupportGate.OMISSION, word=gap.words[0])


def _aligned(claim: Sequence[Word], source: Sequence[Word]) -> list[tuple[int, int]]:
    """Return the places of the words that correspond, in order: the most, and the closest."""
    rows, columns = len(claim), len(source)
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    ending = [[_NEVER] * (columns + 1) for _ in range(rows + 1)]
    for i, mine in enumerate(claim, start=1):
        weight = _CONTENT if _counts(mine) else _SMALL
        row, above = best[i], best[i - 1]
        for j, theirs in enumerate(source, start=1):
            if same(mine, theirs):
                before = max(above[j - 1], ending[i - 1][j - 1] + _ADJACENT)
                ending[i][j] = before + weight
            row[j] = max(above[j], row[j - 1], ending[i][j])
    return _traced(best, ending)


def _traced(
    best: Sequence[Sequence[float]], ending: Sequence[Sequence[float]]
) -> list[tuple[int, int]]:
    """Return the pairs of the best alignment; one that follows another at once is taken first."""
    i, j = len(best) - 1, len(best[0]) - 1
    pairs: list[tuple[int, int]] = []
    bonus = 0.0
    while i and j:
        if ending[i][j] > _NEVER and ending[i][j] + bonus >= best[i][j]:
            pairs.append((i - 1, j - 1))
            i, j, bonus = i - 1, j - 1, _ADJACENT
        elif best[i - 1][j] >= best[i][j - 1]:
            i, bonus = i - 1, 0.0
        else:
            j, bonus = j - 1, 0.0
    return pairs[::-1]


def _runs(source: Sequence[Word], kept: Sequence[int]) -> Iterator[Omission]:
    """Yield the stretches of the source that a claim leaves out."""
    edges = [-1, *kept, len(source)]
    for left, right in pairwise(edges):
        if right - left > 1:
            after = source[right] if right < len(source) else None
            yield Omission(
                words=tuple(source[left + 1 : right]),
                before=source[left] if left >= 0 else None,
                after=after,
                closed=after is None or after.broken,
            )


def _readings(words: list[Word]) -> Iterator[list[Word]]:
    """Yield a sentence as it stands, with its leading phrase behind, and in the active voice."""
    for reading in (words, _unfronted(words)):
        if reading:
            yield reading
            active = _active(reading)
            if active:
                yield active


def _unfronted(words: list[Word]) -> list[Word]:
    """Return "In 1932, X did Y" as "X did Y in 1932"; nothing when it begins otherwise."""
    end = next((at for at, word in enumerate(words) if at and word.broken), 0)
    if not end or words[0].kind is not WordKind.RELATION or not words[0].first:
        return []
    phrase = [replace(word, broken=False) for word in words[:end]]
    pairs = pairwise(words[end:])
    if any(word.broken and not (before.bracketed or word.bracketed) for before, word in pairs):
        return []
    if not _is_plain(phrase):
        return []
    return [*words[end:], *phrase]


def _is_plain(phrase: Sequence[Word]) -> bool:
    """Tell whether a phrase is a preposition and what it governs: no verb can be in it."""
    return all(word.kind in (WordKind.NUMBER, WordKind.NAME, WordKind.RELATION) for word in phrase)


def _active(words: list[Word]) -> list[Word]:
    """Return "X was opened by Y ..." as "Y opened X ..."; nothing for other sentences."""
    be = next((at for at, word in enumerate(words) if _is_be(word)), 0)
    by = next((at for at, word in enumerate(words) if at > be + 1 and word.form == "by"), 0)
    if not be or not by or any(word.broken for word in words[1:by]):
        return []
    end = by + 1
    while end < len(words) and _names_on(words, at=end):
        end += 1
    verb = words[be + 1]
    if end == by + 1 or verb.kind is not WordKind.WORD or verb.form.endswith("ing"):
        return []
    agent = [replace(words[by + 1], broken=True), *words[by + 2 : end]]
    return [
        *agent,
        verb,
        replace(words[0], broken=False),
        *words[1:be],
        *words[be + 2 : by],
        *words[end:],
    ]


def _names_on(words: Sequence[Word], *, at: int) -> bool:
    """Tell whether an agent's name goes on at a place: a name, or "and" before another one."""
    word = words[at]
    if word.kind is WordKind.NAME:
        return not word.broken
    joins = word.form in ("and", "of") and at + 1 < len(words)
    return joins and words[at + 1].kind is WordKind.NAME and words[at - 1].kind is WordKind.NAME


def _is_be(word: Word) -> bool:
    return word.kind is WordKind.FILLER and lexicon().has("forms_of_be", word.form)
