"""What a knowledge base's own documents say of how its answers are to be judged."""

from __future__ import annotations

from weft.index.named_view import NamedView

_SEEN = 2
_WORDS = 2
_NAMING = "naming share"


def naming_share(named_view: NamedView) -> float:
    """Return the share, 0 to 1, of names in several passages that one of them defines.

    In an encyclopaedia most things named have a passage of their own, so a question that names
    none of them is about something that is not there; among minutes and tickets it is no sign.
    Weighed by the number of passages; 0 where nothing is named twice.
    """
    if _NAMING not in named_view.names.figures:
        named_view.names.figures[_NAMING] = _naming_share(named_view)
    return named_view.names.figures[_NAMING]


def _naming_share(named_view: NamedView) -> float:
    df = named_view.entities.df
    size = named_view.lexicon.keys.size[: len(df)]
    defined = named_view.entities.counts.definitions[: len(df)] > 0
    several = (df >= _SEEN) & (size >= _WORDS)
    total = int(df[several].sum())
    return float(df[several & defined].sum() / total) if total else 0.0
