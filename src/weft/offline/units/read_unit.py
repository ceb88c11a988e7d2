"""Units with their stems and signs, read once a passage and kept while it is asked about."""

from __future__ import annotations

import re
from functools import lru_cache

from weft.domain.document import Span
from weft.domain.frozen import dataclass
from weft.language.patterns import pattern
from weft.language.terms import terms, word_terms
from weft.offline.question.question import spelt
from weft.offline.units.blocks import label_of
from weft.offline.units.kinds import signs_in
from weft.offline.units.unit import AnswerUnit, units_of
from weft.retrieval.hits import Hit

# What makes a word with the one behind it, with or without a hyphen: e-mail, re-use.
PREFIX_OF_WORD = r"\b(?:anti|co|e|inter|multi|non|pre|re|semi|sub)-(?=[^\W\d_]{3})"
_WORD = pattern(rf"(?:{PREFIX_OF_WORD})?[^\W_]+(?:['’][^\W\d_]+)?", re.IGNORECASE)
# Link addresses and signs of emphasis, blanked so that offsets stay.
_UNSAID = pattern(r"\]\([^)]*\)|https?://\S+|[*_`|#]+")
_NEAR = 60
_LABEL = 40
PREFIX = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """A sign of an answer's kind: the stems in it and those near it."""

    name: str
    stems: frozenset[str]
    near: frozenset[str]


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
    signs: tuple[Sign, ...]
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
    return PassageUnits(units=found, stems=frozenset(_stems(text)) | place, place=place)


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
        before=frozenset(_stems(unit.before)),
        prefixes=frozenset(stem[:PREFIX] for stem in stems if len(stem) >= PREFIX),
        signs=tuple(_signs(said, placed)),
        label=_label(said),
        sentences=_touched(unit, spans),
    )


def _label(said: str) -> frozenset[str]:
    label, colon, _ = said.partition(":")
    return frozenset(_stems(label)) if colon and len(label) <= _LABEL else frozenset()


def _placed(text: str) -> list[tuple[int, str]]:
    """Return the stems of a text with where their words begin."""
    said = _UNSAID.sub(lambda match: " " * len(match[0]), text)
    return [
        (match.start(), spelt(stem))
        for match in _WORD.finditer(said)
        for stem in word_terms(match[0].replace("-", ""))
    ]


def _stems(text: str) -> list[str]:
    return [stem for _, stem in _placed(text)]


def _signs(said: str, placed: list[tuple[int, str]]) -> list[Sign]:
    found: dict[tuple[str, frozenset[str]], Sign] = {}
    for name, start, end in signs_in(said):
        stems = frozenset(stem for at, stem in placed if start <= at < end)
        near = frozenset(stem for at, stem in placed if start - _NEAR <= at < end + _NEAR)
        found.setdefault((name, near), Sign(name=name, stems=stems, near=near))
    return list(found.values())


def _touched(unit: AnswerUnit, spans: tuple[Span, ...]) -> tuple[int, int]:
    """Return the first and the last sentence that a unit touches; (0, -1) for none."""
    touched = [n for n, one in enumerate(spans) if one.start < unit.end and one.end > unit.start]
    return (touched[0], touched[-1]) if touched else (0, -1)
