"""What a description means: by the fields, links and sentences of the documents that it is of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from weft.offline.chains.persons import bearer_of, person_in
from weft.offline.chains.reach import Reach
from weft.offline.evidence.coverage import asked_terms, covered, share
from weft.offline.evidence.documents import ISSUE, Meant, Sheet, keys_in, values_of
from weft.offline.evidence.passages import Candidate
from weft.offline.evidence.values import dates
from weft.offline.question.descriptions import Described
from weft.offline.question.names import key_of, spans_beside
from weft.offline.question.things import ThingKind, Tie, things
from weft.retrieval.hits import QuestionTerm

_STARTS = 3
# A description is found in a document that holds so much of its words; or some of them, where its
# best passage is as good as this and a sentence as near in meaning.
_HELD = 0.5
_SOME = 0.25
_GOOD = 0.6
_NEAR = 0.45
# What a description says of itself tells nothing: "the team whose service ..."
_KINDS = ("service", "services", "team", "teams", "person", "people", "ticket", "서비스", "팀")
_BETWEEN = ("service", "ticket", "team")


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a description means, None where no document says it.

    `none_fits` where documents about things of its kind were found, and it fits none of them.
    """

    meant: Meant | None
    none_fits: bool = False


@dataclass(frozen=True, slots=True)
class Resolver:
    """Finds what one description means."""

    reach: Reach

    async def meaning(self, described: Described) -> Meaning:
        """Return what a description means."""
        said = f"{described.said} {described.bearer}".strip()
        if " " in described.name:  # passages that have a name of several words come first
            said = said.replace(described.name, f'"{described.name}"')
        found, sheets = await self.reach.found(said)
        nouns = (*described.noun.casefold().split(), *_KINDS)
        asked = asked_terms(described.said, found.terms)
        terms = [one for one in asked if one.words[0].casefold() not in nouns] or list(asked)
        starts = await self._starts(described, sheets, terms)
        kind = described.kind
        if described.bearer:
            return Meaning(meant=bearer_of(described, starts, terms=terms))
        if kind is None:
            return Meaning(meant=await self._thing(described, starts) if starts else None)
        if kind.name == "person":
            return Meaning(meant=person_in(described, starts, terms=terms))
        meant = await self._typed(described, kind, starts, terms)
        kept = kind.is_kept and any(sheet.is_kept_as(kind) for sheet in sheets)
        return Meaning(meant=meant, none_fits=meant is None and kept)

    async def _starts(
        self, described: Described, found: Sequence[Sheet], terms: Sequence[QuestionTerm]
    ) -> list[Sheet]:
        """Return the documents that a description is of, the likeliest first."""
        issues = ISSUE.findall(described.said)
        if issues:
            return [sheet for issue in issues for sheet in await self.reach.of_issue(issue)]
        named: list[Sheet] = []
        if described.name:
            named = await self.reach.named(described.name)
        likely = [sheet for sheet in found if _is_found(sheet, terms)]
        keys = [key_of(one) for one in (described.name, described.bearer) if one]
        if described.name.islower() and not named:  # "the painter who paints ships": no name
            keys = []
        keys = keys or _names_in(described.said)
        if keys:
            naming = [s for s in found if all(any(s.saying(key)) for key in keys)]
            if described.kind is not None and not named and not described.bearer:
                naming.sort(key=lambda sheet: _rank(sheet, described.kind, keys))
            likely = naming
        known = {sheet.key for sheet in named}
        sheets = [*named, *(one for one in likely if one.key not in known)][:_STARTS]
        if described.kind is not None and described.kind.name == "person" and not described.bearer:
            return sheets  # the passage found is the one that says it
        return [await self.reach.whole(sheet) for sheet in sheets]

    async def _typed(
        self,
        described: Described,
        kind: ThingKind,
        starts: Sequence[Sheet],
        terms: Sequence[QuestionTerm],
    ) -> Meant | None:
        """Return the thing of a kind that a description leads to."""
        own = key_of(described.name)
        tie = next((one for one in things().ties if one.asks.search(described.said)), None)
        for sheet in starts:
            if sheet.is_of(kind) and key_of(sheet.name_as(kind)) != own:
                said = _best(sheet, terms, own)
                return Meant(name=sheet.name_as(kind), said=said, sheets=(sheet,))
            near = (await self._tied(tie, kind, sheet) if tie else None) or await self._near(
                kind, sheet
            )
            if near is not None:
                return await self._settled(near, kind, sheet)
        return None

    async def _settled(self, meant: Meant, kind: ThingKind, start: Sheet) -> Meant:
        """Return a meaning with the documents about the thing.

        Where none is called so, one of its kind may name the start in a field of its own, under
        the name that it has in another language.
        """
        if meant.sheets:
            return meant
        about = await self.reach.named(meant.name)
        if about:
            return replace(meant, sheets=tuple(about[:_STARTS]))
        for own in [value for value in (start.name_as(kind), *_field_names(start)) if value]:
            _, found = await self.reach.found(f"{meant.name} {own}")
            for sheet in found:
                sentence = _names_in_field(sheet, key_of(own)) if sheet.is_of(kind) else None
                if sentence is not None:
                    whole = await self.reach.whole(sheet)
                    said = (*meant.said, sentence)
                    return Meant(name=sheet.name_as(kind), said=said, sheets=(whole,))
        return meant

    async def _near(self, kind: ThingKind, sheet: Sheet) -> Meant | None:
        """Return the thing of a kind that a document names, or one that it refers to names."""
        own = _by_field(kind, sheet)
        if own is not None:
            return own
        for other, sentence in await self._beyond(sheet):
            there = _of(other, sentence, kind)
            if there is not None:
                return there
        return None

    async def _tied(self, tie: Tie, kind: ThingKind, sheet: Sheet) -> Meant | None:
        """Return what does to the document's thing what the question says ("blocks")."""
        for sentence in sheet.sentences:
            if not tie.cue.search(sentence.text):
                continue
            for issue in keys_in([sentence]):
                for other in await self.reach.of_issue(issue):
                    there = _of(other, sentence, kind) if other.key != sheet.key else None
                    if there is not None:
                        return there
        return None

    async def _beyond(self, sheet: Sheet) -> list[tuple[Sheet, Candidate]]:
        """Return the documents that a document names in its fields or refers to."""
        found: list[tuple[Sheet, Candidate]] = []
        for name, sentence in _things_named(sheet):
            found += [(other, sentence) for other in await self.reach.named(name)]
        for issue in keys_in(sheet.sentences):
            sentence = next(one for one in sheet.sentences if issue in one.text)
            found += [(other, sentence) for other in await self.reach.of_issue(issue)]
        return [(other, sentence) for other, sentence in found if other.key != sheet.key]

    async def _thing(self, described: Described, starts: Sequence[Sheet]) -> Meant | None:
        """Return a thing of no known kind: its best document, and those that this refers to."""
        first = starts[0]
        near = [other for other, _ in await self._beyond(first)]
        tie = next((one for one in things().ties if one.asks.search(described.said)), None)
        said: tuple[Candidate, ...] = ()
        if tie is not None:
            told = [one for sheet in (first, *near) for one in sheet.sentences]
            said = tuple(one for one in told if tie.asks.search(one.text) and keys_in([one]))[:1]
        name = f"the {described.noun}"
        return Meant(name=name, said=said, sheets=(first, *near), only=True, sure=False)


def _names_in(said: str) -> list[str]:
    """Return the keys of the names in a description; a month is none."""
    taken = [(one.start, one.end) for one in dates(f"… {said}")]
    return [key_of(span) for span in spans_beside(f"… {said}", taken)]


def _of(other: Sheet, sentence: Candidate, kind: ThingKind) -> Meant | None:
    """Return the thing of a kind that another document is about, or names in a field."""
    if other.is_of(kind):
        return Meant(name=other.name_as(kind), said=(sentence,), sheets=(other,))
    there = _by_field(kind, other)
    return None if there is None else replace(there, said=(sentence, *there.said))


def _by_field(kind: ThingKind, sheet: Sheet) -> Meant | None:
    for key, value, sentence in sheet.pairs:
        if kind.fields.fullmatch(key) and (names := values_of(value)):
            return Meant(name=names[0], said=(sentence,))
    return None


def _things_named(sheet: Sheet) -> Iterator[tuple[str, Candidate]]:
    """Yield the names of things in the fields of a document, through which others are reached."""
    for key, said, sentence in sheet.pairs:
        if any(things().kinds[name].fields.fullmatch(key) for name in _BETWEEN):
            for value in values_of(said):
                yield value, sentence


def _field_names(sheet: Sheet) -> list[str]:
    return [name for name, _ in _things_named(sheet)]


def _names_in_field(sheet: Sheet, key: str) -> Candidate | None:
    """Return the sentence of a document that has a name as the value of a field, or None."""
    for _, value, sentence in sheet.pairs:
        if key in {key_of(one) for one in values_of(value)}:
            return sentence
    return None


def _rank(sheet: Sheet, kind: ThingKind | None, keys: Sequence[str]) -> int:
    """Return how far a document that names something is from being of a kind, 0 the nearest."""
    of_kind = kind is not None and sheet.is_of(kind)
    if not of_kind:
        return 2
    return 0 if any(_names_in_field(sheet, key) for key in keys) else 1


def _is_found(sheet: Sheet, terms: Sequence[QuestionTerm]) -> bool:
    """Tell whether a document holds what is described: by its words, or by its meaning and some."""
    stems = frozenset[str]().union(*(one.stems for one in sheet.sentences), sheet.place)
    held = share(terms, covered(terms, stems))
    if held >= _HELD:
        return True
    near = max((max(hit.cosines, default=_NEAR) for hit in sheet.hits), default=0.0)
    good = max(hit.score for hit in sheet.hits) >= _GOOD
    return good and near >= _NEAR and held >= _SOME


def _best(sheet: Sheet, terms: Sequence[QuestionTerm], own: str) -> tuple[Candidate, ...]:
    """Return the sentence by which a document is the one described: it names, or says the most."""
    naming = next(iter(sheet.saying(own)), None) if own else None
    if naming is not None:
        return (naming,)
    ranked = sorted(sheet.sentences, key=lambda one: -share(terms, covered(terms, one.stems)))
    return tuple(ranked[:1])
