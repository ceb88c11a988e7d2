"""`Key: value` lines: the headers of messages, packages and forms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft.domain.document import Span
from weft.ontology.schema import Ontology, Relation

_LINE = re.compile(
    r"^[ \t>*-]{0,4}([^\W\d_][\w /-]{0,38}\w|[^\W\d_])[ ]?:[ \t]+(\S[^\n]{0,240})$", re.M
)
_NAMES = re.compile(r"\s*(?:;|,(?!\s*(?:Inc|Ltd|LLC|Jr|Sr)\b)|\band\b|&)\s*")
_PACKAGE = re.compile(r"[A-Za-z0-9][\w.-]*")
_MAX_KEY_WORDS = 4
_ADDRESS = re.compile(r"\s*[<(\[].*$")
_HEADER_GAP, _HEADER_LINES = 2, 3
_COPYRIGHT_KEY = "copyright"
_COPYRIGHT_SIGN = re.compile(r"Copyright|\(c\)|©", re.I)
_COPYRIGHT = re.compile(
    r"^[ \t#*/]{0,4}(?:Copyright(?:\s?(?:\([cC]\)|©))?|\([cC]\)|©)\s*"
    r"(?:\d{4}(?:\s?[-–,]\s?(?:\d{2,4}|present))*,?\s+)?"
    r"(?:by\s+)?([^\W\d_a-z][^\n<(]{1,78}?)(?=\.?\s*(?:[<(\n]|All rights|\Z))",
    re.M,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldLine:
    """A `key: value` line; `relation` is what the ontology calls the key, None if it does not."""

    key: str
    value: str
    start: int
    end: int
    value_start: int
    relation: Relation | None


def fields(text: str, ontology: Ontology) -> list[FieldLine]:
    """Return the field lines of a text in order.

    A line counts when the ontology knows its key, or when it is one of a header's: a single
    `Note: this` is prose.
    """
    found: list[FieldLine] = []
    if ": " in text:
        lines = [_field(match, ontology) for match in _LINE.finditer(text)]
        lines = [each for each in lines if len(each.key.split()) <= _MAX_KEY_WORDS]
        for run in _runs(lines):
            header = len(run) >= _HEADER_LINES
            found += [each for each in run if header or each.relation is not None]
    relation = ontology.relation(_COPYRIGHT_KEY)
    if relation is not None and _COPYRIGHT_SIGN.search(text):
        found += [_copyright(match, relation) for match in _COPYRIGHT.finditer(text)]
    return found


def names(field: FieldLine) -> list[Span]:
    """Return where in its text the names stand that a field's value lists, if it lists names."""
    if field.relation is None:
        return []
    if "software" in field.relation.range:
        match = _PACKAGE.match(field.value)
        return [Span(start=field.value_start, end=field.value_start + match.end())] if match else []
    spans: list[Span] = []
    at = 0
    for separator in [*_NAMES.finditer(field.value), None]:
        end = separator.start() if separator else len(field.value)
        part = _ADDRESS.sub("", field.value[at:end]).rstrip(" .")
        lead = len(part) - len(part.lstrip())
        if len(part) - lead > 1 and any(char.isalpha() for char in part):
            start = field.value_start + at + lead
            spans.append(Span(start=start, end=field.value_start + at + len(part)))
        at = separator.end() if separator else end
    return spans


def _field(match: re.Match[str], ontology: Ontology) -> FieldLine:
    return FieldLine(
        key=match[1],
        value=match[2].rstrip(),
        start=match.start(1),
        end=match.start(2) + len(match[2].rstrip()),
        value_start=match.start(2),
        relation=ontology.relation(match[1]),
    )


def _copyright(match: re.Match[str], relation: Relation) -> FieldLine:
    return FieldLine(
        key=_COPYRIGHT_KEY,
        value=match[1],
        start=match.start(),
        end=match.end(),
        value_start=match.start(1),
        relation=relation,
    )


def _runs(lines: Sequence[FieldLine]) -> Iterator[list[FieldLine]]:
    """Yield the lines in groups that follow each other without another line between."""
    run: list[FieldLine] = []
    for line in lines:
        if run and line.start - run[-1].end > _HEADER_GAP:
            yield run
            run = []
        run.append(line)
    yield run
