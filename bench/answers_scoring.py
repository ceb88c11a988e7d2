"""Whether a text gives an expected answer, compared as SQuAD does."""

from __future__ import annotations

import re
import string
from collections import Counter

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalised(text: str) -> str:
    """Return a text as SQuAD compares it: lower case, no articles, punctuation or extra blanks."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def contains(text: str, answer: str) -> bool:
    """Tell whether a normalised answer stands in a text in whole words."""
    wanted = normalised(answer)
    return bool(wanted) and f" {wanted} " in f" {normalised(text)} "


def is_verdict(answer: str) -> bool:
    """Tell whether an answer is a yes or no, which a sentence cannot show by holding the word."""
    return normalised(answer) in {"yes", "no"}


def overlap(said: str, gold: str) -> float:
    """Return SQuAD's F1 of two short texts, 0 where nothing is said."""
    mine, theirs = normalised(said).split(), normalised(gold).split()
    common = sum((Counter(mine) & Counter(theirs)).values())
    if not common or (is_verdict(gold) and mine != theirs):
        return 0.0
    precision, recall = common / len(mine), common / len(theirs)
    return 2 * precision * recall / (precision + recall)
