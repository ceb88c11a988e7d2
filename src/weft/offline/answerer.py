"""The offline rule of the answering role: search, follow references if asked, then answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from weft.agents.answering import (
    REFERENCES,
    AskedQuestion,
    Caution,
    DraftAnswer,
    DraftSentence,
    asks_for_references,
)
from weft.agents.toolbox import RuleTools
from weft.agents.tools.manifests import (
    DESCRIBE_TABLES,
    FETCH_NEIGHBORS,
    FILTER_DOCS,
    GRAPH_QUERY,
    RAG_SEARCH,
)
from weft.domain.evidence import Evidence
from weft.domain.frozen import dataclass
from weft.language.patterns import pattern
from weft.language.terms import terms
from weft.offline.answering import Chosen, Reply, answer_from
from weft.offline.chains.fields import follow_fields
from weft.offline.chains.hops import follow_names
from weft.offline.chains.led import each_once
from weft.offline.chains.reach import Reach
from weft.offline.evidence.found import FoundEvidence, hits_in, terms_in
from weft.offline.evidence.passages import MOST_SENTENCES
from weft.offline.question.question import asked_words
from weft.offline.refusals import meaning_gone_text
from weft.offline.rows import goes_over_rows, is_among_rows, naming_stems
from weft.offline.units.read_unit import is_row

_ISSUE = pattern(r"\b[A-Z][A-Z0-9]+-\d+\b")
_FILE = pattern(r"(?<![\w:/])(?:[\w.-]+/)*[\w-][\w.-]*\.[a-z]{1,5}\b(?!/)")
# What points at documents says nothing of what is looked for in them.
_POINTING = pattern(
    r"\b(?:filter|sort|list|show|summari[sz]e|only|which of|what do|do|says?|mentions?|of|by|"
    r"about|me|all)\b|\b(?:the|those|these|them|their|its|same|last|above|previous|ones?)\b"
    r"|\b(?:documents?|docs|files|pages|results|sources|issues|passages)\b"
    r"|(?:그|이|위)\s?(?:문서|파일|페이지|결과|이슈|자료)(?:들)?(?:\s?중에서|\s?중|에서)?"
    r"|그것들|이것들|그\s?중(?:에서|에)?|걸러|필터",
    re.I,
)
_STARTS = 3
_LONGEST = 2000
# What a draft holds at most, whatever a question is like.
_MOST_MISSING, _MOST_NOTES = 20, 10
_LONGEST_SHORT, _LONGEST_REASON = 300, 600
# More than a model would read: rules weigh a passage in no time, and the best may lie deep.
_PASSAGES = 16


# How likely the best plan has to be; where it keeps to the documents that are pointed at, that
# speaks for it as well.
LEAST = {Caution.ANSWERING: 0.64, Caution.CAUTIOUS: 0.8}
_LEAST_POINTED = 0.2
# From here on the rows that a plan stands on are near what is asked, where they are so few.
_LEAST_NEAR, _FEW_ROWS = 0.3, 2
# From here on a plan is told whatever a sentence says.
_SURELY = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class _Worked:
    """What tables answer, and how likely it is that it was meant."""

    reply: Reply
    chance: float


async def answer_offline(
    given: AskedQuestion, tools: RuleTools, *, over_rows: bool = False
) -> DraftAnswer:
    """Return the answer of the rules to a question, from what the tools find for it.

    Rows are looked for where its words say so, or all the same `over_rows`.
    """
    if given.pointed:
        return await _of_pointed(given, tools)
    question, found = await _looked_up(given, tools)
    if given.meaning:
        return handed_in(await _of_meaning(given, found, tools))
    if given.about:
        return handed_in(_in_context(given, found))
    worked = None
    # A plan goes over all rows of a table: it cannot leave those of a namesake out.
    if not given.without:
        worked = await _of_tables(given, question, found, tools, over_rows=over_rows)
        if worked is not None and worked.chance >= _SURELY:
            return handed_in(worked.reply)
    told = answer_from(question, found, caution=given.caution, reader=given.reader)
    if worked is None:
        return handed_in(told)
    if worked.chance < LEAST[given.caution]:
        return handed_in(_beside_rows(told, worked))
    # What a sentence answers is not given up for a plan that may be another's.
    return handed_in(told if _is_said(told, found) else worked.reply)


def _beside_rows(told: Reply, worked: _Worked) -> Reply:
    """Return what is told with what tables may mean: their few rows are near where nothing answers.

    The first of the nearest stays so.
    """
    told = replace(told, meanings=worked.reply.meanings)
    rows = worked.reply.sentences
    if told.sentences or worked.chance < _LEAST_NEAR or len(rows) > _FEW_ROWS:
        return told
    near = each_once((*told.nearest[:1], *rows, *told.nearest[1:]))
    return replace(told, nearest=tuple(near))


async def _of_meaning(given: AskedQuestion, found: FoundEvidence, tools: RuleTools) -> Reply:
    """Return what tables answer to a question as somebody says that it is meant."""
    asked = given.question
    worked = await _of_tables(given, asked, found, tools)
    if worked is not None:
        return worked.reply
    told = answer_from(asked, found, caution=given.caution, reader=given.reader)
    near = told.nearest or told.sentences
    return Reply(sentences=(), nearest=near, reason=meaning_gone_text(asked, given.meaning))


def _is_said(told: Reply, found: FoundEvidence) -> bool:
    """Tell whether a text answers: a row of a table says no more than a plan over its rows."""
    rows = {hit.evidence.id for _, hit in found.entries() if is_row(hit)}
    texts = [one for one in told.sentences if one.evidence_id not in rows]
    return not told.short and any(not one.text.lstrip().startswith("|") for one in texts)


async def _looked_up(given: AskedQuestion, tools: RuleTools) -> tuple[str, FoundEvidence]:
    """Return the question with what it goes on from, and what the tools find for it."""
    if given.reader is not None:
        given.reader.prepare()
    question, found = given.question, FoundEvidence(without=given.without)
    if given.about:
        question = f"{question}\n{given.about}"
    await _search(question, found, tools)
    named = _identified(question)
    if named:
        hold(found, await tools.use(GRAPH_QUERY, **named))
    if asks_for_references(question):
        await _neighbours(found, tools)
    return question, found


def _in_context(given: AskedQuestion, found: FoundEvidence) -> Reply:
    """Return the answer to a question from the passages that speak of what it goes on from.

    The words of the question choose in them; where it has none of its own, the others do.
    """
    whole = f"{given.question}\n{given.about}"
    stems = set(terms(given.about)) - set(terms(given.question))
    fits = [hit for _, hit in found.entries() if _says_most(stems, hit.evidence)]
    if not fits or not asked_words(given.question):
        return answer_from(whole, found, caution=given.caution, reader=given.reader)
    narrow = FoundEvidence()
    narrow.learn(found.terms, naming=found.naming)
    for hit in fits:
        narrow.add(hit)
    return answer_from(given.question, narrow, caution=given.caution, reader=given.reader)


def _says_most(stems: set[str], evidence: Evidence) -> bool:
    said = set(terms(f"{evidence.title} {evidence.section or ''} {evidence.text}"))
    return len(stems & said) * 2 > len(stems)


async def _search(question: str, found: FoundEvidence, tools: RuleTools) -> None:
    """Enter the passages for a question, and those that its names lead to."""
    text = question[:_LONGEST]
    reply = await tools.use(RAG_SEARCH, query=text, top_k=_PASSAGES)
    hold(found, reply)
    if not reply:
        return
    reach = Reach(tools)
    await follow_names(text, found, reach=reach)
    found.followed = await follow_fields(text, found, reach=reach)


async def _of_tables(
    given: AskedQuestion,
    question: str,
    found: FoundEvidence,
    tools: RuleTools,
    *,
    over_rows: bool = False,
) -> _Worked | None:
    """Return what the tables beside the passages most likely answer, if any may.

    Where what is meant was said, that is what is answered.
    """
    meaning = given.meaning
    held = [hit.evidence for _, hit in found.entries()]
    ids = [one.id for one in held if is_among_rows(one)]
    stems = sorted(naming_stems(question))
    if not ids and not over_rows and not meaning and not goes_over_rows(question):
        return None
    told = (await tools.use(DESCRIBE_TABLES, query=question, ids=ids, stems=stems)).get("tables")
    if not told:
        return None
    found.tables = tuple(one["title"] for one in told)
    # Here, because what reads a question against rows loads as long as most answers take.
    from weft.offline.plans.answers.answering import answer_from_tables

    worked = await answer_from_tables(
        question, tools, told=told, reader=given.reader, meaning=meaning
    )
    if worked is None:
        return None
    rows = tuple(Chosen(text=one.text, evidence_id=one.evidence_id) for one in worked.quotes)
    reply = Reply(
        sentences=rows,
        short=worked.short,
        notes=worked.notes,
        table=worked.table,
        meanings=worked.meanings,
    )
    return _Worked(reply=reply, chance=worked.chance)


async def _neighbours(found: FoundEvidence, tools: RuleTools) -> None:
    ids = list(dict.fromkeys(hit.evidence.document_id for _, hit in found.entries()))
    if ids:
        hold(found, await tools.use(FETCH_NEIGHBORS, document_ids=ids[:_STARTS], depth=1))


async def _of_pointed(given: AskedQuestion, tools: RuleTools) -> DraftAnswer:
    """Answer from the documents pointed at alone, or from their neighbours."""
    question, ids = given.question, list(given.pointed)
    found = FoundEvidence()
    for reply in given.recalled:
        hold(found, reply)
    if asks_for_references(question):
        hold(found, await tools.use(FETCH_NEIGHBORS, document_ids=ids, depth=1))
    else:
        await tools.use(FILTER_DOCS, query=question[:_LONGEST], document_ids=ids)
        worked = await _of_tables(given, question, found, tools)
        known = {name for name, _ in found.entries()}
        # Rows of other documents are not those that are pointed at.
        rows = {one.evidence_id for one in worked.reply.sentences} if worked is not None else set()
        if worked is not None and worked.chance >= _LEAST_POINTED and known >= rows:
            return handed_in(worked.reply)
    looked_for = REFERENCES.sub(" ", _POINTING.sub(" ", question))
    if asked_words(looked_for):
        return handed_in(answer_from(looked_for, found, caution=given.caution, reader=given.reader))
    return handed_in(_one_of_each(found))


def hold(found: FoundEvidence, reply: Mapping[str, Any]) -> None:
    """Enter the passages of a reply, and what it tells of the question's words."""
    found.learn(terms_in(reply), naming=float(reply.get("naming", 0.0)))
    for hit in hits_in(reply):
        found.add(hit)


def _one_of_each(found: FoundEvidence) -> Reply:
    """Return the first sentence of each document's best passage."""
    chosen: dict[str, Chosen] = {}
    for name, hit in found.entries():
        evidence = hit.evidence
        said = [evidence.text[span.start : span.end] for span in evidence.sentences]
        # A heading says what a document is called, not what it says.
        text = next((one for one in said if not one.startswith("#")), None)
        if text is not None:
            chosen.setdefault(evidence.document_id, Chosen(text=text, evidence_id=name))
    missing = () if chosen else ("documents",)
    return Reply(sentences=tuple(chosen.values())[:MOST_SENTENCES], missing=missing)


def handed_in(reply: Reply) -> DraftAnswer:
    """Return a reply as the answering role hands it in."""

    def drafted(chosen: Sequence[Chosen]) -> list[DraftSentence]:
        return [DraftSentence(text=one.text, evidence_ids=[one.evidence_id]) for one in chosen]

    return DraftAnswer(
        sentences=drafted(reply.sentences),
        nearest=drafted(reply.nearest),
        more=drafted(reply.more),
        missing=list(reply.missing)[:_MOST_MISSING],
        # A part of what was computed would be another answer: then the sentences alone say it.
        short=reply.short if len(reply.short) <= _LONGEST_SHORT else "",
        reason=_cut(reply.reason),
        notes=list(reply.notes)[:_MOST_NOTES],
        table=reply.table,
        meanings=() if reply.sentences else reply.meanings,
    )


def _cut(reason: str) -> str:
    """Return a reason, shortened where it repeats a question of any length."""
    return reason if len(reason) <= _LONGEST_REASON else f"{reason[: _LONGEST_REASON - 1]}…"


def _identified(question: str) -> dict[str, str]:
    """Return the issue or the file that a question names, as a condition on documents."""
    issue, file = _ISSUE.search(question), _FILE.search(question)
    if issue:
        return {"issue_key": issue.group()}
    return {"file_path": file.group()} if file else {}
