"""Days that are told from another: "last year" is the one before that of the table's document."""

from __future__ import annotations

from datetime import date

from weft.language.patterns import pattern

_SAID = pattern(
    r"\b(?:(?:in|during|from|of|for|over)\s+)?(?:the\s+)?"
    r"(?P<which>last|previous|past|this|current|next)\s+(?P<unit>year|month|quarter|week)\b"
    r"|\b(?P<day>yesterday|today|tomorrow)\b"
    r"|(?P<korean>작년|지난해|전년|올해|금년|내년|지난\s?달|이번\s?달|이달|다음\s?달|지난\s?주|이번\s?주"
    r"|지난\s?분기|이번\s?분기|어제|오늘|내일)(?:에는|에|의|은|는)?",
    2,
)
_YEARS = {"작년": -1, "지난해": -1, "전년": -1, "올해": 0, "금년": 0, "내년": 1}
_MONTHS = {"지난달": -1, "이번달": 0, "이달": 0, "다음달": 1}
_WHICH = {"last": -1, "previous": -1, "past": -1, "this": 0, "current": 0, "next": 1}


def relative_days(text: str, as_of: date | None) -> list[tuple[int, int, str]]:
    """Return where days stand that are told from `as_of`, and which: `2024`, `2024-05`.

    What cannot be told is empty: a week or a quarter is no day that a cell spells.
    """
    found: list[tuple[int, int, str]] = []
    for match in _SAID.finditer(text):
        which, unit, korean = match["which"], match["unit"], (match["korean"] or "")
        name = korean.replace(" ", "")
        said = ""
        if as_of is not None and ((unit or "").casefold() == "year" or name in _YEARS):
            step = _YEARS[name] if name else _WHICH[which.casefold()]
            said = f"{as_of.year + step:04}"
        elif as_of is not None and ((unit or "").casefold() == "month" or name in _MONTHS):
            step = _MONTHS[name] if name else _WHICH[which.casefold()]
            months = as_of.year * 12 + as_of.month - 1 + step
            said = f"{months // 12:04}-{months % 12 + 1:02}"
        found.append((match.start(), match.end(), said))
    return found
