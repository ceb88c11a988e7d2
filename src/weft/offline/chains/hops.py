"""A question read against the evidence so far: what it names, and what is to be looked up next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from weft.domain.frozen import dataclass
from weft.language.hangul import SYLLABLES
from weft.language.patterns import korean_pattern, pattern
from weft.language.terms import STOP_WORDS, word_terms
from weft.offline.chains.chains import Desktop, Trail, follow_all, wanted_names
from weft.offline.chains.reach import Reach
from weft.offline.evidence.found import FoundEvidence
from weft.offline.evidence.passages import read_passages
from weft.offline.question.names import key_of, spans_beside, tokens, without_particle
from weft.offline.question.roles import Plan, read_plan

_TOGETHER = 2
_RARE = 0.4
_MOST_HOPS = 4
_OWNED = pattern(r"['’]s?\s.*$")
_KOREAN = korean_pattern(
    rf"(?<![{SYLLABLES}])([{SYLLABLES}]{{3}})"
    r"(?:은|는|이|가|의|을|를|에게|에게는|님|씨| (?:팀장|매니저|이사|대표|선임))"
    r"(?=[\s의은는이가])"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question in all its readings."""

    plan: Plan
    trails: Sequence[Trail]
    desk: Desktop


def read(text: str, book: FoundEvidence) -> Asked:
    """Return a question in all its readings."""
    plan, desk = lay_out(text, book)
    return Asked(plan=plan, trails=follow_all(plan, desk), desk=desk)


def lay_out(question: str, book: FoundEvidence) -> tuple[Plan, Desktop]:
    """Return the plan of a question and the passages of a book as a plan is followed in them."""
    desk = Desktop(passages=read_passages(book), looked_up=book.looked_up)
    plan = read_plan(question, desk.known, lower=desk.lower)
    spans = {key: () for span in plan.beside if len((key := key_of(span)).split()) > 1}
    if spans:  # names that no passage defines can still be where a chain begins
        plan = read_plan(question, {**desk.known, **spans}, lower=desk.lower)
    return plan, desk


async def follow_names(question: str, found: FoundEvidence, *, reach: Reach) -> None:
    """Enter the passages on the names that a question's roles lead to, hop by hop."""
    spelt = {key_of(name): name for name in _names_of(question)}
    await _enter_rows(question, found, spelt=spelt, reach=reach)
    for _ in range(_MOST_HOPS):
        names = _names_to_look_up(question, found)
        if not names:
            break
        looked_up = await reach.lookup(names, spelt=spelt, near=question)
        for name in names:  # what gave nothing is not asked again
            found.define(name, [found.add(hit) for hit in looked_up.get(name, ())])


async def _enter_rows(
    question: str, found: FoundEvidence, *, spelt: Mapping[str, str], reach: Reach
) -> None:
    """Enter the rows of tables that a question's own names head: all namesakes, not the best."""
    if not spelt:
        return
    for name, hits in (await reach.lookup(tuple(spelt), spelt=spelt, near=question)).items():
        rows = [hit for hit in hits if hit.evidence.document_id.startswith("record:")]
        new = [found.add(hit) for hit in rows]
        if new:
            found.define(name, new)


def _names_of(question: str) -> tuple[str, ...]:
    """Return the names of several words in a question, and the Korean ones before a title."""
    spans = (_OWNED.sub("", span) for span in spans_beside(question, []))
    korean = (match[1] for match in _KOREAN.finditer(question))
    return tuple(dict.fromkeys([*(span for span in spans if " " in span), *korean]))


def _names_to_look_up(question: str, book: FoundEvidence) -> tuple[str, ...]:
    """Return the keys of the names without which the question's roles lead no further.

    Of a question without a name, the first time also what it may name, however it is written.
    """
    plan, desk = lay_out(question, book)
    named = desk.looked_up or plan.ways or plan.beside
    own = () if named else _own_names(question, book)
    return tuple(
        dict.fromkeys([*(key for key in own if key not in desk.known), *wanted_names(plan, desk)])
    )


def _own_names(question: str, book: FoundEvidence) -> Iterator[str]:
    """Yield the words of a question, two together first, that may be what a document is called."""
    rarity = {term.stem: term.idf for term in book.terms}
    found = tokens(question)
    for size in range(_TOGETHER, 0, -1):
        for at in range(len(found) - size + 1):
            key = without_particle(" ".join(token.key for token in found[at : at + size]))
            content = [word for word in key.split() if word not in STOP_WORDS]
            rare = (rarity.get(stem, 0.0) >= _RARE for word in content for stem in word_terms(word))
            if len(content) == size and any(rare):
                yield key
