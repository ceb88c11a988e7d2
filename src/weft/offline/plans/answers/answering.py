"""The answer of a plan: in short, the rows that it stands on, how it was worked out."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from weft.agents.toolbox import RuleTools
from weft.agents.tools.manifests import TABLE_QUERY
from weft.domain.answer import AnswerColumn, AnswerTable, Meaning
from weft.domain.frozen import dataclass
from weft.domain.notes import note
from weft.domain.outside.written import fields_of
from weft.language.hangul import has_hangul
from weft.offline.plans.answers.meanings import MOST_MEANINGS, meaning_of, with_id
from weft.offline.plans.answers.quotes import RowQuote, quotes_of
from weft.offline.plans.answers.short import is_of_kind_asked, short_of
from weft.offline.plans.choosing import RankedPlan, log_chances, plan_scorer, ranked_plans
from weft.offline.plans.features import result_features
from weft.offline.plans.reading import how_many_read, read_plans
from weft.offline.plans.sketch import sketch_of
from weft.offline.plans.ways import Planned, PlanShape
from weft.offline.units.question import Doubles
from weft.ports.embedder import CrossReader

MOST_ROWS = 20
_MOST_TRIED, _HARDLY = 8, 0.05
_MOST_SHORT = 300
_FEWEST_ROWS = 2
# What is less likely is not worth asking back about.
_LIKELY = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class TableAnswer:
    """An answer worked out over rows: what it is, the rows that it stands on, and notes on it.

    `chance` is how likely the plans that give it are, from 0 to 1; `meanings` are the likeliest
    that the question has, this one among them.
    """

    short: str
    quotes: tuple[RowQuote, ...]
    notes: tuple[str, ...] = ()
    table: AnswerTable | None = None
    chance: float = 0.0
    meanings: tuple[Meaning, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tried:
    """A plan that was run: its answer, if it gave one, and its score with how that looks."""

    answer: TableAnswer | None
    score: float


async def answer_from_tables(
    question: str,
    tools: RuleTools,
    *,
    told: Sequence[Mapping[str, Any]],
    reader: CrossReader | None = None,
    meaning: str = "",
) -> TableAnswer | None:
    """Return what some tables, as told, most likely answer; whether to tell it is the caller's.

    The likeliest plans are run, since what a plan gives tells as well whether it was meant, and
    read together with that and the question where there is a reader; plans that give the same count
    together.
    With the id of a `meaning` that is what is told, or nothing where it is none any more.
    """
    sketches = [sketch_of(item) for item in told]
    found = await asyncio.to_thread(ranked_plans, question, sketches)
    if not found.plans:
        return None
    if meaning:
        return await _meant(question, with_id(meaning, found.plans), tools)
    rows = np.stack([*(one.features for one in found.plans), found.none])
    scores = plan_scorer().scores(rows)
    runs = _Runs(question, found.plans, tools=tools)
    count = how_many_read(question, scores, reader=reader)
    shorts = [await runs.short(at) for at in range(count)]
    read = await asyncio.to_thread(
        read_plans, question, found.plans, shorts=shorts, scores=scores, reader=reader
    )
    tried: list[_Tried] = []
    left = 1.0 - float(np.exp(read[-1]))
    for at in [int(n) for n in np.argsort(-read[:-1], kind="stable")[:_MOST_TRIED]]:
        if left < _HARDLY:
            break
        left -= float(np.exp(read[at]))
        one = found.plans[at]
        reply, answer = await runs.of(at)
        looks = looks_of(one, reply, short=answer.short) if answer is not None else 0.0
        # How it looks counts beside what was read.
        gained = float(plan_scorer().scores((one.features + looks)[np.newaxis])[0] - scores[at])
        tried.append(_Tried(answer=answer, score=float(read[at]) + gained))
    return _likeliest(tried, none=float(read[-1]))


class _Runs:
    """The plans of a question by number, each run once, when its answer is first wanted."""

    def __init__(self, question: str, plans: Sequence[RankedPlan], *, tools: RuleTools) -> None:
        self._question, self._plans, self._tools = question, plans, tools
        self._found: dict[int, tuple[Mapping[str, Any], TableAnswer | None]] = {}

    async def of(self, at: int) -> tuple[Mapping[str, Any], TableAnswer | None]:
        """Return what the tool replied to a plan, and its answer, if it gives one."""
        if at not in self._found:
            planned = self._plans[at].planned
            self._found[at] = await _run(self._question, planned, self._tools)
        return self._found[at]

    async def short(self, at: int) -> str:
        """Return what a plan answers in short, nothing where it gives no answer."""
        _, answer = await self.of(at)
        return "" if answer is None else answer.short


async def _meant(question: str, one: RankedPlan | None, tools: RuleTools) -> TableAnswer | None:
    """Return what a plan gives that somebody says is meant."""
    if one is None:
        return None
    _, answer = await _run(question, one.planned, tools)
    return None if answer is None else replace(answer, chance=1.0, meanings=())


async def _run(
    question: str, planned: Planned, tools: RuleTools
) -> tuple[Mapping[str, Any], TableAnswer | None]:
    reply = await tools.use(TABLE_QUERY, **fields_of(planned.plan))
    return reply, _answer(question, planned, reply) if reply else None


def looks_of(one: RankedPlan, reply: Mapping[str, Any], *, short: str) -> Doubles:
    """Return float64[features] of what a plan's answer looks like."""
    return result_features(
        one.candidate,
        one.planned.sketch,
        total=int(reply["total"]),
        counted=int(reply["counted"]),
        short=short,
    )


def _likeliest(tried: Sequence[_Tried], *, none: float) -> TableAnswer | None:
    """Return the answer that most of the likelihood is for."""
    shares = np.exp(log_chances(np.array([*(one.score for one in tried), none])))
    sums: dict[str, float] = {}
    answers: dict[str, TableAnswer] = {}
    for one, share in zip(tried, shares, strict=False):
        # A plan that gives nothing is as likely meant as before: then nothing is the answer.
        if one.answer is not None:
            said = one.answer.short.casefold()  # two tables may write the same in two ways
            answers.setdefault(said, one.answer)
            sums[said] = sums.get(said, 0.0) + float(share)
    if not sums:
        return None
    falling = sorted(sums, key=lambda said: -sums[said])
    offered: dict[str, Meaning] = {}
    for each in (
        one for said in falling if sums[said] >= _LIKELY for one in answers[said].meanings
    ):
        offered.setdefault(each.text, each)  # two plans may be the same in words
    best = falling[0]
    meanings = tuple(offered.values())[:MOST_MEANINGS]
    return replace(answers[best], chance=sums[best], meanings=meanings)


def _answer(question: str, found: Planned, reply: Mapping[str, Any]) -> TableAnswer | None:
    language = "ko" if has_hangul(question) else "en"
    short = short_of(found, reply, language=language)
    if not short or len(short) > _MOST_SHORT:
        return None
    if found.shape is PlanShape.CELLS and not is_of_kind_asked(question, short):
        return None
    quotes = tuple(dict.fromkeys(quotes_of(reply, found)))
    if not quotes:
        return None
    meaning = meaning_of(found, language=language)
    plan = meaning.text if meaning is not None and language == "ko" else reply["plan"]
    notes = [note("planned", language=language, plan=plan, count=reply["whole"])]
    shown = len(reply["cites"])
    # Several months of a row are one row that is written.
    is_once = found.sketch.is_series and shown < MOST_ROWS
    if reply["counted"] > shown and not is_once:
        notes.append(note("rows_shown", language=language, count=reply["counted"], shown=shown))
    if reply["dirty"]:
        notes.append(note("cells_left_out", language=language, count=reply["dirty"]))
    if reply["bare"]:
        notes.append(note("cells_without_unit", language=language, count=reply["bare"]))
    return TableAnswer(
        short=short,
        quotes=quotes[:MOST_ROWS],
        notes=tuple(notes),
        table=_table(reply),
        meanings=(meaning,) if meaning is not None else (),
    )


def _table(reply: Mapping[str, Any]) -> AnswerTable | None:
    """Return the rows of a reply where they are more than the short answer says."""
    rows = tuple(tuple(map(str, row)) for row in reply["rows"])
    if len(rows) < _FEWEST_ROWS:
        return None
    return AnswerTable(
        plan=str(reply["plan"]),
        columns=tuple(
            AnswerColumn(
                name=str(one["name"]), type=str(one.get("kind", "text")), unit=str(one["unit"])
            )
            for one in reply["columns"]
        ),
        rows=rows,
        total=int(reply["total"]),
    )
