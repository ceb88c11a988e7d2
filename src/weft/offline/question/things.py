"""The kinds of things that questions describe, and what one does to another: one table for all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import yaml
from pydantic import BaseModel, ConfigDict

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _KindRow(BaseModel):
    model_config = ConfigDict(extra="forbid")

    nouns: str
    korean: str
    fields: str
    folders: str
    place: bool = False
    kept: bool = False


class _TieRow(BaseModel):
    model_config = ConfigDict(extra="forbid")

    asks: str
    cues: str


class _Sheet(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kinds: dict[str, _KindRow]
    ties: dict[str, _TieRow]
    endings: str
    participles: str
    other_names: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThingKind:
    """A kind of thing: what it is called, the fields that name one, the folders that hold them.

    `is_kept` where an organisation has a page or a ticket on each: one that none fits is not there.
    """

    name: str
    nouns: re.Pattern[str]
    fields: re.Pattern[str]
    folders: re.Pattern[str]
    is_place: bool
    is_kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """What one thing does to another: how it is asked, and how the other side says it."""

    asks: re.Pattern[str]
    cue: re.Pattern[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Things:
    """All of the table; `english` and `korean` are the nouns of all kinds, longest first."""

    kinds: Mapping[str, ThingKind]
    ties: tuple[Tie, ...]
    english: str
    korean: str
    endings: re.Pattern[str]
    participles: re.Pattern[str]
    other_names: re.Pattern[str]

    def kind(self, noun: str) -> ThingKind | None:
        """Return the kind that a noun of a question stands for, None for any other noun."""
        folded = " ".join(noun.casefold().split())
        return next((kind for kind in self.kinds.values() if kind.nouns.fullmatch(folded)), None)


@lru_cache(maxsize=1)
def things() -> Things:
    """Return the table."""
    text = (
        files("weft.offline.question").joinpath("tables", "things.yaml").read_text(encoding="utf-8")
    )
    sheet = _Sheet.model_validate(yaml.load(text, Loader=_LOADER))  # noqa: S506  # both are safe
    kinds = {
        name: ThingKind(
            name=name,
            nouns=_pattern(f"{row.nouns}|{row.korean}"),
            fields=_pattern(row.fields),
            folders=_pattern(row.folders),
            is_place=row.place,
            is_kept=row.kept,
        )
        for name, row in sheet.kinds.items()
    }
    return Things(
        kinds=kinds,
        ties=tuple(
            Tie(asks=_pattern(row.asks), cue=_pattern(row.cues)) for row in sheet.ties.values()
        ),
        english="|".join(row.nouns for row in sheet.kinds.values()),
        korean="|".join(
            sorted((row.korean for row in sheet.kinds.values()), key=len, reverse=True)
        ),
        endings=_pattern(rf"\b(?:{sheet.endings})\b"),
        participles=_pattern(rf"\b(?:{sheet.participles})\b"),
        other_names=_pattern(sheet.other_names),
    )


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)
