"""What a cell says in a word or a sign: yes, no, or that there is nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from weft.language.patterns import pattern

# Folded; a cross is a no beside a tick.
TRUTHS: Mapping[str, bool] = {
    **dict.fromkeys(("yes", "true", "y", "✓", "✔", "✅", "예", "네", "참", "o"), True),
    **dict.fromkeys(("no", "false", "n", "✗", "✘", "❌", "아니오", "아니요", "거짓", "x"), False),
}
NOTHING = frozenset(
    {"", "-", "--", "–", "—", "?", "n/a", "na", "none", "null", "nil", "tbd", "unknown", "없음"}
    | {"not known", "not recorded", "not given", "no data", "missing", "tbc", "미상", "모름"}
    | {"미정", "해당 없음", "해당없음", "...", "…", "n.a.", "nan"}
)
_UNTOLD = pattern(
    r"\W*(?:(?:not|no(?=\s)|un(?:known|clear|sure|certain|decided|confirmed)|don['’]?t know|ask"
    r"|to be|tba)\b|on request|미확인|모름|문의|확인 (?:중|안))[^\d]*",
    2,
)
# What stands for the cell above it.
DITTO = frozenset({'"', "''", "“", "”", "″", "〃", "ditto", "do.", '-"-', "-''-", "〃〃", "상동"})
_MOSTLY = 0.6


def is_untold(text: str) -> bool:
    """Tell whether words say in place of a figure that there is none: "not counted", "ask Ann"."""
    return _UNTOLD.fullmatch(text) is not None


def are_figured(texts: Iterable[str]) -> bool:
    """Tell whether most cells have a figure in them: amounts, days, telephone numbers."""
    given = [text for text in texts if text.strip().casefold() not in NOTHING]
    return sum(any(map(str.isdigit, one)) for one in given) > _MOSTLY * len(given)
