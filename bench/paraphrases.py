"""True sentences: quotations of a passage, and close ways of saying the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from corruption_words import MONTHS, NUMBER_WORDS, VERBS
from corruptions import NAME

# A capital letter before the full stop may be an initial.
_END = re.compile(r"(?<=[^\WA-Z_][.!?]|[%)\"”][.!?])\s+(?=[A-Z\"“])")
# Two sentences where an initial, a numeral or a sign hid the end of the first.
_TWO = re.compile(r"\. (?:He|She|It|They|The|This|That|His|Her|Its|Their|In|On|At|After|A|An)\b")
_ABBREVIATION = re.compile(
    r"\b(?:Dr|Mr|Mrs|Ms|St|Jr|Sr|vs|No|Inc|Ltd|Co|Gen|Col|Capt|Lt|Rev|c|i\.e|e\.g)\.$"
)
_BRACKETS = re.compile(r"\s*\([^()]*\)")
_MONTH = "|".join(MONTHS)
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}}) ({_MONTH}) (\d{{4}})\b(?!,)")
_MONTH_FIRST = re.compile(rf"\b({_MONTH}) (\d{{1,2}}), (\d{{4}})\b,?")
_SUBCLAUSE = re.compile(
    r", (?:which|who|whose|where|starring|featuring|including|such as)\b[^,]*(?:,? and [^,]*)?\.$"
)
_CONDITION = re.compile(r"\b(?:if|unless|except|only|not|no|never|until|when|although|but)\b", re.I)
_STARTS = re.compile(r"^((?:In|On) [^,]{0,20}\d{4}), ([^,;:]+)\.$")
_ENDS = re.compile(rf"^([A-Z][^,;:]+) (in (?:(?:{_MONTH}) )?\d{{4}})\.$")
_SECOND_CLAUSE = re.compile(
    r"\b(?:and|but|before|after|who|that|which|when|while|until|since|where|as)\b"
)
_PRONOUN = re.compile(r"^(?:He|She|It|They|The|This|His|Her|Its|Their)\b")
_OBJECTS = {"It": "it", "He": "him", "She": "her"}
_DONE = "|".join(done for _, done in VERBS.values())
_PASSIVE = re.compile(
    rf"^(?P<what>(?:The )?{NAME}|It|He|She) was (?P<done>{_DONE}) by "
    rf"(?P<who>{NAME})(?P<rest>(?: (?:in|on|at) (?:(?! and | by )[^,;:])+)?)\.$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """A true sentence, the sentence it retells, and the way: `quotation` or one of retelling."""

    way: str
    quoted: str
    text: str


def sentences_of(text: str) -> list[str]:
    """Return the whole sentences of a passage that are fit to be quoted alone, 7 to 45 words."""
    found: list[str] = []
    held = ""
    for piece in _END.split(" ".join(text.split())):
        held = f"{held} {piece}".strip()
        if _ABBREVIATION.search(held):
            continue
        whole = held.endswith(".") and held[0].isupper() and not _TWO.search(held)
        whole = whole and held.count("(") == held.count(")")
        if whole and 7 <= len(held.split()) <= 45:
            found.append(held)
        held = ""
    return found


def originals(sentence: str) -> Iterator[Original]:
    """Yield the quotation and what close paraphrases of it there are."""
    yield Original(way="quotation", quoted=sentence, text=sentence)
    ways = {
        "without brackets": _unbracketed(sentence),
        "clause trimmed": _trimmed(sentence),
        "date restyled": _restyled(sentence),
        "number restyled": _figures(sentence),
        "time moved": _moved(sentence),
        "made active": _active(sentence),
    }
    for way, text in ways.items():
        if text != sentence and len(text.split()) >= 5:
            yield Original(way=way, quoted=sentence, text=text)


def _unbracketed(sentence: str) -> str:
    """Leave out what stands in brackets."""
    inside = " ".join(_BRACKETS.findall(sentence))
    return sentence if _CONDITION.search(inside) else _BRACKETS.sub("", sentence)


def _trimmed(sentence: str) -> str:
    """Leave out a last clause that only adds to what is said."""
    head = _SUBCLAUSE.sub(".", sentence)
    left_out = sentence[len(head) - 1 :]
    return sentence if _CONDITION.search(left_out) else head


def _restyled(sentence: str) -> str:
    """Write `14 March 1932` as `March 14, 1932`, and the other way round."""
    if _DAY_FIRST.search(sentence):
        return _DAY_FIRST.sub(r"\2 \1, \3", sentence)
    return _MONTH_FIRST.sub(r"\2 \1 \3", sentence)


def _figures(sentence: str) -> str:
    """Write numbers in words as figures."""
    figures = {word: str(value) for value, word in enumerate(NUMBER_WORDS, start=2)}
    pattern = rf"(?<![\w-])(?<!- )(?:{'|'.join(figures)})(?! ?-)(?= [a-z])"
    return re.sub(pattern, lambda found: figures[found.group()], sentence)


def _moved(sentence: str) -> str:
    """Move the time of a simple sentence from its front to its end, or the other way round."""
    if _SECOND_CLAUSE.search(sentence):
        return sentence
    starts = _STARTS.match(sentence)
    if starts:
        when, what = starts.groups()
        return f"{what[0].upper()}{what[1:]} {when[0].lower()}{when[1:]}."
    ends = _ENDS.match(sentence)
    if ends and _PRONOUN.match(sentence):
        what, when = ends.groups()
        return f"{when[0].upper()}{when[1:]}, {what[0].lower()}{what[1:]}."
    return sentence


def _active(sentence: str) -> str:
    """Write `A was founded by B` as `B founded A`."""
    found = _PASSIVE.match(sentence)
    if found is None:
        return sentence
    past = next(past for past, (_, done) in VERBS.items() if done == found["done"])
    what = _OBJECTS.get(found["what"], found["what"])
    return f"{found['who']} {past} {what}{found['rest']}."
