"""The cue tables: how questions ask and texts say who is what to whom, where, and when."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from weft.domain.frozen import dataclass
from weft.domain.outside.shipped import sheet as read_sheet
from weft.language.patterns import pattern

LANGUAGES = ("en", "ko")


@dataclass(frozen=True, slots=True, kw_only=True)
class _RoleRow:
    asks: str
    verbs: str = ""
    gender: str = ""
    cues: str
    after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _RelationRow:
    asks: str
    cues: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _CompareRow:
    asks: str
    value: str
    wins: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sheet:
    roles: dict[str, _RoleRow]
    kin: dict[str, list[str]]
    relations: dict[str, _RelationRow]
    compares: list[_CompareRow]
    same: list[_CompareRow]
    years: str
    kinds: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CueRole:
    """What one thing is to another: `cue` ends where a name may begin, `after` begins behind one.

    `gender` is "he" or "she" where the role says it, else empty.
    """

    name: str
    gender: str
    cue: re.Pattern[str]
    after: re.Pattern[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CueRelation:
    """What is asked of a thing: `cue` stands in a sentence that says it, of the kind `kind`."""

    name: str
    kind: str
    asks: re.Pattern[str]
    cue: re.Pattern[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What a comparison compares, and whether the `most` or the `least` wins; empty for "same"."""

    asks: re.Pattern[str]
    value: str
    wins: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cues:
    """All tables of one language; `nouns` and `verbs` lead from a question's words to roles."""

    language: str
    roles: Mapping[str, CueRole]
    kin: Mapping[str, tuple[str, ...]]
    nouns: str
    verbs: str
    relations: Sequence[CueRelation]
    measures: Sequence[Measure]
    sames: Sequence[Measure]
    years: re.Pattern[str]
    kinds: str
    asked: Mapping[str, re.Pattern[str]]
    done: Mapping[str, re.Pattern[str]]

    def chain(self, word: str) -> tuple[str, ...]:
        """Return the roles that a noun of a question stands for, nearest to the name first."""
        folded = word.casefold()
        if folded in self.kin:
            return self.kin[folded]
        return next(((n,) for n, asks in self.asked.items() if asks.fullmatch(folded)), ())

    def doing(self, word: str) -> str:
        """Return the role of whoever does what a verb says, or an empty string."""
        folded = word.casefold()
        return next((n for n, verbs in self.done.items() if verbs.fullmatch(folded)), "")


@lru_cache(maxsize=len(LANGUAGES))
def cues(language: str) -> Cues:
    """Return the tables of a language, one of `LANGUAGES`."""
    sheet = _sheet(read_sheet("weft.offline.question", f"tables/{language}"))
    asked = {name: _pattern(row.asks) for name, row in sheet.roles.items()}
    done = {name: _pattern(row.verbs) for name, row in sheet.roles.items() if row.verbs}
    nouns = [*sheet.kin, *(row.asks for row in sheet.roles.values())]
    return Cues(
        language=language,
        roles={name: _role(name, row, language) for name, row in sheet.roles.items()},
        kin={name: tuple(chain) for name, chain in sheet.kin.items()},
        nouns="|".join(sorted(nouns, key=len, reverse=True)),
        verbs="|".join(row.verbs for row in sheet.roles.values() if row.verbs),
        relations=tuple(_relations(sheet)),
        measures=tuple(_measure(row) for row in sheet.compares),
        sames=tuple(_measure(row) for row in sheet.same),
        years=_pattern(sheet.years),
        kinds=sheet.kinds,
        asked=asked,
        done=done,
    )


def _sheet(read: dict[str, Any]) -> _Sheet:
    """Return a sheet as it stands in the file; a row of another form is a `TypeError`."""
    rows = {
        "roles": {name: _RoleRow(**row) for name, row in read["roles"].items()},
        "relations": {name: _RelationRow(**row) for name, row in read["relations"].items()},
        "compares": [_CompareRow(**row) for row in read["compares"]],
        "same": [_CompareRow(**row) for row in read["same"]],
    }
    return _Sheet(**{**read, **rows})


def _pattern(text: str) -> re.Pattern[str]:
    return pattern(text, re.IGNORECASE)


def _role(name: str, row: _RoleRow, language: str) -> CueRole:
    word = r"(?<![^\W_])" if language == "en" else ""  # "office_manager" has a manager
    end = r"(?=[\W_]|$)" if language == "en" else ""
    return CueRole(
        name=name,
        gender=row.gender,
        cue=_pattern(f"{word}(?:{row.cues}){end}"),
        after=_pattern(rf"\s*(?:{row.after})") if row.after else None,
    )


def _relations(sheet: _Sheet) -> Iterator[CueRelation]:
    for name, row in sheet.relations.items():
        cue = _pattern(row.cues) if row.cues else None
        yield CueRelation(name=name, kind=row.kind, asks=_pattern(row.asks), cue=cue)


def _measure(row: _CompareRow) -> Measure:
    return Measure(asks=_pattern(row.asks), value=row.value, wins=row.wins)
