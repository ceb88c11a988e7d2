"""Units with their stems and signs, read once a passage and kept while it is asked about."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache

from weft.domain.document import Span
from weft.domain.frozen import dataclass
from weft.language.blocks.lines import label_of
from weft.language.patterns import pattern
from weft.language.terms import terms, word_terms
from weft.offline.question.question import spelt
from weft.offline.units.kinds import signs_in
from weft.offline.units.unit import AnswerUnit, units_of
from weft.retrieval.hits import Hit

# What makes a word with the one behind it, with or without a hyphen: e-mail, re-use.
PREFIX_OF_WORD = r"\b(?:anti|co|e|inter|multi|non|pre|re|semi|sub)-(?=[^\W\d_]{3})"
_WORD = pattern(r"[^\W_]+(?:['’][^\W\d_]+)?")
_HYPHENED = pattern(rf"(?:{PREFIX_OF_WORD})?{_WORD.pattern}", re.IGNORECASE)
# Link addresses and signs of emphasis, blanked so that offsets stay.
_UNSAID = pattern(r"\]\([^)]*\)|https?://\S+|[*_`|#]+")
_NEAR = 60  # characters around a sign
_LABEL = 40
PREFIX = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """A sign of an answer's kind: the stems in it, and from which to which of its unit are near."""

    stems: frozenset[str]
    near: tuple[int, int]


class UnitSigns:
    """The signs in a unit, looked for when a question first asks for what they are a sign of."""

    __slots__ = ("_found", "_placed", "_said")

    def __init__(self, said: str, placed: Sequence[tuple[int, str]]) -> None:
        """Take what the unit says, and its stems with where their words begin."""
        self._said = said
        self._placed = placed
        self._found: dict[str, tuple[Sign, ...]] = {}

    def of(self, name: str) -> tuple[Sign, ...]:
        """Return the signs of something; of those near the same words only the first."""
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._look(name)
        return found

    def _look(self, name: str) -> tuple[Sign, ...]:
        starts = [at for at, _ in self._placed]
        found: dict[tuple[int, int], Sign] = {}
        for start, end in signs_in(self._said, name):
            near = bisect_left(starts, start - _NEAR), bisect_left(starts, end + _NEAR)
            if near not in found:
                within = self._placed[bisect_left(starts, start) : bisect_left(starts, end)]
                found[near] = Sign(stems=frozenset(stem for _, stem in within), near=near)
        return tuple(found.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadUnit:
    """A unit with its stems in order, those of what it stands under, and its signs.

    `sentences` are the first and last sentence of the passage that it touches; `prefixes` are the
    beginnings of its longer stems, `label` the stems of what stands before its colon.
    """

    unit: AnswerUnit
    stems: tuple[str, ...]
    held: frozenset[str]
    head: frozenset[str]
    before: frozenset[str]
    prefixes: frozenset[str]
    signs: UnitSigns
    label: frozenset[str]
    sentences: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageUnits:
    """A passage's units, and the stems of its text, title and section."""

    units: tuple[ReadUnit, ...]
    stems: frozenset[str]
    place: frozenset[str]


def read_units(hit: Hit) -> PassageUnits:
    """Return a passage's units, from memory where the same text was asked about before."""
    evidence = hit.evidence
    above = f"{evidence.title}\n{evidence.section or ''}"
    return _read(evidence.text, above, evidence.sentences, is_row(hit))


def is_row(hit: Hit) -> bool:
    """Tell whether a passage is a row of a table, whose fields say one thing together."""
    if not hit.evidence.document_id.startswith("record:"):
        return False
    lines = [line for line in hit.evidence.text.splitlines() if line.strip()]
    return len(lines) > 1 and sum(bool(label_of(line.strip())) for line in lines) * 2 > len(lines)


@lru_cache(maxsize=4096)
def _read(text: str, above: str, spans: tuple[Span, ...], record: bool) -> PassageUnits:
    place = frozenset(map(spelt, terms(above)))
    found = tuple(
        _read_unit(text, unit, place=place, spans=spans)
        for unit in units_of(text, spans=spans, record=record)
    )
    return PassageUnits(units=found, stems=_stems(text) | place, place=place)


def _read_unit(
    text: str, unit: AnswerUnit, *, place: frozenset[str], spans: tuple[Span, ...]
) -> ReadUnit:
    said = text[unit.start : unit.end]
    placed = _placed(said)
    head = place.union(*(_stems(one) for one in unit.heads))
    stems = tuple(stem for _, stem in placed)
    return ReadUnit(
        unit=unit,
        stems=stems,
        held=frozenset(stems),
        head=head,
        before=_stems(unit.before),
        prefixes=frozenset(stem[:PREFIX] for stem in stems if len(stem) >= PREFIX),
        signs=UnitSigns(said, placed),
        label=_label(said),
        sentences=_touched(unit, spans),
    )


def _label(said: str) -> frozenset[str]:
    label, colon, _ = said.partition(":")
    return _stems(label) if colon and len(label) <= _LABEL else frozenset()


def _placed(text: str) -> list[tuple[int, str]]:
    """Return the stems of a text with where their words begin."""
    said = _UNSAID.sub(lambda match: " " * len(match[0]), text)
    words = (_HYPHENED if "-" in said else _WORD).finditer(said)
    return [(match.start(), stem) for match in words for stem in _stems_of(match[0])]


@lru_cache(maxsize=65536)
def _stems_of(word: str) -> tuple[str, ...]:
    return tuple(map(spelt, word_terms(word.replace("-", ""))))


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    """Return the stems of a text; many units stand under the same heading."""
    return frozenset(stem for _, stem in _placed(text))


def _touched(unit: AnswerUnit, spans: tuple[Span, ...]) -> tuple[int, int]:
    """Return the first and the last sentence that a unit touches; (0, -1) for none."""
    touched = [n for n, one in enumerate(spans) if one.start < unit.end and one.end > unit.start]
    return (touched[0], touched[-1]) if touched else (0, -1)
