"""Names as they stand in questions and sentences, and the keys under which they are looked up."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache

from weft.domain.frozen import dataclass
from weft.language.hangul import SYLLABLES, has_hangul, is_syllable
from weft.language.particles import strip_particle
from weft.language.patterns import korean_pattern, pattern
from weft.language.terms import STOP_WORDS, plain

MOST_WORDS = 12
_TOKEN = pattern(r"[^\W_]+(?:['’][^\W\d_]+)?")
_POSSESSIVE = pattern(r"['’](?:s)?$", re.IGNORECASE)
_PARENTHESES = pattern(r"\s*\([^()]*\)")
_ARTICLES = frozenset({"the", "a", "an"})
# A stop ends a name, except the one behind an initial or a short title.
_STOP = pattern(r"[;:()\n\"“”]|(?<!\b[A-Z])(?<!\b(?:Dr|Mr|St|Jr|Sr))(?<!\bMrs)[.!?] ")
_FULL_STOP = pattern(r"[;\n]|(?<!\b[A-Z])(?<!\b(?:Dr|Mr|St|Jr|Sr))(?<!\bMrs)[.!?](?= [A-Z])")
_JOINTS = r"(?:of|the|de|von|van|der|den|des|du|da|di|dos|la|le|el|al|bin|ibn|bint|ben|y|zu|af|av)"
_IN_WORD = rf"[^\W{SYLLABLES}]|['’&-]"  # a Korean ending is no part of a name
_CAPITAL = rf"[A-Z0-9À-Þ](?:\.(?:[A-Z]\.)*|(?:{_IN_WORD})*)"
_SPAN = pattern(
    rf"[A-ZÀ-Þ](?:{_IN_WORD}|\.(?!\s))*"
    rf"(?:,? (?:(?:{_JOINTS}|and|in|for|to|&|a) ){{0,2}}{_CAPITAL})*"
)
# Words that a question begins with, in capitals like a name.
_OPENING = STOP_WORDS | {
    "besides",
    "name",
    "tell",
    "list",
    "according",
    "since",
    "among",
    "one",
    "some",
    "any",
    "most",
    "several",
}
_SPOKEN = pattern(rf"{_CAPITAL}(?: (?:{_JOINTS} ){{0,2}}{_CAPITAL})*|[{SYLLABLES}]+")
_HYPHENS = frozenset({"-", "‐", "‑"})
_KOREAN_PARTICLE = korean_pattern(
    f"(?<=[{SYLLABLES}A-Za-z0-9])(?:의|은|는|이|가|을|를|에|와|과|도|님)$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NameToken:
    """A word of a text: its key and where it stands, a possessive ending left out."""

    key: str
    start: int
    end: int
    surface: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A name in a text: where it stands and its key."""

    key: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[NameToken, ...]:
    """Return the words of a text in order."""
    found: list[NameToken] = []
    for match in _TOKEN.finditer(text):
        bare = _POSSESSIVE.sub("", match.group())
        key = plain(match.group())
        if key:
            at = match.start()
            found.append(NameToken(key=key, start=at, end=at + len(bare), surface=match.group()))
    return tuple(found)


@lru_cache(maxsize=4096)
def flat_text(text: str) -> str:
    """Return the plain words of a text, a space around each."""
    return f" {' '.join(filter(None, map(plain, _TOKEN.findall(text))))} "


def key_of(name: str) -> str:
    """Return the key of a name: its plain words without a leading article."""
    parts = [token.key for token in tokens(name)]
    while len(parts) > 1 and parts[0] in _ARTICLES:
        parts = parts[1:]
    return " ".join(parts)


@lru_cache(maxsize=4096)
def keys_of_title(title: str) -> tuple[str, ...]:
    """Return the keys by which a title is meant: whole, and without what is in parentheses."""
    return tuple(dict.fromkeys(key for key in (key_of(title), key_of(bare_title(title))) if key))


def bare_title(title: str) -> str:
    """Return a title without what is in parentheses."""
    return _PARENTHESES.sub("", title).strip()


def spans_beside(text: str, taken: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """Return the capitalised spans of a text outside some places, opening words left out."""
    left = list(text)
    for start, end in taken:
        left[start:end] = "·" * (end - start)
    found: list[str] = []
    for match in _SPAN.finditer("".join(left)):
        words = match.group().rstrip(",.").split()
        while words and plain(words[0]) in _OPENING:
            words.pop(0)
        content = [word for word in words if plain(word) not in STOP_WORDS]
        if content and not (match.start() == 0 and len(content) < 2):
            found.append(_POSSESSIVE.sub("", " ".join(words)))
    return tuple(dict.fromkeys(found))


def names_among(
    text: str, known: Mapping[str, object], *, lower: Container[str] = ()
) -> list[Named]:
    """Return the names of a text that are known, in order: the longest first, none overlapping.

    One lower-case word is no name, unless a digit or a joint (`billing-api`) makes it one, or it
    is among those that are written so (`lower`).
    """
    words = tokens(text)
    found: list[Named] = []
    taken: set[int] = set()
    for size in range(min(MOST_WORDS, len(words)), 0, -1):
        for at in range(len(words) - size + 1):
            if taken.intersection(range(at, at + size)):
                continue
            key = _known_key(words[at : at + size], known)
            if key and (key in lower or _is_name(text, words[at : at + size], first=at == 0)):
                taken.update(range(at, at + size))
                end = _closed(text, words[at].start, _end(words[at + size - 1]))
                found.append(Named(key=key, start=words[at].start, end=end))
    return sorted(found, key=lambda named: named.start)


def names_in(text: str) -> Iterator[Named]:
    """Yield every run of words that may be a name, from left to right, longer ones first.

    A run begins and ends with a capitalised word, a number or a Korean word, and crosses no stop.
    """
    words = tokens(text)
    for at, first in enumerate(words):
        if not _may_begin(first.surface):
            continue
        for last in range(min(at + MOST_WORDS, len(words)) - 1, at - 1, -1):
            between = text[first.start : words[last].end]
            if _may_end(text, words[last]) and not _crosses(between):
                key = " ".join(word.key for word in words[at : last + 1])
                yield Named(key=without_particle(key), start=first.start, end=_end(words[last]))


def clause_of(window: str) -> str:
    """Return a window up to where its sentence ends."""
    match = _FULL_STOP.search(window)
    return window[: match.start()] if match else window


def spoken_name(text: str, named: Named) -> str:
    """Return the first name that a run of words begins with: capitals and what joins them."""
    match = _SPOKEN.match(text, named.start)
    return match.group().rstrip(" ,.") if match else surface(text, named)


def surface(text: str, named: Named) -> str:
    """Return a name as it stands in its text."""
    return text[named.start : named.end]


def _known_key(words: Sequence[NameToken], known: Mapping[str, object]) -> str:
    key = " ".join(word.key for word in words)
    if key in known:
        return key
    bare = without_particle(key)
    return bare if bare in known else ""


def without_particle(key: str) -> str:
    """Return a key without the Korean particle at its end."""
    if not is_syllable(key[-1:]):
        return key
    stripped = strip_particle(key)
    return stripped if stripped != key else _KOREAN_PARTICLE.sub("", key)


def _closed(text: str, start: int, end: int) -> int:
    """Return the end of a name with the bracket that closes what the name opens."""
    return end + 1 if text[end : end + 1] == ")" and "(" in text[start:end] else end


def _end(word: NameToken) -> int:
    key = without_particle(word.surface)
    return word.end if key == word.surface else word.start + len(key)


def _is_name(text: str, words: Sequence[NameToken], *, first: bool) -> bool:
    whole = text[words[0].start : words[-1].end]
    content = [word for word in words if word.key not in STOP_WORDS]
    if not content:
        return len(words) > 1 and all(word.surface[0].isupper() for word in words)
    if any(has_hangul(word.surface) or any(map(str.isdigit, word.surface)) for word in content):
        return True
    if len(words) > 1 and re.search(r"\w[-_./]\w", whole):
        return True
    capital = [word for word in content if word.surface[0].isupper()]
    return bool(capital) and not (first and len(words) == 1)


def _may_begin(word: str) -> bool:
    return word[0].isupper() or word[0].isdigit() or is_syllable(word[:1])


def _may_end(text: str, word: NameToken) -> bool:
    """Tell whether a name may end with a word; "eun" in "Ha-eun" is a piece of one."""
    return _may_begin(word.surface) or text[max(0, word.start - 1) : word.start] in _HYPHENS


def _crosses(text: str) -> bool:
    return bool(_STOP.search(text))
