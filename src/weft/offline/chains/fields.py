"""Documents that the fields of others name: what a question tells by way of something else.

"Who leads the team that owns the service which FOG-1 broke?" begins at the ticket: a field of it
names the service, one of the service's page its team, and the team's page says who leads it.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping

from weft.language.hangul import has_hangul
from weft.language.patterns import pattern
from weft.offline.chains.reach import DocumentKey, Reach, key_of_hit
from weft.offline.evidence.found import FollowedFields, FoundEvidence
from weft.offline.question.names import key_of
from weft.offline.question.question import goes_over_several
from weft.retrieval.hits import Hit

_STARTS = 2
_STEPS = 3
_MOST_NAMES = 24
_MOST_DOCUMENTS = 16
_NAME_WORDS = 4
_ISSUE = pattern(r"(?<![A-Za-z0-9-])[A-Z][A-Z0-9]+-\d+(?!\d)")
_PAIR = pattern(r"^[\s>*+•-]*([^\W\d_][\w .()/-]{0,38}?)\s*[:=]\s+(\S.*)$")
_BETWEEN = pattern(r"\s+[·|]\s+|\s+/\s+(?=[^\W\d_][\w ]{0,20}: )")
_EMPHASIS = pattern(r"\*\*|__|`")
_MORE = pattern(r"\s*[(\[].*$")
_LIST = pattern(r",\s+|\s+(?:and|및|와|과)\s+|、")
_DESCRIBES = pattern(
    r",?\s+(?:(?:in|for|on|by|to|from|at|of)\s+)?(?:that|which|who|whom|whose|where|behind)\s+",
    re.IGNORECASE,
)
# So many words at the least ask before a description begins, and so many end a Korean question.
_ASKS, _ASKS_LAST = 3, 3


async def follow_fields(
    question: str, found: FoundEvidence, *, reach: Reach
) -> FollowedFields | None:
    """Return passages of what the fields of the nearest documents lead to.

    None for a question about one thing, and where no field names a document.
    """
    issues, asked = _ISSUE.findall(question), asking_part(question)
    if not issues and asked == question and not goes_over_several(question):
        return None
    starts = await reach.pages([one for key in issues for one in await reach.of_issue(key)])
    if not starts:
        first = dict.fromkeys(key_of_hit(hit) for _, hit in found.entries())
        starts = await reach.pages(list(first)[:_STARTS])
    beyond = await _beyond(starts, reach)
    if not beyond:
        return None
    hits = await reach.within(asked, beyond)
    return FollowedFields(asked=asked, entries=tuple((hit.evidence.id, hit) for hit in hits))


def asking_part(question: str) -> str:
    """Return what a question asks, without the clause that describes what it asks about."""
    if has_hangul(question):
        return " ".join(question.split()[-_ASKS_LAST:])
    for match in _DESCRIBES.finditer(question):
        if len(question[: match.start()].split()) >= _ASKS:
            return f"{question[: match.start()]}?"
    return question


async def _beyond(starts: Iterable[Hit], reach: Reach) -> list[DocumentKey]:
    """Return the documents that fields lead to, step by step, the first ones left out."""
    edge = list(starts)
    known = dict.fromkeys(key_of_hit(hit) for hit in edge)
    beyond: list[DocumentKey] = []
    tried: set[str] = set()
    for _ in range(_STEPS):
        if reach.is_late:
            break
        names = {key: name for key, name in _named(edge).items() if key not in tried}
        names = dict(list(names.items())[:_MOST_NAMES])
        tried.update(names)
        reached = [one async for one in _documents(names, reach) if one not in known]
        new = list(dict.fromkeys(reached))[: _MOST_DOCUMENTS - len(beyond)]
        if not new:
            break
        known.update(dict.fromkeys(new))
        beyond += new
        edge = await reach.pages(new)
    return beyond


async def _documents(names: Mapping[str, str], reach: Reach) -> AsyncIterator[DocumentKey]:
    """Yield the documents that some names are of."""
    plain = {key: name for key, name in names.items() if not _ISSUE.fullmatch(name)}
    looked_up = await reach.lookup(list(plain), spelt=plain) if plain else {}
    for key, name in names.items():
        if key not in plain:
            for one in await reach.of_issue(name):
                yield one
        for hit in looked_up.get(key, ()):
            yield key_of_hit(hit)


def _named(hits: Iterable[Hit]) -> dict[str, str]:
    """Return by key the names that are values of fields, and the issue keys, those of both last."""
    values: dict[str, str] = {}
    keys: dict[str, str] = {}
    for hit in hits:
        text = hit.evidence.text
        for _, value in pairs_of(text):
            values |= {key_of(one): one for one in values_of(value) if _is_name(one)}
        keys |= {key_of(one): one for one in _ISSUE.findall(text)}
    return {key: name for key, name in (values | keys).items() if key}


def _is_name(value: str) -> bool:
    letters = any(char.isalpha() for char in value)
    return letters and len(value.split()) <= _NAME_WORDS


def pairs_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield the `Key: value` pieces of a text, emphasis left out."""
    for line in text.splitlines():
        for piece in _BETWEEN.split(_EMPHASIS.sub("", line)):
            match = _PAIR.match(piece.strip())
            if match and len(match[1].split()) <= _NAME_WORDS:
                yield match[1], match[2].strip()


def values_of(value: str) -> tuple[str, ...]:
    """Return the names that the value of a field gives, what is in parentheses left out."""
    parts = (_MORE.sub("", part).strip(" .,;") for part in _LIST.split(_MORE.sub("", value)))
    return tuple(part for part in parts if part)
