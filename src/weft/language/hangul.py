"""Korean script: its ranges, and whether a text has it."""

from __future__ import annotations

import unicodedata

from weft.language.patterns import pattern

FIRST, LAST = "가", "힣"
# Ranges for a class of characters in a regular expression: whole syllables; every sign of the
# script that stands in a running text; the same and what stands alone, such as ㅋ.
SYLLABLES = f"{FIRST}-{LAST}"
# One syllable. It has no other case, which a pattern that disregards case would look up for each.
SYLLABLE = f"(?-i:[{SYLLABLES}])"
JAMO = "\u1100-\u11ff"
SCRIPT = f"{JAMO}\ua960-\ua97f{FIRST}-\ud7ff"
# The first sign of the script: below it are the scripts of Europe and the Near East.
SCRIPT_BEGINS = "\u1100"

_SOUNDS = pattern(f"[{JAMO}]+")
_CODAS = 28  # how many sounds may close a syllable, with none as one of them
_SYLLABLE = pattern(f"[{SYLLABLES}]")


def is_syllable(char: str) -> bool:
    """Tell whether a character is a Korean syllable."""
    return FIRST <= char <= LAST


def is_closed(char: str) -> bool:
    """Tell whether a Korean syllable ends with a consonant."""
    return (ord(char) - ord(FIRST)) % _CODAS != 0


def has_hangul(text: str) -> bool:
    """Tell whether a text has a Korean syllable."""
    # Most signs beyond ASCII, quotation marks and dashes, are far below the first syllable.
    return not text.isascii() and max(text) >= FIRST and _SYLLABLE.search(text) is not None


def composed(text: str) -> str:
    """Return a text whose Korean syllables are signs of their own, as all but a Mac write them.

    Written sound by sound they look the same, and are no word that anyone asks for.
    """
    if text.isascii() or _SOUNDS.search(text) is None:
        return text
    return _SOUNDS.sub(lambda match: unicodedata.normalize("NFC", match.group()), text)
