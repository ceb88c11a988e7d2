"""Chains: from a name in a question through its roles to the passages where the answer stands.

"Where was the director of Blind Shaft born?" leads to the passage on Blind Shaft, to the name
behind "directed by" there, and to the passage on that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import islice

from weft.domain.frozen import dataclass
from weft.language.patterns import pattern
from weft.language.terms import word_terms
from weft.offline.evidence.passages import Candidate, ReadPassage, candidates, stems_of
from weft.offline.evidence.values import is_country
from weft.offline.question.cues import CueRole, cues
from weft.offline.question.names import (
    Named,
    clause_of,
    flat_text,
    key_of,
    keys_of_title,
    names_in,
    spoken_name,
    surface,
    tokens,
)
from weft.offline.question.question import asked_words
from weft.offline.question.roles import Plan, Way, language_of
from weft.offline.units.read_unit import is_row

WINDOW = 90
MOST_WANTED = 24
# Cues as short as "by" or "in" count only where no better one stands.
_WEAK = 4
_LOWER = pattern(r"[a-z][a-z0-9]{3,}")
_DONE = pattern(r"\w(?:ed|en|wn|ung) $")
_HOLDERS = 3
_HEAD = 24
_LEAD_WORDS = 25
_COUNTRY = frozenset({"country", "나라", "국가"})
_THINGS = frozenset(
    """city state county region province district town village continent municipality capital band
    company organisation organization team club publisher label""".split()
)
_PLACES = frozenset({"location", "birthplace", "deathplace"})
_HE = pattern(r"\b(?:he|his|him|himself)\b", re.IGNORECASE)
_SHE = pattern(r"\b(?:she|her|hers|herself)\b", re.IGNORECASE)
_MALE = pattern(r"\b(?:king|duke|prince|emperor|lord|sir|son|actor|count|earl)\b", re.IGNORECASE)
_FEMALE = pattern(
    r"\b(?:queen|duchess|princess|empress|lady|daughter|actress|countess|wife)\b", re.IGNORECASE
)


@dataclass(frozen=True, kw_only=True)
class Desktop:
    """The passages at hand, and which of them define which name."""

    passages: Sequence[ReadPassage]
    looked_up: Mapping[str, Sequence[str]] = field(default_factory=dict)
    read: dict[str, tuple[Candidate, ...]] = field(default_factory=dict)
    flats: dict[str, str] = field(default_factory=dict)

    @cached_property
    def known(self) -> dict[str, tuple[str, ...]]:
        """Return the ids of the passages that define each name, by title or as looked up."""
        found: dict[str, list[str]] = {key: list(ids) for key, ids in self.looked_up.items() if ids}
        for passage in self.passages:
            for key in keys_of_title(passage.hit.evidence.title):
                ids = found.setdefault(key, [])
                if passage.evidence_id not in ids:
                    ids.append(passage.evidence_id)
        return {key: tuple(ids) for key, ids in found.items()}

    @cached_property
    def lower(self) -> frozenset[str]:
        """Return the keys of the titles that are one word without a capital, as of a service."""
        titles = (passage.hit.evidence.title for passage in self.passages)
        return frozenset(key_of(title) for title in titles if _LOWER.fullmatch(title))

    @cached_property
    def by_id(self) -> dict[str, ReadPassage]:
        """Return the passages by their ids."""
        return {passage.evidence_id: passage for passage in self.passages}

    def says(self, sentence: Candidate, key: str) -> bool:
        """Tell whether a name stands in a sentence."""
        return f" {key} " in f" {' '.join(token.key for token in tokens(sentence.text))} "

    def naming(self, key: str, *, most: int | None = _HOLDERS) -> tuple[str, ...]:
        """Return the ids of the first passages that a name stands in."""
        found = (one for one in self.passages if f" {key} " in self.flat(one.evidence_id))
        return tuple(passage.evidence_id for passage in islice(found, most))

    def flat(self, evidence_id: str) -> str:
        """Return the plain words of a passage and its title, a space around each."""
        if evidence_id not in self.flats:
            evidence = self.by_id[evidence_id].hit.evidence
            place = f"{evidence.title} {evidence.uri} {evidence.section or ''}"
            self.flats[evidence_id] = flat_text(f"{place} {evidence.text}")
        return self.flats[evidence_id]

    def rows(self, key: str) -> tuple[str, ...]:
        """Return the ids of the rows of tables that begin with a name, past an id."""
        found = (one for one in self.passages if is_row(one.hit))
        return tuple(
            one.evidence_id
            for one in found
            if f" {key} " in " ".join(self.flat(one.evidence_id).split(" ")[:_HEAD]) + " "
        )[:_HOLDERS]

    def sentences(self, evidence_id: str) -> Sequence[Candidate]:
        """Return the sentences of one passage."""
        if evidence_id not in self.read:
            self.read[evidence_id] = tuple(candidates(self.by_id[evidence_id]))
        return self.read[evidence_id]

    def title(self, evidence_id: str) -> str:
        """Return the title of one passage's document."""
        return self.by_id[evidence_id].hit.evidence.title


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """A role that was followed: the sentence that says it, the name there, and where it leads."""

    role: str
    said: str
    sentence: Candidate
    name: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """How far a way led: its hops, the passages at the end, and what could not be resolved.

    `holder` is the last thing that was found; `failed` the words of the role that was not found
    there, and `name` who fills it if only that one's own document is missing. `wanted` are keys of
    names that were not looked up yet; `is_undefined` when no passage defines the way's own name.
    """

    way: Way
    hops: tuple[Hop, ...]
    ends: tuple[str, ...]
    holder: str
    failed: str = ""
    name: str = ""
    wanted: tuple[str, ...] = ()
    is_undefined: bool = False

    @property
    def is_followed(self) -> bool:
        """Tell whether every role was resolved, and there was one."""
        return bool(self.way.roles) and not self.failed


@dataclass(frozen=True, slots=True, kw_only=True)
class _Filler:
    """A name that may fill a role: how good the place is, less is better."""

    sentence: Candidate
    name: str
    key: str
    targets: tuple[str, ...]
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seat:
    """A role to be filled: as the question says it, and who cannot fill it.

    With `spoken`, only sentences that have that name say who does.
    """

    role: CueRole
    said: str
    barred: frozenset[str]
    spoken: str = ""


def follow_all(plan: Plan, desk: Desktop) -> tuple[Trail, ...]:
    """Return the trail of every way of a plan."""
    last_asked = is_open(plan)
    return tuple(follow(way, desk, last_asked=last_asked) for way in plan.ways)


def follow(way: Way, desk: Desktop, *, last_asked: bool) -> Trail:
    """Return how far one way leads; `last_asked` when the last one's own document is needed."""
    known = _at_hand(desk.known.get(way.key, ()), desk)
    trail = Trail(
        way=way,
        hops=(),
        ends=known or desk.rows(way.key) or desk.naming(way.key),
        holder=way.name,
        is_undefined=not known,
    )
    barred = frozenset({way.key})
    for depth, (name, said) in enumerate(zip(way.roles, way.said, strict=True)):
        seat = _Seat(
            role=cues(language_of(way.name + said)).roles[name],
            said=said,
            barred=barred,
            spoken="" if depth or known else way.key,
        )
        needed = last_asked or depth + 1 < len(way.roles)
        trail = _step(trail, seat, desk, needed=needed)
        if trail.failed:
            break
        barred |= {key_of(trail.holder)}
    return trail


def _step(trail: Trail, seat: _Seat, desk: Desktop, *, needed: bool) -> Trail:
    """Return a trail one hop longer, or failed; `needed` when a passage must follow."""
    fillers = _fillers(desk, trail.ends, seat)
    best = next((filler for filler in fillers if filler.targets), None)
    wanted = (*trail.wanted, *_wanted(fillers, desk, before=best))
    if best is None and (needed or not fillers):
        name = fillers[0].name if fillers else ""
        return replace(trail, failed=seat.said, name=name, wanted=wanted)
    chosen = best or fillers[0]
    hop = Hop(
        role=seat.role.name,
        said=seat.said,
        sentence=chosen.sentence,
        name=chosen.name,
        targets=chosen.targets,
    )
    return replace(
        trail,
        hops=(*trail.hops, hop),
        ends=_at_hand(chosen.targets, desk),
        holder=chosen.name,
        wanted=wanted,
    )


def wanted_names(plan: Plan, desk: Desktop) -> tuple[str, ...]:
    """Return the keys of the names to be looked up before the plan can be followed further."""
    found = [key for trail in follow_all(plan, desk) for key in trail.wanted]
    beside = [named.key for span in plan.beside for named in names_in(span)]
    keys = dict.fromkeys([*beside, *found])
    new = (key for key in keys if key not in desk.looked_up and key not in desk.known)
    return tuple(new)[:MOST_WANTED]


def is_open(plan: Plan) -> bool:
    """Tell whether something is asked of what the roles lead to, and not only who that is."""
    if plan.relation is not None or plan.measure is not None or plan.same is not None:
        return True
    return bool(asked_words(plan.rest))


def _at_hand(ids: Iterable[str], desk: Desktop) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for one in ids if one in desk.by_id))


def _wanted(
    fillers: Sequence[_Filler], desk: Desktop, *, before: _Filler | None
) -> tuple[str, ...]:
    nearer = (f for f in fillers if before is None or f.order < before.order)
    keys = dict.fromkeys(f.key for f in nearer if f.key not in desk.looked_up)
    return tuple(key for key in keys if key not in desk.known)


def _fillers(desk: Desktop, holders: Sequence[str], seat: _Seat) -> list[_Filler]:
    """Return the names that may fill a role in some passages, best first."""
    found: list[_Filler] = []
    for rank, holder in enumerate(holders):
        own = set(keys_of_title(desk.title(holder))) | seat.barred
        for sentence in desk.sentences(holder):
            if seat.spoken and not desk.says(sentence, seat.spoken):
                continue
            for named, near, weak in _names_near(sentence.text, seat.role):
                if named.key not in own and not _is_part(sentence.text, named, seat.role):
                    filler = _filler(desk, seat, sentence, named)
                    order = (filler.order[0], weak, sentence.place, rank, near, -len(named.key))
                    found.append(replace(filler, order=order))
    right = (one for one in found if not _is_other_gender(seat.role, one.targets, desk))
    return sorted(right, key=lambda filler: filler.order)


def _filler(desk: Desktop, seat: _Seat, sentence: Candidate, named: Named) -> _Filler:
    targets = desk.known.get(named.key, ()) or desk.rows(named.key)
    read = surface if targets else spoken_name
    return _Filler(
        sentence=sentence,
        name=read(sentence.text, named),
        key=named.key,
        targets=targets,
        order=(_is_other_thing(seat.said, named.key, targets, desk),),
    )


def _names_near(text: str, role: CueRole) -> Iterator[tuple[Named, int, int]]:
    """Yield names beside the role's cues: the name, how far off it is, 1 if the cue is weak."""
    for match in role.cue.finditer(text):
        weak = int(len(match.group()) <= _WEAK)
        if weak and _DONE.search(text[: match.start()]):
            continue  # "directed by" says nothing of a composer
        window = text[match.end() : match.end() + WINDOW]
        for named in names_in(clause_of(window)):
            start, end = match.end() + named.start, match.end() + named.end
            yield Named(key=named.key, start=start, end=end), named.start, weak
    if role.after is None:
        return
    for named in names_in(text):
        if role.after.match(text, named.end):
            yield named, 0, 0


def _is_other_thing(said: str, key: str, targets: Sequence[str], desk: Desktop) -> bool:
    """Tell whether a name is not known to be what a question calls it ("the country where ...")."""
    kind = said.casefold()
    if kind in _COUNTRY:
        return not is_country(key)
    if kind not in _THINGS:
        return False
    wanted = frozenset(word_terms(kind))
    lead = (f"{desk.title(one)} {_lead(desk.by_id[one])}" for one in targets if one in desk.by_id)
    return not any(wanted & stems_of(text) for text in lead)


def _is_part(text: str, named: Named, role: CueRole) -> bool:
    """Tell whether a run of words is but a piece of a name, or says where its bearer is from."""
    if role.name not in _PLACES and is_country(named.key.split()[0]):
        return True
    if " " in named.key:
        return False
    before = re.search(r"[A-ZÀ-Þ][\w'’.-]* $", text[: named.start])
    return bool(before) or " " in spoken_name(text, named)


def _lead(passage: ReadPassage) -> str:
    return " ".join(passage.hit.evidence.text.split()[:_LEAD_WORDS])


def _is_other_gender(role: CueRole, targets: Sequence[str], desk: Desktop) -> bool:
    if not role.gender or not targets:
        return False
    text = " ".join(desk.by_id[one].hit.evidence.text for one in targets if one in desk.by_id)
    he, she = len(_HE.findall(text)), len(_SHE.findall(text))
    if not he + she:
        he, she = len(_MALE.findall(text)), len(_FEMALE.findall(text))
    return she > 2 * he if role.gender == "he" else he > 2 * she
