"""Where the sentences of a text begin and end, and a text as quotations compare it."""

from __future__ import annotations

import re
import unicodedata

from weft.domain.document import Span
from weft.verification.lexicon import lexicon

_END = re.compile(
    r"(?<=[.!?])[\"'”’)\]]*\s+(?=(?:[\"'“‘(\[]\s?)?[^\Wa-z_])|(?<=[。！？])\s*|\n\s*\n|\n(?=\s*[-*•#]|[\w-]{2,40}:\s)"
)
# One capital and a stop is somebody's initial, unless it ends a name such as "Vitamin C."
_INITIAL = re.compile(r"(?:^|[\s(.\"“])[A-Z]\.$")
_LAST = re.compile(r"[^\s(\"“]+\.$")
_QUOTES = str.maketrans(
    {"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"', "«": '"', "»": '"', "–": "-", "—": "-",
     "−": "-", "‑": "-", "‐": "-", "\u00ad": None, "\u200b": None, "\u200d": None, "\ufeff": None}
)  # fmt: skip


def sentences(text: str) -> list[Span]:
    """Return the spans of a text's sentences, in order, without the blanks between them."""
    found: list[Span] = []
    at = 0
    for match in [*_END.finditer(text), None]:
        end = len(text) if match is None else match.start()
        if match is not None and "\n" not in match.group() and _is_abbreviated(text[at:end]):
            continue
        piece = text[at:end]
        if piece.strip():
            start = at + len(piece) - len(piece.lstrip())
            found.append(Span(start=start, end=at + len(piece.rstrip())))
        at = len(text) if match is None else match.end()
    return found


def _is_abbreviated(piece: str) -> bool:
    """Tell whether the stop at the end of a piece belongs to its last word."""
    tail = piece[-24:]
    last = _LAST.search(tail)
    if last is None:
        return False
    word = last.group().rstrip(".").casefold()
    return bool(_INITIAL.search(tail)) or lexicon().has("abbreviations", word)


def normalise(text: str) -> tuple[str, list[int]]:
    """Return a text in NFKC with plain quotes and single spaces, and each character's old place.

    The list has one more entry than the text: the place after the last character.
    """
    kept: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        for plainer in unicodedata.normalize("NFKC", char).translate(_QUOTES):
            blank = plainer.isspace()
            if blank and (not kept or kept[-1] == " "):
                continue
            kept.append(" " if blank else plainer)
            places.append(place)
    while kept and kept[-1] == " ":
        kept.pop()
        places.pop()
    places.append(places[-1] + 1 if places else 0)
    return "".join(kept), places
