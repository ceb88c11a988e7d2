"""Notes beside an answer: each said in English, and known again by a code.

Whoever shows notes in another language goes by code and values; the text is for everyone else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

# What is said under each code. What a value may look like keeps one note from reading as another.
NOTES: Mapping[str, str] = {
    "full_text_alone": "{base}: ranked by full text alone, without vectors",
    "still_reading": "{base}: documents being added at this moment may be missing",
    "left_out": "{base} was left out: {reason}",
    "last_documents": "Asked of the documents that the last answer cited.",
    "unsupported": "{count} sentences had no support and were left out",
    "out_of_budget": "The budget was used up before an answer was checked.",
    "not_judged": "The model could not be asked whether sentences are supported.",
    "model_replaced": "The model {model} {reason}; answered offline instead.",
    "tool_failed": "{tool} failed: {reason}",
}
# The code of a note that is none of these: it is written in the question's language.
REMARK = "remark"
_LOOKS = {"base": r"\w+", "count": r"\d+", "tool": r"[\w.-]+", "model": r"\S+", "reason": r".*"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A note: its code, its text, and the values that the text has in it."""

    code: str
    text: str
    values: Mapping[str, str] = field(default_factory=dict)


def note(code: str, **values: object) -> str:
    """Return the text of a note; raises `KeyError` for an unknown code or a missing value."""
    return NOTES[code].format_map(values)


def read_note(text: str) -> Note:
    """Return what `note` said, by its code; any other text is a remark."""
    for code, pattern in _patterns().items():
        if match := pattern.fullmatch(text):
            return Note(code=code, text=text, values=match.groupdict())
    return Note(code=REMARK, text=text)


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    return {code: _pattern(template) for code, template in NOTES.items()}


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", template)
    written = [
        f"(?P<{part}>{_LOOKS[part]})" if place % 2 else re.escape(part)
        for place, part in enumerate(parts)
    ]
    return re.compile("".join(written), re.DOTALL)
