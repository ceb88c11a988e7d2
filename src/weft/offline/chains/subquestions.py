"""What is looked for beside a question itself: its names hop by hop, and plainer questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weft.offline.chains.hops import names_to_look_up
from weft.offline.chains.reach import Reach
from weft.offline.chains.rephrasing import Try, Unfolded, asks_other_name, names_of, renamed, unfold
from weft.offline.evidence.found import FoundEvidence, PlainerQuestion, PlainerQuestions
from weft.offline.question.names import key_of

_PASSAGES = 12
_MOST_HOPS = 4


async def follow(question: str, found: FoundEvidence, *, reach: Reach) -> None:
    """Enter the passages on the names that a question's roles lead to, hop by hop."""
    spelt = {key_of(name): name for name in names_of(question)}
    await _rows(question, found, spelt=spelt, reach=reach)
    for _ in range(_MOST_HOPS):
        names = () if reach.is_late else names_to_look_up(question, found)
        if not names:
            break
        looked_up = await reach.lookup(names, spelt=spelt, near=question)
        for name in names:  # what gave nothing is not asked again
            found.define(name, [found.add(hit) for hit in looked_up.get(name, ())])


async def _rows(
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


async def plainer_questions(question: str, reach: Reach) -> PlainerQuestions | None:
    """Return plainer questions with their evidence; None for a question that is plain itself."""
    if reach.is_late:
        return None
    unfolded = await unfold(question, reach) or await renamed(question, reach)
    if unfolded is None:
        return None
    tries = [await _asked(one, reach) for one in unfolded.tries]
    return _in_place_of(question, unfolded, tries)


def _in_place_of(
    question: str, unfolded: Unfolded, tries: Sequence[PlainerQuestion]
) -> PlainerQuestions:
    steps = unfolded.steps
    return PlainerQuestions(
        asked=question,
        said=tuple((one.hit, one.text) for one in unfolded.said),
        tries=tuple(tries),
        names=tuple(one.name for one in steps),
        sure=bool(steps) and all(one.sure for one in steps),
        telling=bool(steps) and steps[-1].telling,
        second=not steps and not asks_other_name(question),
        failed=unfolded.failed,
    )


async def _asked(one: Try, reach: Reach) -> PlainerQuestion:
    """Return a plainer question with what may answer it."""
    found = FoundEvidence()
    if one.told is None and not reach.is_late:
        searched = await reach.search(one.question, top_k=_PASSAGES, per_document=_PASSAGES)
        found.learn(searched.terms, naming=searched.naming)
        scored = {hit.evidence.chunk_id: hit for hit in searched.hits}
        for hit in (hit for sheet in one.sheets for hit in sheet.hits):
            found.add(scored.get(hit.evidence.chunk_id, hit))
        if not one.only:
            for hit in searched.hits:
                found.add(hit)
            await follow(one.question, found, reach=reach)
    return PlainerQuestion(
        question=one.question,
        found=found,
        name=one.name,
        about=frozenset(sheet.key for sheet in one.sheets),
        told=None if one.told is None else (one.told.hit, one.told.text),
        is_narrow=one.only,
    )
