"""Known names in a text: the members of the ontology's classes, and the document's own title."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from weft.domain.document import Span
from weft.domain.frozen import dataclass
from weft.ontology.schema import Ontology

_WORD = re.compile(r"[^\W_]+(?:[.'’+#-]+[^\W_]+)*[+#]*")
_MAX_TITLE_WORDS, _MIN_TITLE = 12, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    folded: str
    any_case: bool
    shouted: bool


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
    return {**gazetteer, head: _longest_first([*entries, *gazetteer.get(head, ())])}


def known_names(text: str, gazetteer: Gazetteer) -> Iterator[Span]:
    """Yield where names of a gazetteer stand, the longest at each place.

    A name that is written with a capital counts only with one: `US` is not `us`.
    """
    flat = text.replace("\n", " ")
    end = 0
    for match in _WORD.finditer(flat):
        entries = gazetteer.get(match[0].casefold())
        if entries and match.start() >= end:
            size = next((s for each in entries if (s := _size(flat, match.start(), each))), 0)
            if size:
                end = match.start() + size
                yield Span(start=match.start(), end=end)


def _size(text: str, start: int, entry: _Entry) -> int:
    """Return the length of a name that stands at a place, 0 if it does not."""
    written = text[start : start + len(entry.folded)]
    if written.casefold() != entry.folded or text[start + len(written) :][:1].isalnum():
        return 0
    if entry.shouted and not written.isupper():
        return 0
    return len(written) if entry.any_case or not written[0].islower() else 0


def _indexed(names: Iterable[str]) -> Gazetteer:
    table: defaultdict[str, list[_Entry]] = defaultdict(list)
    for name in names:
        first = _WORD.search(name)
        if first:
            bare = name[first.start() :].strip()
            entry = _Entry(
                folded=bare.casefold(),
                any_case=bare.islower(),
                shouted=bare.isupper() and bare.isalpha(),
            )
            table[first[0].casefold()].append(entry)
    return {head: _longest_first(entries) for head, entries in table.items()}


def _longest_first(entries: Iterable[_Entry]) -> tuple[_Entry, ...]:
    return tuple(sorted(entries, key=lambda entry: -len(entry.folded)))
