"""Where a chain or a comparison breaks: the hop that leads no further, the side that is missing."""

from __future__ import annotations

from weft.domain.notes import note
from weft.offline.chains.chains import Trail
from weft.offline.chains.hops import Asked
from weft.offline.chains.pairs import lacking
from weft.offline.question.cues import cues
from weft.offline.question.names import key_of
from weft.offline.question.question import is_choice
from weft.offline.question.roles import language_of

_SPOKEN = 2
# Where so much of what is named has a passage of its own, nothing named means nothing there.
NAMING = 0.25
# Roles that many small words may stand for: not finding them proves little.
_LOOSE = frozenset({"location", "performer", "employer"})


def where_broken(asked: Asked, *, naming: float) -> str:
    """Return in words where a chain or a comparison breaks; empty where nothing surely does."""
    return _failed_hop(asked) or _one_of_two(asked, naming=naming)


def _failed_hop(asked: Asked) -> str:
    """Return which hop of a chain does not resolve."""
    if not asked.plan.is_chain:
        return ""
    for trail in asked.trails:
        if trail.failed and _is_sure(trail) and not _is_said_elsewhere(asked, trail):
            return hop_text(asked.plan.text, trail)
    return ""


def _is_said_elsewhere(asked: Asked, trail: Trail) -> bool:
    """Tell whether passages elsewhere speak of the name that was found.

    That is several of them, or one sentence that says what comes next in the question.
    """
    key, at = key_of(trail.name), len(trail.hops) + 1
    others = [one for one in asked.desk.naming(key, most=None) if one not in trail.ends]
    if key and len(others) >= _SPOKEN:
        return True
    following = trail.way.roles[at : at + 1]
    cue = asked.plan.relation.cue if asked.plan.relation else None
    if following:
        cue = cues(language_of(asked.plan.text)).roles[following[0]].cue
    if not key or cue is None:
        return False
    return any(
        cue.search(sentence.text) and asked.desk.says(sentence, key)
        for one in others
        for sentence in asked.desk.sentences(one)
    )


def _one_of_two(asked: Asked, *, naming: float) -> str:
    """Return which of the things compared has no document."""
    names = _undefined(asked) or one_sided(asked, naming=naming)
    if not names:
        return ""
    return note("one_sided", language=language_of(asked.plan.text), words=", ".join(names))


def one_sided(asked: Asked, *, naming: float) -> tuple[str, ...]:
    """Return those of two things set side by side that nothing is about.

    It is a sign only where most of what is named has a passage of its own.
    """
    return lacking(asked.plan.text, asked.desk) if naming >= NAMING else ()


def _undefined(asked: Asked) -> tuple[str, ...]:
    """Return the one of two things compared that no passage defines, where the other is."""
    plan = asked.plan
    if plan.same is None and (plan.measure is None or not is_choice(plan.text)):
        return ()
    names = tuple(trail.way.name for trail in asked.trails[-2:] if trail.is_undefined)
    return names if len(names) == 1 else ()


def _is_sure(trail: Trail) -> bool:
    """Tell whether a role is one that a document would say in words, had it been there."""
    at = len(trail.hops)
    if at == 0 and trail.is_undefined:
        return trail.way.roles[at] not in _LOOSE
    return trail.way.roles[at] not in _LOOSE and " " in trail.name


def hop_text(question: str, trail: Trail) -> str:
    """Return in the question's language which hop of a chain did not resolve."""
    said = language_of(question)
    if trail.name:
        return note(
            "hop_unfound",
            language=said,
            name=trail.holder,
            role=trail.failed,
            filler=trail.name,
        )
    return note("hop_unsaid", language=said, name=trail.holder, role=trail.failed)
