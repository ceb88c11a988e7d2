"""Which sentences answer: a sum of small reasons, since likeness alone picks the wrong ones.

The sentence that answers rarely repeats the question: over two documents it says what the question
leaves open of the thing that the first document leads to. The weights are those of the measured
recipe, moved once on development questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from weft.language.terms import terms as terms_of
from weft.language.terms import word_terms
from weft.offline.chains.chains import is_open
from weft.offline.chains.readings import Asked
from weft.offline.chains.saying import FIELDS, said_about
from weft.offline.choice.diversity import says_again, spread
from weft.offline.evidence.coverage import covered, occurs, share
from weft.offline.evidence.passages import (
    Candidate,
    ReadPassage,
    fields_of,
    is_row,
    link_share,
    stems_of,
)
from weft.offline.evidence.values import has_country
from weft.offline.question.names import key_of, names_among, tokens
from weft.offline.question.question import Question, QuestionKind, alike, holds_answer, holds_kind
from weft.offline.question.wanting import Want, gives, want_of
from weft.retrieval.hits import QuestionTerm

WEIGHTS: Mapping[str, float] = {
    "cosine": 1.0,
    "about": 0.25,  # what is asked is said in it, and what it is asked of just before or above
    "residual": 0.5,  # the question's words that neither the title nor the bridge gives
    "anchor": 0.5,  # the question's words that the passage's title and address give
    "mention": 0.2,  # the question's words in the sentence itself
    "kind": 0.5,  # a date for when, a figure for how many ...
    "field": 0.6,  # a line "Key: value" whose key is what is asked
    "subject": 0.3,  # "X is a ..." for "What is X?"
    "found": 0.3,  # how well the passage as a whole was found
    "end": 0.5,  # a passage that the question's roles lead to
    "cue": 0.2,  # a word that says what is asked
    "end_cue": 0.4,  # such a word where the roles lead to
    "bridge": 0.3,  # a passage that one on a name of the question leads to
    "lead": 0.2,  # the first sentence there
    "named": 0.3,  # it names what the roles lead to
    "hop": 0.3,  # the sentence by which a role was followed
    "position": -0.2,
    "length": -0.1,
    "echo": -0.6,
    "links": -0.2,
}
MOST_SENTENCES = 3
# Beside the best sentence, further ones must come this close to it.
MARGIN = 0.45
# From this cosine on a sentence surely is about what is asked.
SURE = 0.6
WANTS = (Want.PERSON, Want.NAME, Want.CONTACT)
LED = 0.6
_LONG = 300
_MOSTLY = 0.4
# A sentence that asks or announces.
LEADS_IN = re.compile(r"\?[*_”\"]*$|:[*_]*$")
_WHO_IS = re.compile(r"^\s*who (?:is|was) (.+?)\s*\?*\s*$", re.IGNORECASE)
_HEADS = 3
_HANDED = 0.1
_LEADING = 0.5
_SUMMARY = frozenset({"summari", "descript", "definit", "about"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A sentence, its score and the reasons."""

    candidate: Candidate
    score: float
    reasons: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bridge:
    """A sentence of a passage on a name of the question, which names another passage."""

    sentence: Candidate
    target: str
    share: float


def score_all(asked: Asked, passages: Sequence[ReadPassage]) -> list[Scored]:
    """Return the sentences of some passages with their scores, best first."""
    bridges = bridges_of(asked)
    ends = {end for trail in asked.trails if trail.is_followed for end in trail.ends}
    hops = {
        (hop.sentence.evidence_id, hop.sentence.place)
        for trail in asked.trails
        for hop in trail.hops
    }
    holders = [frozenset(key_of(trail.holder).split()) for trail in asked.trails if trail.hops]
    found: list[Scored] = []
    about = said_about(asked)
    for passage in passages:
        bridge = bridges.get(passage.evidence_id)
        context = _context(asked, passage, bridge, is_end=passage.evidence_id in ends)
        for candidate in asked.desk.sentences(passage.evidence_id):
            reasons = dict(_reasons(context, candidate))
            reasons["about"] = about.get(
                (candidate.evidence_id, candidate.place, candidate.text), 0.0
            )
            reasons["named"] = float(any(names <= set(_keys(candidate)) for names in holders))
            reasons["hop"] = float((candidate.evidence_id, candidate.place) in hops)
            score = sum(WEIGHTS[name] * value for name, value in reasons.items())
            found.append(Scored(candidate=candidate, score=score, reasons=reasons))
    return sorted(_answered(found), key=rank)


def _answered(found: Sequence[Scored]) -> Iterable[Scored]:
    """Yield sentences; what asks or announces gives its score to the sentence that follows it.

    Minutes and interviews are headed by questions: what is wanted stands below.
    """
    gift = 0.0
    of = ""
    for one in found:
        if one.candidate.evidence_id != of:
            gift, of = 0.0, one.candidate.evidence_id
        leads = LEADS_IN.search(one.candidate.text) is not None
        score = max(one.score, gift)
        gift = score - _HANDED if leads or gift > one.score else 0.0
        yield replace(one, score=one.score - _LEADING if leads else score)


def pick(asked: Asked, scored: Sequence[Scored]) -> list[Candidate]:
    """Return at most three sentences, best first; along a chain, those by which it was followed."""
    followed = [trail for trail in asked.trails if trail.is_followed]
    chosen: list[Candidate] = []
    if followed:
        ends = {end for trail in followed for end in trail.ends}
        hops = [hop.sentence for trail in followed for hop in trail.hops]
        there = [one.candidate for one in scored if one.candidate.evidence_id in ends]
        last = there[:2] if asked.plan.relation is not None else []
        open_ = is_open(asked.plan)
        chosen = [*(hops[-1:] if open_ else hops[::-1]), *last]
    picked = unlike([*chosen, *(one.candidate for one in _near(asked, scored))])
    several = asked.question.is_compound or asked.plan.is_chain or asked.question.compares
    return spread(
        picked,
        [one.candidate for one in scored],
        passages=asked.desk.passages,
        bridged=None if several else bridges_of(asked),
        most=MOST_SENTENCES,
    )


def _near(asked: Asked, scored: Sequence[Scored]) -> Iterable[Scored]:
    """Yield what may stand beside the best sentence: for a plain question, only what comes near."""
    if asked.question.is_compound or asked.plan.is_chain or not scored:
        return scored
    kept = [one for one in scored if _may_answer(asked.question, one.candidate)] or scored
    return [one for one in kept if one.score >= kept[0].score - MARGIN]


def _may_answer(question: Question, candidate: Candidate) -> bool:
    """Tell whether a sentence holds the figure or date that the question cannot do without."""
    if question.kind is QuestionKind.NUMBER:
        return holds_answer(question, candidate.text)
    if question.kind is QuestionKind.DATE and candidate.hit.cosines:
        return candidate.cosine >= SURE or holds_kind(QuestionKind.DATE, candidate.text)
    return True


def unlike(ranked: Iterable[Candidate]) -> list[Candidate]:
    """Return the first three sentences that do not say the same again."""
    kept: list[Candidate] = []
    for candidate in ranked:
        if not any(says_again(candidate, other) for other in kept):
            kept.append(candidate)
        if len(kept) == MOST_SENTENCES:
            break
    return kept


def _keys(candidate: Candidate) -> Sequence[str]:
    return [token.key for token in tokens(candidate.text)]


def rank(one: Scored) -> tuple[float, str, int]:
    """Return what orders scored sentences, ties by where they stand."""
    return -one.score, one.candidate.hit.evidence.chunk_id, one.candidate.place


def bridges_of(asked: Asked) -> dict[str, Bridge]:
    """Return for passages the best sentence that leads to them from a name of the question."""
    starts = {one for way in asked.plan.ways for one in asked.desk.known.get(way.key, ())}
    own = {way.key for way in asked.plan.ways}
    found: dict[str, Bridge] = {}
    for start in sorted(starts):
        if start not in asked.desk.by_id:
            continue
        titled = covered(asked.terms, asked.desk.by_id[start].place)
        open_terms = [term for term in asked.terms if term.stem not in titled]
        for sentence in asked.desk.sentences(start):
            said = share(open_terms, covered(open_terms, sentence.stems))
            for named in names_among(sentence.text, asked.desk.known):
                if named.key in own:
                    continue
                for target in asked.desk.known[named.key]:
                    held = found.get(target)
                    if target not in starts and (held is None or said > held.share):
                        found[target] = Bridge(sentence=sentence, target=target, share=said)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Context:
    """What the sentences of one passage are scored against."""

    asked: Asked
    anchor: float
    residual: list[QuestionTerm]
    bridge: float
    is_end: bool
    best: float = 1.0


def _context(
    asked: Asked, passage: ReadPassage, bridge: Bridge | None, *, is_end: bool
) -> _Context:
    anchors = covered(asked.terms, passage.stems if is_row(passage.hit) else passage.place)
    given = anchors
    if bridge is not None:
        given |= covered(asked.terms, bridge.sentence.stems)
    if is_end:
        names = {s for way in asked.plan.ways for w in way.key.split() for s in word_terms(w)}
        roles = {s for way in asked.plan.ways for said in way.said for s in word_terms(said)}
        given |= frozenset(names | roles)
    return _Context(
        asked=asked,
        anchor=share(asked.terms, anchors),
        residual=[term for term in asked.terms if term.stem not in given],
        bridge=0.0 if bridge is None else 0.5 + bridge.share,
        is_end=is_end,
        best=max((p.hit.score for p in asked.desk.passages), default=0.0) or 1.0,
    )


def _reasons(context: _Context, candidate: Candidate) -> Mapping[str, float]:
    asked = context.asked
    wanted = context.residual or asked.terms
    held = covered(asked.terms, candidate.stems)
    there = held | covered(asked.terms, candidate.head)
    found = candidate.hit.score / context.best
    relation = asked.plan.relation
    cue = float(bool(relation and relation.cue and relation.cue.search(candidate.text)))
    kind = float(_holds(asked, candidate))
    return {
        "cosine": candidate.cosine + LED * max(0.0, candidate.led - candidate.cosine),
        "residual": share(wanted, there),
        "anchor": 0.0 if context.is_end else context.anchor,
        "mention": share(asked.terms, held),
        "kind": kind,
        "field": _field_share(asked, wanted, candidate=candidate) * (1 + found) / 2,
        "subject": float(_is_definition(asked, candidate) or _is_own_row(asked, candidate)),
        "found": found,
        "end": float(context.is_end),
        "cue": cue * max(kind, 0.5),
        "end_cue": cue * float(context.is_end),
        "bridge": context.bridge,
        "lead": float(context.is_end and candidate.place == 0),
        "position": min(candidate.place, 6) / 6,
        "length": float(len(candidate.text) > _LONG),
        "echo": float(_is_echo(asked, candidate)),
        "links": float(link_share(candidate.text) > _MOSTLY),
    }


def _holds(asked: Asked, candidate: Candidate) -> float:
    """Return how surely, 0 to 1, a sentence holds something of the kind that is asked for."""
    relation = asked.plan.relation
    question, text = asked.question, candidate.text
    if question.kind is QuestionKind.NUMBER:
        return gives(question, text, known=asked.known)
    if relation is not None and relation.kind == "nationality":
        return has_country(text)
    if relation is not None and relation.kind in ("date", "number", "place"):
        return holds_kind(QuestionKind(relation.kind), text)
    if want_of(question) in WANTS:
        return gives(question, text, known=asked.known)
    return holds_answer(question, text)


def _field_share(asked: Asked, wanted: Sequence[QuestionTerm], *, candidate: Candidate) -> float:
    """Return how much of a field's key the question asks for, 0 to 1."""
    kind = FIELDS.get(asked.question.kind)
    if asked.question.kind is QuestionKind.DEFINITION and stems_of(candidate.field) & _SUMMARY:
        return 1.0
    said = frozenset[str]().union(*(alike(term.stem) for term in wanted))
    best = 0.0
    for field in fields_of(candidate.text):
        if kind is not None and kind.fullmatch(field):
            return 1.0
        keys = stems_of(field)
        best = max(best, len(keys & said) / len(keys) if keys else 0.0)
    return best


def _is_definition(asked: Asked, candidate: Candidate) -> bool:
    """Tell whether a sentence begins by saying of the thing asked for what it is."""
    if asked.question.kind is not QuestionKind.DEFINITION:
        return False
    first = stems_of(" ".join(candidate.text.split()[:4]))
    named = any(occurs(term.stem, first) for term in asked.terms)
    return named and holds_kind(QuestionKind.DEFINITION, " ".join(candidate.text.split()[:8]))


def _is_own_row(asked: Asked, candidate: Candidate) -> bool:
    """Tell whether a row is headed by the name of whom a question asks who it is."""
    name = _WHO_IS.match(asked.plan.text)
    if name is None or not is_row(candidate.hit):
        return False
    heads = candidate.text.splitlines()[:_HEADS]
    return any(key_of(line.partition(":")[2]) == key_of(name[1]) for line in heads)


def _is_echo(asked: Asked, candidate: Candidate) -> bool:
    """Tell whether a sentence holds nothing but the question's own words and a field's key."""
    known = frozenset(term.stem for term in asked.terms) | stems_of(candidate.field)
    return frozenset(terms_of(candidate.text)) <= known
