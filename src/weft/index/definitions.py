"""The names that a passage defines: its title, the subject of its first sentence, its aliases."""

from __future__ import annotations

from collections.abc import Sequence

from weft.domain.facts import Definition, DefinitionKind, NameSpan, SpanReading
from weft.index.words import WORD, SurfaceWord, is_nothing
from weft.language.patterns import needing_pattern
from weft.language.terms import plain

_COPULA = frozenset("is was are were has had refers means denotes be".split())
_HONORIFICS = frozenset("sir dame lord lady dr prof mr mrs ms saint st king queen rev hon".split())
_ALIAS = needing_pattern(
    r"\b(?:also known as|also called|better known as|known as|formerly|nicknamed|née|born|"
    r"abbreviated(?: as| to)?|or simply|stylized as|short for)\s+[\"“'‘]?(?=[A-Z0-9])",
    *("known", "called", "formerly", "nicknamed", "née", "born", "abbreviated", "simply"),
    *("stylized", "short for"),
)
_ACRONYM = needing_pattern(r"\(([A-Z][A-Z0-9&.-]{1,9})\)", "(")
_NICKNAME = needing_pattern(r"[\"“]([A-Z][^\"“”]{1,30})[\"”]", '"', "“")
_PARENTHESES = needing_pattern(r"\s*\([^()]*\)", "(")
_STOP_AT = frozenset(",;:()\n")
_MAX_SUBJECT = 8


def definitions(
    title: str,
    text: str,
    *,
    heading: Sequence[SurfaceWord],
    words: Sequence[SurfaceWord],
    fallback: Sequence[NameSpan],
) -> list[Definition]:
    """Return what the passage defines, in order; the fallback rows keep their readings."""
    found: list[Definition] = []
    _add(found, DefinitionKind.TITLE, _title_keys(title, heading))
    subject = _subject(text, words)
    keys = [*_subject_keys(subject), *_alias_keys(text, words)]
    initial = subject[0].word if subject and len(subject) == 1 else ""
    _add(found, DefinitionKind.DEFINITION, keys, word0=initial)
    for order, row in enumerate(fallback):
        found.append(
            Definition(
                key=row.key,
                kind=DefinitionKind.FALLBACK,
                order=order,
                reading=row.reading,
                word0=row.word0,
            )
        )
    return found


def _add(
    found: list[Definition], kind: DefinitionKind, keys: Sequence[str], *, word0: str = ""
) -> None:
    seen: set[str] = set()
    for key in keys:
        if not key or key in seen or is_nothing(key):
            continue
        seen.add(key)
        reading = SpanReading.UNLESS_COMMON if word0 else SpanReading.ALWAYS
        order = len(seen) - 1
        found.append(Definition(key=key, kind=kind, order=order, reading=reading, word0=word0))


def _key(surfaces: Sequence[str]) -> str:
    parts = [plain(part) for part in surfaces]
    while len(parts) > 1 and parts[0] in {"the", "a", "an"}:
        parts = parts[1:]
    return " ".join(part for part in parts if part)


def name_key(name: str) -> str:
    """Return the key under which a name that is written so is looked up."""
    return _key(WORD.findall(name))


def _title_keys(title: str, heading: Sequence[SurfaceWord]) -> list[str]:
    bare = _PARENTHESES.sub("", title)
    return [_key([word.surface for word in heading]), _key(WORD.findall(bare))]


def _subject(text: str, words: Sequence[SurfaceWord]) -> list[SurfaceWord]:
    """Return the words before the first copula or stop mark of the first sentence, if a name."""
    chosen: list[SurfaceWord] = []
    for word in words:
        if word.sentence != words[0].sentence:
            return []
        gap = text[chosen[-1].end : word.start] if chosen else ""
        if word.word in _COPULA or any(char in _STOP_AT for char in gap):
            break
        chosen.append(word)
        if len(chosen) > _MAX_SUBJECT:
            return []
    else:
        return []
    return chosen if any(word.surface[0].isupper() for word in chosen) else []


def _subject_keys(subject: Sequence[SurfaceWord]) -> list[str]:
    surfaces = [word.surface for word in subject]
    while len(surfaces) > 1 and plain(surfaces[0]) in _HONORIFICS | {"the", "a", "an"}:
        surfaces = surfaces[1:]
    if not surfaces or not any(part[0].isupper() for part in surfaces):
        return []
    keys = [_key(surfaces)]
    if "or" in surfaces[1:-1]:
        at = surfaces.index("or")
        keys += [_key(surfaces[:at]), _key(surfaces[at + 1 :])]
    if 3 <= len(surfaces) <= 5 and all(part[0].isupper() for part in surfaces):
        keys.append(_key([surfaces[0], surfaces[-1]]))
    return keys


def _alias_keys(text: str, words: Sequence[SurfaceWord]) -> list[str]:
    head = text[:600]
    keys = [_key(_capitals_from(match.end(), words)) for match in _ALIAS.finditer(head)]
    keys += [plain(match.group(1)) for match in _ACRONYM.finditer(head)]
    names = [word.surface for word in words[:_MAX_SUBJECT] if word.surface[0].isupper()]
    for match in _NICKNAME.finditer(head[:200]):
        if names:
            keys.append(_key([*WORD.findall(match.group(1)), names[-1]]))
    return keys


def _capitals_from(start: int, words: Sequence[SurfaceWord]) -> list[str]:
    chosen: list[str] = []
    for word in words:
        if word.start < start:
            continue
        if not word.flagged or len(chosen) >= _MAX_SUBJECT:
            break
        chosen.append(word.surface)
    return chosen
