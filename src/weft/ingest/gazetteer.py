"""Known names in a text: the members of the ontology's classes, and the document's own title."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from weft.domain.document import Span
from weft.ontology.schema import Ontology

_WORD = re.compile(r"[^\W_]+(?:[.'’+#-]+[^\W_]+)*[+#]*")
_MAX_TITLE_WORDS, _MIN_TITLE = 12, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    words: tuple[str, ...]
    any_case: bool


Gazetteer = Mapping[str, tuple[_Entry, ...]]


@functools.lru_cache(maxsize=16)
def gazetteer(ontology: Ontology) -> Gazetteer:
    """Return the members of an ontology's classes by their first word, the longest first."""
    return _indexed(member for each in ontology.classes for member in each.members)


def with_title(gazetteer: Gazetteer, title: str) -> Gazetteer:
    """Return a gazetteer that knows a title too, without what stands in brackets after it."""
    bare = re.sub(r"\s*\([^()]*\)\s*$", "", title)
    words = _WORD.findall(bare)
    if not 0 < len(words) <= _MAX_TITLE_WORDS or len("".join(words)) < _MIN_TITLE:
        return gazetteer
    head, entries = next(iter(_indexed([bare]).items()))
    merged = sorted((*entries, *gazetteer.get(head, ())), key=lambda entry: -len(entry.words))
    return {**gazetteer, head: tuple(merged)}


def known_names(text: str, gazetteer: Gazetteer) -> Iterator[Span]:
    """Yield where names of a gazetteer stand, longest first at each place.

    A name that is written with a capital counts only with one: `US` is not `us`.
    """
    words = list(_WORD.finditer(text))
    at = 0
    while at < len(words):
        entries = gazetteer.get(words[at][0].casefold())
        size = _longest(words, at, entries) if entries else 0
        if size:
            yield Span(start=words[at].start(), end=words[at + size - 1].end())
        at += size or 1


def _longest(words: list[re.Match[str]], at: int, entries: tuple[_Entry, ...]) -> int:
    word = words[at][0]
    for entry in entries:
        size = len(entry.words)
        if not entry.any_case and word.islower():
            continue
        if size > 1 and not _follows(words[at : at + size], entry.words):
            continue
        if word.isupper() or size > 1 or not entry.words[0].isupper():
            return size
    return 0


def _follows(words: list[re.Match[str]], wanted: tuple[str, ...]) -> bool:
    if len(words) != len(wanted):
        return False
    near = all(after.start() - before.end() <= 2 for before, after in pairwise(words))
    return near and all(
        word[0].casefold() == want.casefold() for word, want in zip(words, wanted, strict=True)
    )


def _indexed(names: Iterator[str] | list[str]) -> Gazetteer:
    table: defaultdict[str, list[_Entry]] = defaultdict(list)
    for name in names:
        words = tuple(_WORD.findall(name))
        if words:
            table[words[0].casefold()].append(_Entry(words=words, any_case=name.islower()))
    return {
        head: tuple(sorted(entries, key=lambda entry: -len(entry.words)))
        for head, entries in table.items()
    }
