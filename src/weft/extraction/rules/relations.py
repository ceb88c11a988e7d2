"""Claims by rules: cue phrases between two names of a sentence, and the dates of lives."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence

from weft.domain.claim import Claim, Mention, Method, claim_id
from weft.domain.document import Chunk
from weft.domain.frozen import dataclass
from weft.extraction.rules.columns import field_claims, subject_of
from weft.extraction.rules.cues import WORD, CueBook, KoreanCue, PlacedCue, cue_book, placed_cues
from weft.extraction.rules.mentions import sentence_starts
from weft.extraction.rules.row_claims import row_claims
from weft.extraction.rules.table_rows import StatingRow
from weft.language.hangul import has_hangul
from weft.ontology.schema import ANYTHING, Life, Ontology, Relation

_REACH_WORDS = 12
_GAP_WORDS = 3
_LISTED = re.compile(r"\s*(?:,|and|&|,\s*and|와|과|및)\s*\Z")
_PREPOSITIONS = frozenset(
    "in at of by from with for near to under on against between than like".split()
)
_BRACKETS = re.compile(r"\([^()]*\)")
_LIFE = re.compile(r"\A\s?\((?:[^()\d]{0,60}?)\Z")
_LIFE_DASH = re.compile(
    r"\A(?:\s?\([^()]*\))?(?:,?\s(?:in\s)?[^()\d]{0,40})?\s?[–—-]\s?[^()\d]{0,40}\Z"
)
_MAX_SENTENCE = 1500
_LITERALS = frozenset({"date", "amount", "identifier"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """A sentence of a chunk and its mentions; offsets of both are the document's."""

    chunk: Chunk
    start: int
    text: str
    mentions: tuple[Mention, ...]

    def gap(self, start: int, end: int) -> str:
        """Return the text between two places of the document, the mentions in it left out."""
        inner = [each for each in self.mentions if start <= each.start and each.end <= end]
        parts, at = [], start
        for each in inner:
            parts.append(self.text[at - self.start : each.start - self.start])
            at = each.end
        return " ".join([*parts, self.text[at - self.start : end - self.start]])


def claims(
    chunks: Sequence[Chunk],
    mentions: Sequence[Mention],
    *,
    ontology: Ontology,
    title: str,
    rows: Sequence[StatingRow] = (),
) -> list[Claim]:
    """Return what one document's chunks state in the ontology's words, each claim once a place.

    `start` and `end` are those of the sentence, field line or row in the document's text. The
    subject of a field line is the document, by its title; `rows` are those of its tables.
    """
    by_chunk: defaultdict[str, list[Mention]] = defaultdict(list)
    for mention in mentions:
        by_chunk[mention.chunk_id].append(mention)
    classes = {mention.name: mention.entity_class for mention in mentions}
    found: dict[str, Claim] = {}
    for chunk in chunks:
        here = by_chunk[chunk.id]
        subject = subject_of(title, classes)
        for claim in (
            *_in_sentences(chunk, here, ontology),
            *field_claims(chunk, here, ontology=ontology, subject=subject),
        ):
            found.setdefault(claim.id, claim)
    for claim in row_claims(chunks, rows, mentions=mentions, ontology=ontology):
        found.setdefault(claim.id, claim)
    return list(found.values())


def _in_sentences(chunk: Chunk, mentions: Sequence[Mention], ontology: Ontology) -> Iterator[Claim]:
    if len(mentions) > 1:
        book = cue_book(ontology)
        for sentence in _sentences(chunk, mentions):
            yield from _by_cues(sentence, book)
            yield from _by_lives(sentence, ontology)
            if has_hangul(sentence.text):
                yield from _by_korean_cues(sentence, book)


def _sentences(chunk: Chunk, mentions: Sequence[Mention]) -> Iterator[_Sentence]:
    starts = sentence_starts(chunk)
    ordered = sorted(mentions, key=lambda each: each.start)
    offsets = [each.start - chunk.start for each in ordered]
    for start, end in zip(starts, [*starts[1:], len(chunk.text)], strict=True):
        inside = ordered[bisect_left(offsets, start) : bisect_left(offsets, end)]
        if len(inside) > 1 and end - start <= _MAX_SENTENCE:
            yield _Sentence(
                chunk=chunk,
                start=chunk.start + start,
                text=chunk.text[start:end].rstrip(),
                mentions=tuple(each for each in inside if each.end <= chunk.start + end),
            )


def _by_cues(sentence: _Sentence, book: CueBook) -> Iterator[Claim]:
    for placed in placed_cues(sentence.text, book):
        start, end = sentence.start + placed.start, sentence.start + placed.end
        if any(each.start < end and start < each.end for each in sentence.mentions):
            continue
        left = _before(sentence, start, placed)
        for each in _after(sentence, end, placed) if left else ():
            pair = (each, left) if placed.cue.inverse else (left, each)
            yield from _stated(sentence, placed.cue.relation, pair)


def _stated(
    sentence: _Sentence, relation: Relation, pair: tuple[Mention | None, Mention | None]
) -> Iterator[Claim]:
    subject, spoken = pair
    if subject and spoken and subject.name != spoken.name:
        yield _claim(sentence, subject, relation, spoken=spoken)


def _after(sentence: _Sentence, end: int, placed: PlacedCue) -> list[Mention]:
    """Return the mention that a cue leads to, and those listed after it."""
    relation, inverse = placed.cue.relation, placed.cue.inverse
    wanted = relation.domain if inverse else relation.range
    taken: list[Mention] = []
    for each in sentence.mentions:
        if each.start < end:
            continue
        gap = sentence.text[
            (taken[-1].end if taken else end) - sentence.start : each.start - sentence.start
        ]
        if taken:
            if each.entity_class not in wanted or not _LISTED.fullmatch(gap):
                break
            taken.append(each)
        elif each.entity_class in wanted or ANYTHING in wanted:
            if not _leads(sentence.gap(end, each.start), placed):
                break
            taken.append(each)
            if relation.functional:
                break
    return taken


def _leads(gap: str, placed: PlacedCue) -> bool:
    """Tell whether the words between a cue and a mention leave no doubt that it is meant."""
    if any(char in gap for char in ";:.?!"):
        return False
    words = [word.casefold() for word in WORD.findall(gap)]
    needed = placed.cue.relation.before_object
    if needed and not placed.cue.inverse:
        return (words[-1] if words else placed.cue.words[-1]) in needed and len(
            words
        ) <= _GAP_WORDS + 1
    content = [word for word in words if word not in {"the", "a", "an", "its", "his", "her"}]
    return len(words) <= _GAP_WORDS and "," not in gap and not set(content) & _PREPOSITIONS


def _before(sentence: _Sentence, start: int, placed: PlacedCue) -> Mention | None:
    """Return the nearest mention before a cue that may be meant, not one inside another phrase."""
    relation, inverse = placed.cue.relation, placed.cue.inverse
    wanted = relation.range if inverse else relation.domain
    for each in reversed([each for each in sentence.mentions if each.end <= start]):
        if each.entity_class not in wanted and ANYTHING not in wanted:
            continue
        gap = _BRACKETS.sub(" ", sentence.gap(each.end, start))
        if len(WORD.findall(gap)) > _REACH_WORDS or any(char in gap for char in ";:?!"):
            return None
        lead = WORD.findall(sentence.text[: each.start - sentence.start])
        if lead and lead[-1].casefold() in _PREPOSITIONS and len(WORD.findall(gap)) > 0:
            continue
        return each
    return None


def _by_lives(sentence: _Sentence, ontology: Ontology) -> Iterator[Claim]:
    """Yield the two dates of `Name (date – date)`."""
    relations = {each.life: each for each in ontology.relations if each.life}
    for at, person in enumerate(sentence.mentions):
        inside = sentence.mentions[at + 1 :]
        dates = [each for each in inside[:5] if each.entity_class == "date"][:2]
        if len(dates) < 2 or person.entity_class == "date":
            continue
        opening = sentence.gap(person.end, dates[0].start)
        middle = sentence.gap(dates[0].end, dates[1].start)
        if _LIFE.match(opening) and _LIFE_DASH.match(middle):
            for life, date in zip((Life.START, Life.END), dates, strict=True):
                relation = relations.get(life)
                if relation and person.entity_class in relation.domain:
                    yield _claim(sentence, person, relation, spoken=date)


def _by_korean_cues(sentence: _Sentence, book: CueBook) -> Iterator[Claim]:
    """Yield what a Korean verb says of the two names before it."""
    taken: list[tuple[int, int]] = []
    for cue in book.korean:
        at = sentence.text.find(cue.phrase)
        end = at + len(cue.phrase)
        if at < 0 or any(start < end and at < stop for start, stop in taken):
            continue
        before = [each for each in sentence.mentions if each.end <= sentence.start + at]
        if len(before) > 1:
            taken.append((at, end))
            subject, spoken = _korean_roles(sentence, before[-2:], cue)
            if cue.relation.joins(subject.entity_class, spoken.entity_class):
                yield from _stated(sentence, cue.relation, (subject, spoken))


def _korean_roles(
    sentence: _Sentence, pair: Sequence[Mention], cue: KoreanCue
) -> tuple[Mention, Mention]:
    """Return subject and object: by the object particle, unless only the other way round fits."""
    objects = [sentence.text[each.end - sentence.start :][:1] in ("을", "를") for each in pair]
    agent, patient = (pair[1], pair[0]) if objects == [True, False] else (pair[0], pair[1])
    subject, spoken = (patient, agent) if cue.inverse else (agent, patient)
    fits = cue.relation.joins(subject.entity_class, spoken.entity_class)
    return (subject, spoken) if fits else (spoken, subject)


def _claim(sentence: _Sentence, subject: Mention, relation: Relation, *, spoken: Mention) -> Claim:
    literal = bool(relation.datatype) or spoken.entity_class in _LITERALS
    return Claim(
        id=claim_id(
            sentence.chunk.id,
            subject.name,
            predicate=relation.name,
            said=spoken.name,
            start=sentence.start,
        ),
        chunk_id=sentence.chunk.id,
        subject_name=subject.name,
        subject_class=subject.entity_class,
        predicate=relation.name,
        object_name=spoken.name,
        object_class=spoken.entity_class,
        value=spoken.surface if literal else None,
        start=sentence.start,
        end=sentence.start + len(sentence.text),
        method=Method.GENERATED,
        confidence=relation.certainty.confidence,
    )
