"""Questions that describe things made plainer: each description is replaced by the name it means.

"Who leads the team that owns the service which FOG-1 broke?" becomes "Who leads Coast?" when the
ticket names its component, and the component's page its owner. Each step keeps the sentence that
says so.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

from weft.language.hangul import SYLLABLES
from weft.offline.chains.fields import best_saying, field_saying
from weft.offline.chains.reach import NamedBearer, Reach
from weft.offline.chains.resolution import Resolver
from weft.offline.evidence.documents import Meant, Sheet
from weft.offline.evidence.passages import Candidate
from weft.offline.question.descriptions import innermost, put
from weft.offline.question.names import key_of, spans_beside
from weft.offline.question.things import things

_MOST_STEPS = 4
_MOST_NAMES = 2
_OWNED = re.compile(r"['’]s?\s.*$")
_KOREAN = re.compile(
    rf"(?<![{SYLLABLES}])([{SYLLABLES}]{{3}})"
    r"(?:은|는|이|가|의|을|를|에게|에게는|님|씨| (?:팀장|매니저|이사|대표|선임))"
    r"(?=[\s의은는이가])"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """A question and the documents that it may be answered from; with `only`, from no others.

    `told` is the sentence that surely answers it, where there is one.
    """

    question: str
    name: str
    sheets: tuple[Sheet, ...] = ()
    only: bool = False
    told: Candidate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfolded:
    """The steps that led to plainer questions, and these, the likeliest first.

    `failed` is the description that fits nothing, or an empty string.
    """

    question: str
    steps: tuple[Meant, ...]
    tries: tuple[Try, ...] = ()
    failed: str = ""

    @property
    def said(self) -> tuple[Candidate, ...]:
        """Return the sentences of all steps, each once, in order."""
        return tuple(dict.fromkeys(sentence for step in self.steps for sentence in step.said))


async def unfold(question: str, reach: Reach) -> Unfolded | None:
    """Return a question made plainer; None when it describes nothing, or nothing that is known."""
    text, steps, known = question, list[Meant](), list[str]()
    while len(steps) < _MOST_STEPS and (described := innermost(text, known=known)) is not None:
        meaning = await Resolver(reach).meaning(described)
        if meaning.none_fits:
            failed = text[described.start : described.end]
            return Unfolded(question=text, steps=tuple(steps), failed=failed)
        if meaning.meant is None:
            return None
        steps.append(meaning.meant)
        text = put(text, described, name=meaning.meant.name)
        known.append(meaning.meant.name)
    if not steps:
        return None
    tries: list[Try] = []
    async for one in _tries(text, steps[-1], reach):
        tries.append(one)
        if one.told is not None:
            break
    return Unfolded(question=text, steps=tuple(steps), tries=tuple(tries))


async def _tries(text: str, meant: Meant, reach: Reach) -> AsyncIterator[Try]:
    """Yield the plainer questions: of what is about the thing alone first, then of all."""
    bearers = await reach.bearers(meant.name)
    hits = [sentence.hit.evidence for sentence in meant.said]
    own = {(one.knowledge_base, one.document_id) for one in hits}
    near = [one for one in bearers if not own.isdisjoint(one.documents)]
    sheets = meant.sheets or tuple(await reach.named(meant.name))
    if near and len({sheet.uri for sheet in sheets}) < len(sheets):
        # Several rows of one table: of the namesake whom the steps speak of.
        sheets = tuple(one for one in sheets if any(one.key in b.documents for b in near))
    if sheets:
        told = field_saying(text, meant.name, sheets=sheets)
        if meant.only:
            found, _ = await reach.found(text)
            told = best_saying(text, meant.name, sheets=sheets, terms=found.terms)
        yield Try(question=text, name=meant.name, sheets=sheets, only=True, told=told)
    if meant.only:
        return
    for bearer in near or bearers:
        for name in bearer.names[:_MOST_NAMES]:
            about = tuple(s for s in await reach.named(name) if s.key in bearer.documents)
            if about:
                told = field_saying(text, meant.name, sheets=about)
                other = text.replace(meant.name, name)
                yield Try(question=other, name=name, sheets=about, only=True, told=told)
    yield Try(question=text, name=meant.name, sheets=sheets)


async def renamed(question: str, reach: Reach) -> Unfolded | None:
    """Return a question under the other names of what it names, None where nothing has others.

    Where it asks for another name, the sentence that has both names answers it.
    """
    tries: list[Try] = []
    for name in names_of(question):
        for bearer in await reach.bearers(name):
            tries += [one async for one in _under_other_names(question, name, bearer, reach)]
    return Unfolded(question=question, steps=(), tries=tuple(tries)) if tries else None


async def _under_other_names(
    question: str, name: str, bearer: NamedBearer, reach: Reach
) -> AsyncIterator[Try]:
    for other in bearer.names[:_MOST_NAMES]:
        if asks_other_name(question):
            _, sheets = await reach.found(f'"{other}" {name}')
            near = [sheet for sheet in sheets if sheet.key in bearer.documents]
            saying = [one for sheet in near for one in sheet.saying(key_of(other))]
            own = frozenset(key_of(name).split())
            saying.sort(
                key=lambda one: -len(own & frozenset(key_of(one.hit.evidence.title).split()))
            )
            if saying:
                yield Try(question=question, name=name, told=saying[0])
        about = tuple(s for s in await reach.named(other) if s.key in bearer.documents)
        if about:
            plainer = question.replace(name, other)
            told = field_saying(question, name, sheets=about)
            yield Try(question=plainer, name=other, sheets=about, only=True, told=told)


def asks_other_name(question: str) -> bool:
    """Tell whether a question asks what something is called besides."""
    return things().other_names.search(question) is not None


def names_of(question: str) -> tuple[str, ...]:
    """Return the names of several words in a question, and the Korean ones before a title."""
    spans = (_OWNED.sub("", span) for span in spans_beside(question, []))
    korean = (match[1] for match in _KOREAN.finditer(question))
    return tuple(dict.fromkeys([*(span for span in spans if " " in span), *korean]))
