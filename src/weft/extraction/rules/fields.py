"""`Key: value` lines: the headers of messages, packages and forms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from weft.domain.document import Span
from weft.domain.frozen import dataclass
from weft.extraction.rules.bare import bare
from weft.ontology.schema import Ontology, Relation

_LINE = re.compile(
    r"^[ \t>*-]{0,4}([^\W\d_][\w /-]{0,38}\w|[^\W\d_])[ ]?:[ \t]+(\S[^\n]{0,240})$", re.M
)
# `**Owner:** Portal · **Tier**: 2`: the label, up to where its value begins.
_LABEL = re.compile(r"\*\*([^\W\d_][^*\n:]{0,38})(?::\*\*|\*\*[ ]?:)[ \t]*")
_AFTER_VALUE = " \t·|;,•—–-"
_LONGEST_VALUE = 240
_NAMES = re.compile(r"\s*(?:;|,(?!\s*(?:Inc|Ltd|LLC|Jr|Sr)\b)|\band\b|&)\s*")
# What a package needs, with the versions that will do.
_PACKAGE = re.compile(r"([A-Za-z0-9][\w.-]*)(?:\s*[\[(<>=!~;].*)?")
_SOFTWARE = frozenset({"software"})
_MAX_KEY_WORDS = 4
_LINKED = re.compile(r"[*_]{0,2}\[[^\[\]\n]{1,200}\]\([^()\s]{0,500}\)[*_]{0,2}")
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
    if ":**" in text or "**:" in text or "** :" in text:
        found = _merged(found, _labelled(text, ontology))
    relation = ontology.relation(_COPYRIGHT_KEY)
    if relation is not None and _COPYRIGHT_SIGN.search(text):
        found += [_copyright(match, relation) for match in _COPYRIGHT.finditer(text)]
    return found


def names(field: FieldLine) -> list[Span]:
    """Return where in its text the names stand that a field's value lists, if it lists names."""
    if field.relation is None:
        return []
    package = _PACKAGE.fullmatch(field.value)
    if package and field.relation.stated[1] == _SOFTWARE:
        return [Span(start=field.value_start, end=field.value_start + package.end(1))]
    spans: list[Span] = []
    at = 0
    for separator in [*_NAMES.finditer(field.value), None]:
        end = separator.start() if separator else len(field.value)
        part = field.value[at:end].rstrip(" .")
        part = part if _LINKED.fullmatch(part.strip()) else _ADDRESS.sub("", part).rstrip(" .")
        lead = len(part) - len(part.lstrip())
        span = bare(field.value, Span(start=at + lead, end=at + len(part)))
        said = field.value[span.start : span.end]
        if len(said) > 1 and any(char.isalpha() for char in said):
            place = field.value_start
            spans.append(Span(start=place + span.start, end=place + span.end))
        at = separator.end() if separator else end
    return spans


def _labelled(text: str, ontology: Ontology) -> Iterator[FieldLine]:
    """Yield what stands behind bold labels: one that is known, or several on a line."""
    at = 0
    for line in text.split("\n"):
        labels = list(_LABEL.finditer(line)) if "**" in line else []
        ends = [*(label.start() for label in labels[1:]), len(line)]
        for label, end in zip(labels, ends, strict=False):
            value = line[label.end() : end].rstrip(_AFTER_VALUE)[:_LONGEST_VALUE].rstrip()
            key = label[1].strip()
            relation = ontology.relation(key)
            is_plain = len(key.split()) <= _MAX_KEY_WORDS and "|" not in line
            if value and is_plain and (relation or len(labels) > 1):
                start = at + label.end()
                yield FieldLine(
                    key=key,
                    value=value,
                    start=at + label.start(1),
                    end=start + len(value),
                    value_start=start,
                    relation=relation,
                )
        at += len(line) + 1


def _merged(found: Sequence[FieldLine], labelled: Iterable[FieldLine]) -> list[FieldLine]:
    """Return field lines in order, without those that begin within another."""
    apart = (
        each for each in labelled if not any(one.start <= each.start < one.end for one in found)
    )
    return sorted([*found, *apart], key=lambda each: each.start)


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
