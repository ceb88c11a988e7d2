"""What a question asks in terms of names: which, through which roles, and what of the last."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from weft.domain.frozen import dataclass
from weft.language.hangul import has_hangul
from weft.language.patterns import pattern
from weft.offline.question.cues import LANGUAGES, CueRelation, Cues, Measure, cues
from weft.offline.question.names import Named, names_among, spans_beside, surface

_MOST_ROLES = 3
# More than any question names; of one that names more, the first are followed.
_MOST_NAMES = 32
# Characters before a name in which its role stands.
_REACH = 200
_OF = frozenset({"of", "for", "to", "behind"})
_TRAILING = pattern(
    r"\s+(?:(?:is|was|are|were|has|had)\s+)?"
    r"(?:located|situated|found|based|set|from|held|formed|a part of|part of|a citizen(?: of)?|"
    r"in|born(?: in)?|died(?: in)?|takes place|took place)(?=\W|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A name in a question, and the roles to be followed from it, nearest first.

    `said` are the words of the roles as the question has them, one a role; `rest` is the question
    without name and roles.
    """

    name: str
    key: str
    roles: tuple[str, ...]
    said: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The ways that a question takes, and what it asks at their ends.

    `relation` is what is asked of one thing, `measure` what of several is compared, `same` what
    several may have in common.
    """

    text: str
    ways: tuple[Way, ...]
    rest: str
    relation: CueRelation | None
    measure: Measure | None
    same: Measure | None

    @property
    def beside(self) -> tuple[str, ...]:
        """Return the capitalised spans of the question beside its ways' names."""
        return spans_beside(self.text, [(way.start, way.end) for way in self.ways])

    @property
    def is_chain(self) -> bool:
        """Tell whether some role must be followed to where the answer stands."""
        last = self.relation is not None or self.measure is not None or self.same is not None
        return any(way.roles and (last or len(way.roles) > 1) for way in self.ways)


def language_of(text: str) -> str:
    """Return the language whose cues fit a text."""
    return LANGUAGES[1] if has_hangul(text) else LANGUAGES[0]


def read_plan(text: str, known: Mapping[str, object], *, lower: Container[str] = ()) -> Plan:
    """Return the plan of a question; `known` are the keys of the names that may be in it.

    Those in `lower` are names without a capital as well.
    """
    table = cues(language_of(text))
    names = names_among(text, known, lower=lower)
    ways = tuple(_shared([_way(text, named, table) for named in names[:_MOST_NAMES]], text))
    rest = _rest(text, ways)
    relation = next((one for one in table.relations if one.asks.search(rest)), None)
    ways, relation = _asked_last(ways, relation, table)
    several = len(ways) > 1
    return Plan(
        text=text,
        ways=ways,
        rest=rest,
        relation=relation,
        measure=_first(table.measures, rest) if several else None,
        same=_first(table.sames, rest) if several else None,
    )


def _first(measures: Sequence[Measure], rest: str) -> Measure | None:
    return next((one for one in measures if one.asks.search(rest)), None)


def _asked_last(
    ways: tuple[Way, ...], relation: CueRelation | None, table: Cues
) -> tuple[tuple[Way, ...], CueRelation | None]:
    """Return the ways without a last role that is itself what is asked ("place of birth")."""
    if relation is not None or len(ways) != 1 or not ways[0].roles:
        return ways, relation
    way = ways[0]
    asked = next((one for one in table.relations if one.asks.search(way.said[-1])), None)
    if asked is None or way.roles[-1] == "location":
        return ways, relation
    return (replace(way, roles=way.roles[:-1], said=way.said[:-1]),), asked


def _way(text: str, named: Named, table: Cues) -> Way:
    roles: list[str] = []
    said: list[str] = []
    start, end = named.start, named.end
    for words, chain, (start, end) in _steps(text, named, table):  # noqa: B007
        if len(roles) + len(chain) > _MOST_ROLES:
            break
        roles += chain
        said += [words] * len(chain)
    return Way(
        name=surface(text, named),
        key=named.key,
        roles=tuple(roles),
        said=tuple(said),
        start=start,
        end=end,
    )


def _steps(
    text: str, named: Named, table: Cues
) -> Iterator[tuple[str, tuple[str, ...], tuple[int, int]]]:
    """Yield the roles around a name, from the nearest outwards, each with what it covers."""
    start, end = named.start, named.end
    patterns = _patterns(table.language)
    while True:
        right = patterns.behind.match(text, end)
        left = patterns.before.search(text, max(start - _REACH, 0), start)
        end = _trailed(text, end) if left and left["joint"] not in _OF else end
        doing = patterns.doing.search(text, max(start - _REACH, 0), start)
        if right:
            end = right.end()
            yield right["role"], table.chain(right["role"]), (start, end)
        elif left:
            start = left.start()
            yield left["role"], table.chain(left["role"]), (start, end)
        elif doing:
            start = doing.start()
            role = table.doing(doing["verb"])
            yield doing["verb"], (role,) if role else (), (start, end)
        else:
            return


def _trailed(text: str, end: int) -> int:
    """Return the end of what belongs to a name and its role: "the country where X is located"."""
    match = _TRAILING.match(text, end)
    return match.end() if match else end


@dataclass(frozen=True, slots=True, kw_only=True)
class _Patterns:
    before: re.Pattern[str]
    behind: re.Pattern[str]
    doing: re.Pattern[str]


@lru_cache(maxsize=len(LANGUAGES))
def _patterns(language: str) -> _Patterns:
    table = cues(language)
    if language == "ko":
        return _Patterns(
            before=pattern(r"(?!)(?P<role>)(?P<joint>)"),
            behind=pattern(
                rf"(?:의|님의)?\s*(?P<role>{table.nouns})(?=의\s|[은는이가을를]?\s|\W|$)"
            ),
            doing=pattern(r"(?!)(?P<verb>)"),
        )
    kind = rf"(?:(?:{table.kinds})\s+)*"
    return _Patterns(
        before=pattern(
            rf"\b(?P<role>{table.nouns})\s+"
            rf"(?P<joint>of|for|to|behind|where|in which|that|which|from which|containing)\s+"
            rf"{kind}[\"“'‘]?$",
            re.IGNORECASE,
        ),
        behind=pattern(rf"['’]s?\s+(?P<role>{table.nouns})\b", re.IGNORECASE),
        doing=pattern(
            rf"\b(?:(?:that|who|which)\s+(?:\w+ly\s+|originally\s+|also\s+)?(?P<verb>{table.verbs}))"
            rf"\s+{kind}[\"“'‘]?$",
            re.IGNORECASE,
        ),
    )


def _shared(ways: Sequence[Way], text: str) -> Iterator[Way]:
    """Yield the ways; where several names are compared, a role named once is that of each.

    "Which film has the director born first, A or B?" names it apart from the names.
    """
    table = cues(language_of(text))
    if len(ways) < 2 or any(way.roles for way in ways):
        yield from ways
        return
    before = text[: ways[0].start] + " " + text[ways[-1].end :]
    role_before = (
        rf"\b(?:has|have|had|whose|the|their)\s+(?:the\s+)?(?:\w+\s+)?(?P<role>{table.nouns})s?\b"
    )
    match = re.search(role_before, before, re.IGNORECASE)
    chain = table.chain(match["role"]) if match else ()
    chain = () if "location" in chain else chain
    for way in ways:
        yield Way(
            name=way.name,
            key=way.key,
            roles=chain,
            said=(match["role"],) * len(chain) if match else (),
            start=way.start,
            end=way.end,
        )


def _rest(text: str, ways: Sequence[Way]) -> str:
    kept: list[str] = []
    at = 0
    for way in sorted(ways, key=lambda way: way.start):
        if way.start >= at:
            kept.append(text[at : way.start])
        at = max(at, way.end)
    kept.append(text[at:])
    return " … ".join(kept)
