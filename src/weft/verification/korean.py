"""Korean words: the particle that says their role, the ending of a verb, negation."""

from __future__ import annotations

from weft.language.patterns import pattern
from weft.verification.lexicon import lexicon
from weft.verification.words import Word, WordKind

_NEGATION = pattern("않|지못|아니|없[^애]|없$|못하|못한|말아|^안$|^못$|불가능|금지")


def is_negative(folded: str) -> bool:
    """Tell whether a Korean word says "not"."""
    return bool(_NEGATION.search(folded))


def read_word(surface: str, *, broken: bool) -> Word:
    """Return a Korean word without its particle or polite ending; its role says what that was."""
    folded = surface.casefold()
    if is_negative(folded):
        key = _without_ending(folded)
        return Word(surface=surface, key=key, form=key, kind=WordKind.NEGATION, broken=broken)
    form, role = split_particle(folded)
    if not role:
        form = _without_ending(folded)
    kind = WordKind.RELATION if lexicon().has("guards", folded) else WordKind.WORD
    return Word(surface=surface, key=form, form=form, kind=kind, broken=broken, role=role)


def split_particle(folded: str) -> tuple[str, str]:
    """Return a noun and the role its particle gives it; the whole word and "" without one."""
    for particle, role in lexicon().particles:
        if folded.endswith(particle) and len(folded) > len(particle):
            return folded[: -len(particle)], role
    return folded, ""


def _without_ending(folded: str) -> str:
    for ending in lexicon().endings:
        if folded.endswith(ending) and len(folded) > len(ending):
            return folded[: -len(ending)]
    return folded
