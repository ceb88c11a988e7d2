"""The two things that a question sets side by side, and which of them no document is about.

"Who is older, A or B?" and "Are A and B both films?" want a document on each: where one has none,
whatever is likest to the question is about something else. English alone is read so.
"""

from __future__ import annotations

import re

from weft.domain.frozen import dataclass
from weft.language.patterns import korean_pattern, pattern
from weft.offline.chains.chains import Desktop
from weft.offline.question.names import key_of

_JOINT = r"(?:of|the|de|von|van|der|den|du|da|di|la|le|el|al|y|in|to|for|on|with|a|from|at|by)"
_CAPITAL = r"[A-ZÀ-Þ0-9][^\s,;?\"“”]*"
_NAME = rf"{_CAPITAL}(?: (?:{_JOINT} ){{0,2}}{_CAPITAL})*"
_LEFT = pattern(rf"({_NAME})[,\"”\s]*$")
_RIGHT = pattern(rf"\s*(?:the |a |an )?[\"“]?({_NAME})")
# Characters before "or" in which the name on its left stands.
_REACH = 200
_OR = pattern(r",? or ")
_AND = pattern(r",? and ")
_CHOOSES = pattern(
    r"(?:which|who|whose|what|between|is|are|was|were|did|does|do|has|have|had)\b", re.IGNORECASE
)
_CONFIRMS = pattern(r"(?:are|is|were|was|do|does|did|have|has|had|could|can|both)\b", re.IGNORECASE)
_OPENING = pattern(
    r"^(?:(?:are|is|were|was|do|does|did|have|has|had|could|can|both|the|between|which|who|what)"
    r" )+",
    re.IGNORECASE,
)
_ASIDE = pattern(r"\s*\([^()]*\)")
# "Manon by Massenet" has a document of the name alone.
_MAKER = pattern(r" (?:by|of|from) [^,]*$")
_ARTICLE = r"(?:(?:the|a|an) )?"
# "Which is older, the mill or the tower?", "Is the mill of Oss higher than that of Ede?"
_SIDES = (
    pattern(
        rf"[,:] {_ARTICLE}([^,:?]{{2,60}}?),? or {_ARTICLE}([^,:?]{{2,60}}?)\W*$", re.IGNORECASE
    ),
    pattern(
        rf"^(?:is|are|was|were) (?!there ){_ARTICLE}"
        rf"(?:[^,?]{{2,60}} of (?=[^?]*than th(?:at|ose) of ))?([^,?]{{2,60}}?) "
        rf"(?:[a-z]+er|(?:more|less|better|worse)(?: [a-z]+)?)(?: [a-z]+)? than "
        rf"(?:th(?:at|ose) of )?{_ARTICLE}([^,?]{{2,60}}?)\W*$",
        re.IGNORECASE,
    ),
    korean_pattern(r"(\S{1,30}?)(?:와|과|하고|이랑|랑) (\S{1,30}?)(?:은|는|이|가)? (?:중|가운데)"),
    korean_pattern(r"(\S{1,30}?)(?:은|는|이|가) (\S{1,30}?)보다"),
)
# A longer question tells a story, and what it joins is a part of that.
_MOST_WORDS = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The two names, what the question says behind them, and whether it `chooses` one of them."""

    names: tuple[str, str]
    rest: str
    chooses: bool


def read_pair(text: str) -> Pair | None:
    """Return the two things that an English question chooses between or asks the same of."""
    text = " ".join(_ASIDE.sub("", text).split())
    if len(text.split()) > _MOST_WORDS:
        return None
    for begins, joins in ((_CHOOSES, _OR), (_CONFIRMS, _AND)):
        joints = list(joins.finditer(text))
        if begins.match(text) and len(joints) == 1:
            return _around(text, joints[0], chooses=joins is _OR)
    return None


def sides_of(text: str) -> tuple[str, ...]:
    """Return the two things that a question sets side by side, however written; none without."""
    pair = read_pair(text)
    if pair is not None:
        return pair.names
    said = " ".join(text.split())[-_REACH:]
    found = next((match for one in _SIDES if (match := one.search(said))), None)
    return () if found is None else (found[1], found[2])


def _around(text: str, joint: re.Match[str], *, chooses: bool) -> Pair | None:
    left, right = (
        _LEFT.search(text[max(joint.start() - _REACH, 0) : joint.start()]),
        _RIGHT.match(text, joint.end()),
    )
    if left is None or right is None:
        return None
    names = _OPENING.sub("", left[1]), right[1].rstrip(".")
    if not all(map(key_of, names)):
        return None
    return Pair(names=names, rest=text[right.end() :], chooses=chooses)


def lacking(text: str, desk: Desktop) -> tuple[str, ...]:
    """Return those of a question's two names that nothing found is about.

    There are none where it has no two, or where one passage has both.
    """
    pair = read_pair(text)
    if pair is None:
        return ()
    keys = [key_of(name) for name in pair.names]
    if set(desk.naming(keys[0], most=None)) & set(desk.naming(keys[1], most=None)):
        return ()
    whole = f" {key_of(text)} "
    return tuple(
        name
        for name, key in zip(pair.names, keys, strict=True)
        if not _is_part(key, whole, desk)
        and not any(_is_subject(each, desk) for each in {key, key_of(_MAKER.sub("", name))})
    )


def _is_part(key: str, question: str, desk: Desktop) -> bool:
    """Tell whether a name is but a part of a known one that the question has: "Lying, Sleeping"."""
    around = (known for known in desk.known if f" {key} " in f" {known} ")
    return any(f" {known} " in question for known in around)


def _is_subject(key: str, desk: Desktop) -> bool:
    """Tell whether a title, a row or some sentence begins with a name, so that it is about it."""
    if key in desk.known or desk.rows(key):
        return True
    size = len(key.split()) + 1
    return any(
        key_of(" ".join(sentence.text.split()[:size])).startswith(key)
        for one in desk.naming(key, most=None)
        for sentence in desk.sentences(one)
    )
