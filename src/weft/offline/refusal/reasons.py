"""When there is no answer: what of the question does not stand in what the caller may read.

A refusal names it: first the names that occur nowhere, else the words that never stand together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from weft.domain.notes import note
from weft.language.terms import fold, plain, word_terms
from weft.offline.chains.chains import Trail
from weft.offline.chains.readings import Asked
from weft.offline.chains.saying import is_organisation, what_is_not_said
from weft.offline.choice.pairs import lacking
from weft.offline.choice.picking import Scored
from weft.offline.evidence.coverage import NAME_SPELLING, covered, is_spelt_like, occurs, share
from weft.offline.evidence.passages import ReadPassage
from weft.offline.question.cues import cues
from weft.offline.question.names import key_of
from weft.offline.question.question import Question, QuestionKind
from weft.offline.question.roles import language_of
from weft.offline.question.wanting import want_of
from weft.offline.refusal.absence import is_day, is_rare_name, unknown_names
from weft.offline.refusal.kinds import is_measured, lacks_kind, what_is_asked
from weft.retrieval.hits import Hit, QuestionTerm

# The weight of the question's words that one document, and the three best passages, must hold.
# Set by hand so that handmade corpora (a name, an attribute, or their meeting absent) come out
# right; what it comes to on development questions is in docs/decisions/0015-offline-answers.md.
DOCUMENT_SHARE = 0.55
TOP_SHARE = 0.6
# Korean is compared by pieces of words, and what joins them differs from text to text.
KOREAN = 0.5
# What is said of a thing helps with "may I" and "is it" in other words as well.
YES_NO = 0.75
# Of a question that goes over several documents, they need not hold the words in between.
SEVERAL_SHARE = 0.5
# Below it nothing found is even about the question.
COSINE = 0.2
# A sentence this near in meaning answers in other words, where no name is missing.
SURE_COSINE = 0.58
SURE_SHARE = 0.34
SURE_ATTRIBUTE = 0.7
# A passage that surely was looked for may say it in words of its own.
SURE_FOUND = 0.86
FOUND_SHARE = 0.34
# Documents with less than this part of the best one's share are about something else.
MEANT = 0.75
_SPOKEN = 2
_INITIALS = re.compile(r"(?:\w\.)*\w\.?")
# Where so much of what is named has a passage of its own, and the best passages score lower than
# this and hold less of the question, nothing named means nothing there.
NAMING = 0.25
FOUND = 0.5
WHOLE = 0.9
# Roles that many small words may stand for: not finding them proves little.
_LOOSE = frozenset({"location", "performer", "employer"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why there is no answer: what was not found, and in words where the search ended."""

    missing: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A document as far as it was found: the question's terms it holds, and what share they are.

    `anchor` is the share of those in its title and address alone.
    """

    key: tuple[str, str]
    stems: frozenset[str]
    held: frozenset[str]
    share: float
    anchor: float


def read_documents(terms: Sequence[QuestionTerm], passages: Sequence[ReadPassage]) -> list[Known]:
    """Return the documents of some passages, that with the greatest share of the terms first."""
    stems: dict[tuple[str, str], frozenset[str]] = {}
    places: dict[tuple[str, str], frozenset[str]] = {}
    for passage in passages:
        key = passage.document
        stems[key] = stems.get(key, frozenset()) | passage.stems
        places[key] = passage.place
    found: list[Known] = []
    for key, words in stems.items():
        held = covered(terms, words)
        found.append(
            Known(
                key=key,
                stems=words,
                held=held,
                share=share(terms, held),
                anchor=share(terms, covered(terms, places[key])),
            )
        )
    return sorted(found, key=lambda known: (-known.share, -known.anchor, known.key))


def is_meant(known: Known, documents: Sequence[Known], *, part: float = MEANT) -> bool:
    """Tell whether a document holds about as much of the question as the best one does."""
    return known.share >= part * documents[0].share


def why_not(
    asked: Asked, passages: Sequence[ReadPassage], *, scored: Sequence[Scored], naming: float = 0.0
) -> Refusal | None:
    """Return why a question has no answer in some passages; None when it can be answered.

    First what can be named for sure: names that stand nowhere, a hop that leads no further. Then
    how much of the question the passages hold together.
    """
    unknown = unknown_names(asked.plan, asked.terms, desk=asked.desk)
    if unknown:
        return Refusal(missing=unknown)
    refusal = _failed_hop(asked) or _one_of_two(asked, naming=naming)
    if refusal is not None:
        return refusal
    if any(trail.is_followed for trail in asked.trails) and asked.plan.is_chain:
        return None
    if _is_about_nothing(asked, passages, naming=naming):
        names = [trail.way.name for trail in asked.trails] or list(asked.plan.beside)
        return Refusal(missing=tuple(names))
    if lacks_kind(asked, scored):
        said = note(f"lacks_{want_of(asked.question)}", language=language_of(asked.question.text))
        return Refusal(missing=what_is_asked(asked), reason=said)
    if is_measured(asked, scored):
        return None
    missing = what_is_missing(asked, passages) or what_is_not_said(asked)
    return Refusal(missing=missing) if missing else None


def _failed_hop(asked: Asked) -> Refusal | None:
    """Return the refusal of a chain whose hop does not resolve, the hop named."""
    if not asked.plan.is_chain:
        return None
    for trail in asked.trails:
        if trail.failed and _is_sure(trail) and not _is_said_elsewhere(asked, trail):
            named = trail.name or trail.failed
            return Refusal(missing=(named,), reason=hop_text(asked.plan.text, trail))
    return None


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


def _one_of_two(asked: Asked, *, naming: float) -> Refusal | None:
    """Return the refusal of a comparison where one of the things has no document."""
    names = _undefined(asked) or one_sided(asked, naming=naming)
    if not names:
        return None
    said = language_of(asked.plan.text)
    return Refusal(missing=names, reason=note("one_sided", language=said, words=", ".join(names)))


def one_sided(asked: Asked, *, naming: float) -> tuple[str, ...]:
    """Return those of two things set side by side that nothing is about.

    It is a sign only where most of what is named has a passage of its own.
    """
    return lacking(asked.question.text, asked.desk) if naming >= NAMING else ()


def _undefined(asked: Asked) -> tuple[str, ...]:
    """Return the one of two things compared that no passage defines, where the other is."""
    plan = asked.plan
    if plan.same is None and (
        plan.measure is None or asked.question.kind is not QuestionKind.CHOICE
    ):
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


def _is_about_nothing(asked: Asked, passages: Sequence[ReadPassage], *, naming: float) -> bool:
    """Tell whether a question gives names, but no passage is about any of them.

    It is a sign only where most of what is named has a passage of its own, and nothing comes near.
    """
    if naming < NAMING or any(not trail.is_undefined for trail in asked.trails):
        return False
    names = [*(trail.way.name for trail in asked.trails), *asked.plan.beside]
    names = [name for name in names if not is_day(name)]
    long = [words for name in names if len(words := key_of(name).split()) > 1]
    rare = [words for words in long if is_rare_name(words, asked.terms)]
    if not rare or any(_is_subject(asked, " ".join(words)) for words in rare):
        return False
    if any(len(asked.desk.naming(" ".join(words))) > _SPOKEN for words in rare):
        return False  # what several passages name is spoken of, though none is about it alone
    scores = sorted((passage.hit.score for passage in passages), reverse=True)[:3]
    documents = read_documents(asked.terms, passages)[:3]
    together = share(asked.terms, frozenset[str]().union(*(known.held for known in documents)))
    return sum(scores) < len(scores) * FOUND and together < WHOLE


def _is_subject(asked: Asked, key: str) -> bool:
    """Tell whether some sentence begins with a name: it speaks of whoever bears it."""
    return not asked.question.is_compound and any(
        key_of(" ".join(sentence.text.split()[: len(key.split()) + 1])).startswith(key)
        for one in asked.desk.naming(key)
        for sentence in asked.desk.sentences(one)
    )


def what_is_missing(asked: Asked, passages: Sequence[ReadPassage]) -> tuple[str, ...]:
    """Return what of a question has no evidence; empty when it can be answered."""
    question, terms = asked.question, asked.terms
    hits = [passage.hit for passage in passages]
    near = frozenset[str]().union(*(passage.stems for passage in passages))
    absent = _absent_names(question, terms, near=near, hits=hits)
    if absent:
        return absent
    if not hits:
        return _said(terms) or (question.text,)
    names = [name for name in question.names if not is_organisation(asked, name)]
    terms = _without(terms, set(question.names) - set(names))
    documents = read_documents(terms, passages)
    best = documents[:3] if question.compares or question.is_compound else documents[:1]
    together = share(terms, frozenset[str]().union(*(known.held for known in best)))
    cosine = max((max((hit.cosine, *hit.cosines)) for hit in hits), default=0.0)
    if any(hit.cosines for hit in hits) and cosine < COSINE:
        return _said(terms)
    followed = asked.plan.is_chain and all(trail.hops or trail.name for trail in asked.trails)
    lacks = not (question.is_compound or followed) and _lacks_attribute(
        replace(question, names=tuple(names)), documents, passages
    )
    if lacks and cosine < SURE_ATTRIBUTE:
        return (question.attribute,)
    top = share(terms, frozenset[str]().union(*(covered(terms, p.stems) for p in passages[:3])))
    if _is_enough(asked, hits, together=together, top=top):
        return ()
    if cosine >= SURE_COSINE and together >= SURE_SHARE:
        return ()
    meant = max(documents, key=lambda document: (document.anchor, document.share))
    return _said(t for t in terms if t.stem not in meant.held) or _said(terms)


def _is_enough(asked: Asked, hits: Sequence[Hit], *, together: float, top: float) -> bool:
    """Tell whether one document and the three best passages hold enough of a question."""
    most = max(together, top)
    if asked.question.is_compound and most >= SEVERAL_SHARE:
        return True
    sure = not asked.plan.ways and max(hit.score for hit in hits) >= SURE_FOUND
    if sure and most >= FOUND_SHARE:
        return True
    looser = KOREAN if asked.question.is_korean else 1.0
    if asked.question.kind is QuestionKind.YES_NO:
        looser *= YES_NO
    return together >= looser * DOCUMENT_SHARE and top >= looser * TOP_SHARE


def refusal_text(question: str, missing: Sequence[str]) -> str:
    """Return a polite refusal in the question's language that names what was not found."""
    named = ", ".join(f"“{one}”" for one in missing[:5])
    if any("가" <= char <= "힣" for char in question):
        found = f": {named}" if named else ""
        return f"읽을 수 있는 문서에서 답을 뒷받침할 근거를 찾지 못했습니다{found}."
    about = f" of {named}" if named else " that answers this"
    return f"I cannot answer this from the documents you may read: I found nothing{about}."


def spent_text(question: str) -> str:
    """Return a refusal in the question's language for a run whose budget was used up first."""
    if any("가" <= char <= "힣" for char in question):
        return "쓸 수 있는 예산이 먼저 다 쓰여 답하지 못했습니다."
    return "I cannot answer this: what may be spent on it was used up first."


def _absent_names(
    question: Question, terms: Sequence[QuestionTerm], *, near: frozenset[str], hits: Sequence[Hit]
) -> tuple[str, ...]:
    known = {term.stem for term in terms if term.df > 0}
    texts = [fold(f"{h.evidence.title}\n{h.evidence.uri}\n{h.evidence.text}") for h in hits]
    absent = [
        code
        for code in question.codes
        if not _INITIALS.fullmatch(code)
        and not _is_there(code, known=known, near=near, texts=texts)
    ]
    absent += [
        phrase
        for phrase in question.phrases
        if not any(fold(phrase) in text for text in texts)
        and not all(stem in known for word in phrase.split() for stem in word_terms(word))
    ]
    for name in question.names:
        stems = word_terms(plain(name))
        if not any(fold(name) in code for code in question.codes):
            absent += [name for stem in stems[:1] if not _stands(stem, known, near)]
    return tuple(dict.fromkeys(absent))


def _is_there(code: str, *, known: set[str], near: frozenset[str], texts: Sequence[str]) -> bool:
    """Tell whether an identifier occurs as such; for joined plain words, their parts suffice."""
    if code in known or code in near or any(code in text for text in texts):
        return True
    parts = [
        stem
        for word in code.replace("-", " ").replace("_", " ").split()
        for stem in word_terms(word)
    ]
    figures = any(char.isdigit() for char in code)
    return not figures and bool(parts) and all(_stands(part, known, near) for part in parts)


def _stands(stem: str, known: set[str], near: frozenset[str]) -> bool:
    return stem in known or stem in near or is_spelt_like(stem, near, spelling=NAME_SPELLING)


def _lacks_attribute(
    question: Question, documents: Sequence[Known], passages: Sequence[ReadPassage]
) -> bool:
    """Tell whether nothing that the question can mean speaks of what it asks for.

    Where it gives names, that is the passages that have them, and the one found first.
    """
    stems = word_terms(question.attribute) if question.attribute else ()
    names = frozenset(s for name in question.names for s in word_terms(plain(name)))
    if names and any(names <= passage.stems for passage in passages):
        meant = [p.stems for p in passages if names <= p.stems] + [passages[0].stems]
    else:
        anchor = max(known.anchor for known in documents)
        meant = [
            known.stems
            for known in documents
            if known.anchor >= anchor / 2 and (anchor or is_meant(known, documents))
        ]
    return any(not any(occurs(stem, own) for own in meant) for stem in stems)


def _without(terms: Sequence[QuestionTerm], names: Iterable[str]) -> Sequence[QuestionTerm]:
    """Return terms without those of some names, unless nothing would be left."""
    gone = {stem for name in names for stem in word_terms(plain(name))}
    return [term for term in terms if term.stem not in gone] or terms


def _said(terms: Iterable[QuestionTerm]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term.words[0] for term in terms if term.words))
