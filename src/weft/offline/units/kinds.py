"""What a question asks for, and the signs of it in a text: numbers for a score, never a gate."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import lru_cache

from weft.domain.frozen import dataclass
from weft.domain.outside.shipped import sheet
from weft.language.hangul import SYLLABLES, has_hangul
from weft.language.months import SPELLINGS_PATTERN, WEEKDAYS
from weft.language.numerals import KOREAN, MAGNITUDES, TENS, UNITS
from weft.language.patterns import pattern

# Signs of capital letters: all others are read without regard to case.
_CAPITALISED = frozenset({"name", "place"})

_WORDS: Mapping[str, str] = {
    "month": rf"(?:{SPELLINGS_PATTERN})\.?",
    "weekday": "|".join(WEEKDAYS),
    "count": "|".join((*UNITS[1:], *TENS, *MAGNITUDES, "dozen", "once", "twice", "half")),
    "korean_count": "|".join(KOREAN),
    "hangul": SYLLABLES,
    "span": "second|minute|hour|day|night|week|fortnight|month|quarter|year|decade|centur(?:y|ie)",
}


class AskedKind(StrEnum):
    """What a question asks for."""

    PERSON = "person"
    OFTEN = "often"
    LONG = "long"
    MONEY = "money"
    MANY = "many"
    TIME = "time"
    PLACE = "place"
    WHY = "why"
    MANNER = "manner"
    YESNO = "yesno"
    DEFINE = "define"
    WHICH = "which"
    OTHER = "other"


FITS: Mapping[AskedKind, tuple[str, ...]] = {
    AskedKind.PERSON: ("name", "role"),
    AskedKind.OFTEN: ("often", "duration"),
    AskedKind.LONG: ("duration", "measure", "number"),
    AskedKind.MONEY: ("money", "number"),
    AskedKind.MANY: ("number",),
    AskedKind.TIME: ("date", "duration"),
    AskedKind.PLACE: ("place", "name"),
    AskedKind.WHY: ("why",),
    AskedKind.MANNER: ("manner",),
    AskedKind.YESNO: ("modal",),
    AskedKind.DEFINE: ("define",),
    AskedKind.WHICH: ("name",),
    AskedKind.OTHER: (),
}
# Of these a text without any sign rarely says it.
STRICT = frozenset(
    {AskedKind.PERSON, AskedKind.TIME, AskedKind.PLACE, AskedKind.MANY, AskedKind.LONG,
     AskedKind.MONEY, AskedKind.OFTEN}
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class KindTable:
    """The patterns of what questions ask for, in order of trying, and of the signs in texts.

    `latin` are those of the signs that stand in a text without Hangul: they are tried faster.
    """

    kinds: Mapping[AskedKind, re.Pattern[str]]
    signs: Mapping[str, re.Pattern[str]]
    latin: Mapping[str, re.Pattern[str]]


def kind_of(question: str) -> AskedKind:
    """Return what a question asks for: the first kind whose words it has."""
    kinds = kind_table().kinds
    return next((kind for kind, words in kinds.items() if words.search(question)), AskedKind.OTHER)


def signs_in(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Yield where the signs of something, one of `KindTable.signs`, stand in a text."""
    table = kind_table()
    for match in (table.signs if has_hangul(text) else table.latin)[name].finditer(text):
        yield match.span()


@lru_cache(maxsize=1)
def kind_table() -> KindTable:
    """Return the table that comes with the product."""
    read = sheet("weft.offline.units", "kinds")
    return KindTable(
        kinds={
            AskedKind(name): pattern(_joined(of), re.IGNORECASE)
            for name, of in read["kinds"].items()
        },
        signs={name: _sign(name, of) for name, of in read["signs"].items()},
        latin={name: _sign(name, {"en": of["en"]}) for name, of in read["signs"].items()},
    )


def _sign(name: str, languages: Mapping[str, str]) -> re.Pattern[str]:
    return pattern(_joined(languages), 0 if name in _CAPITALISED else re.IGNORECASE)


def _joined(languages: Mapping[str, str]) -> str:
    """Return the patterns of all languages as one, the words put in."""
    joined = "|".join(languages.values())
    for name, of in _WORDS.items():
        joined = joined.replace(f"{{{name}}}", of)
    return joined
