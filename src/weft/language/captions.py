"""Captions over tables that say once what all of their figures are in: "(단위: 백만원)"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weft.language.cell_words import NOTHING
from weft.language.patterns import pattern

_SAID = r"[^\s()\[\]<>,;·:]{1,12}"
_CAPTION = pattern(
    rf"(?:단위|單位|単位)\s?[:：]\s?({_SAID}(?:\s[^\s()\[\]<>,;·:/]{{1,6}})?)\s?(?:$|[)\]>])"
)
_LONGEST = 300
_BARE = pattern(r"[-−–+△]?\s?\(?\d[\d,]*(?:\.\d+)?\)?")
_BRACKETS = pattern(r"[(\[][^)\]]*[)\]]")
# What is counted, numbered or a share is in no unit of money or weight, whatever stands above.
_OTHER = pattern(
    r"(?:수|수량|인원|횟수|번호|순번|순위|등급|번|비율|비중|[율률]|연도|년도|년|월|일|코드|일수|점수|나이|연령"
    r"|人數|人数|番号|年|no\.?|%)",
    2,
)
_FIRST_YEAR, _LAST_YEAR = 1900, 2100


def captioned_unit(texts: Iterable[str]) -> str:
    """Return the unit that captions say, as it is written; empty where none or several are said."""
    found = {
        " ".join(match[1].split())
        for text in texts
        for match in _CAPTION.finditer(text[:_LONGEST].strip())
    }
    return found.pop() if len(found) == 1 else ""


def in_unit(unit: str, names: Sequence[str], *, columns: Sequence[Sequence[str]]) -> list[str]:
    """Return what columns are called with a unit behind the names of those that are in it.

    `columns` are their cells. A column is in it that has bare figures alone and whose name has no
    unit of its own, nor counts or numbers things.
    """
    if not unit:
        return list(names)
    return [
        f"{name} ({unit})" if name and _takes_unit(name, cells) else name
        for name, cells in zip(names, columns, strict=True)
    ]


def _takes_unit(name: str, cells: Sequence[str]) -> bool:
    said = [cell for cell in map(str.strip, cells) if cell.casefold() not in NOTHING]
    if not said or not all(map(_BARE.fullmatch, said)):
        return False
    own = [one for one in _BRACKETS.findall(name) if not any(map(str.isdigit, one))]
    words = _BRACKETS.sub("", name).split()
    if own or (words and any(_OTHER.fullmatch(words[-1][at:]) for at in range(len(words[-1])))):
        return False
    years = [one for one in said if one.isdecimal() and _FIRST_YEAR <= int(one) <= _LAST_YEAR]
    return len(years) < len(said)
