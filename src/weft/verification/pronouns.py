"""Whom a pronoun means, where that is beyond doubt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weft.verification.lexicon import lexicon
from weft.verification.words import Word, WordKind

_PERSON = frozenset({"he", "she"})
_THING = frozenset({"it"})
_PLACING = frozenset({"in", "at", "near", "from"})


def begins_with_pronoun(words: Sequence[Word]) -> bool:
    """Tell whether a sentence begins with a pronoun for one person or thing."""
    return bool(words) and words[0].form in _PERSON | _THING


def resolved(before: Sequence[Word], after: Sequence[Word]) -> list[Word]:
    """Return a sentence with its first pronoun replaced by the name it must mean, or nothing.

    The sentence before must begin with that name and hold no other but those of places; an "it"
    needs a sentence that says what the named thing is.
    """
    if not begins_with_pronoun(after):
        return []
    subject, rest = _subject(before)
    if not subject or _has_other_name(rest):
        return []
    if after[0].form in _THING and not _defines(rest):
        return []
    first = replace(subject[0], broken=True)
    return [first, *subject[1:], *after[1:]]


def _subject(words: Sequence[Word]) -> tuple[list[Word], Sequence[Word]]:
    """Return the name a sentence begins with, without its article, and all that follows it."""
    start = 1 if words and lexicon().has("light", words[0].form) else 0
    end = start
    while (
        end < len(words)
        and words[end].kind is WordKind.NAME
        and not (end > start and words[end].broken)
    ):
        end += 1
    return list(words[start:end]), words[end:]


def _has_other_name(words: Sequence[Word]) -> bool:
    placed = False
    for word in words:
        if word.kind is WordKind.NAME and not placed:
            return True
        placed = word.form in _PLACING or (placed and word.kind is WordKind.NAME)
    return False


def _defines(words: Sequence[Word]) -> bool:
    said = [word.form for word in words[:2]]
    return (
        len(said) == 2 and lexicon().has("forms_of_be", said[0]) and said[1] in ("a", "an", "the")
    )
