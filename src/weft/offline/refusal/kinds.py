"""Whether a thing of the kind that is asked for stands where a question seems to be answered."""

from __future__ import annotations

import re
from collections.abc import Sequence

from weft.language.terms import word_terms
from weft.offline.chains.readings import Asked
from weft.offline.chains.saying import read_asking
from weft.offline.choice.picking import WEIGHTS, Scored, rank
from weft.offline.question.measures import gives_measure
from weft.offline.question.question import QuestionKind
from weft.offline.question.wanting import Want, gives, want_of

# What is asked for stands in a sentence that scores nearly as well as the best, or just behind it.
NEAR_KIND = 0.75
NEAR_NAME = 0.3
BEHIND = 2
BEST = 3
# A passage far below the one found first has its figures by chance.
FOUND = 0.15
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def lacks_kind(asked: Asked, scored: Sequence[Scored]) -> bool:
    """Tell whether nothing near the best sentence holds a thing of the kind that is asked for.

    What is asked about is found, but no person, sum, day or place stands there, nor just behind.
    """
    if not scored or want_of(asked.question) is Want.ANYTHING or _goes_by_names(asked):
        return False
    ranked = sorted(scored, key=lambda one: (-_bare(one), *rank(one)))
    best = ranked[0]
    margin = NEAR_NAME if want_of(asked.question) is Want.NAME else NEAR_KIND
    near = (one.candidate for one in ranked if _bare(one) >= _bare(best) - margin)
    after = asked.desk.sentences(best.candidate.evidence_id)
    behind = (one for one in after if 0 < one.place - best.candidate.place <= BEHIND)
    return not any(
        gives(asked.question, one.text, known=asked.known) >= 1.0 for one in (*near, *behind)
    )


def _goes_by_names(asked: Asked) -> bool:
    """Tell whether a question leads from what it names to something else."""
    return asked.question.is_compound and bool(asked.plan.ways or asked.plan.beside)


def _bare(one: Scored) -> float:
    """Return a sentence's score without what it has for holding something of the kind."""
    return one.score - sum(WEIGHTS[name] * one.reasons[name] for name in ("kind", "field"))


def what_is_asked(asked: Asked) -> tuple[str, ...]:
    """Return the words that say what a question asks of the thing that it names."""
    wanted = read_asking(asked).wanted or asked.terms
    return tuple(dict.fromkeys(term.words[0] for term in wanted if term.words))


def is_measured(asked: Asked, scored: Sequence[Scored]) -> bool:
    """Tell whether one of the best sentences has just what is counted, and the years asked of.

    That says more than how many of a question's words stand there. An address is as good.
    """
    contact = want_of(asked.question) is Want.CONTACT
    counted = (
        asked.question.kind is QuestionKind.NUMBER
        and gives_measure(asked.question.asks, "") is False
    )
    return (contact or counted) and any(_gives_just_that(asked, one) for one in scored[:BEST])


def _gives_just_that(asked: Asked, one: Scored) -> bool:
    if gives(asked.question, one.candidate.text, known=asked.known) < 1.0:
        return False
    passage = asked.desk.by_id[one.candidate.evidence_id]
    if passage.hit.score < FOUND * max(other.hit.score for other in asked.desk.passages):
        return False
    named = {
        stem for way in asked.plan.ways for word in way.key.split() for stem in word_terms(word)
    }
    years = _YEAR.findall(asked.question.text)
    said = all(year in one.candidate.text or year in passage.place for year in years)
    return said and named <= passage.stems
