"""What a cell says in a word or a sign: yes, no, or that there is nothing."""

from __future__ import annotations

from collections.abc import Mapping

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
# What stands for the cell above it.
DITTO = frozenset({'"', "''", "“", "”", "″", "〃", "ditto", "do.", '-"-', "-''-", "〃〃", "상동"})
