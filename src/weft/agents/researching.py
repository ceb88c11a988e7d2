"""The roles of research: plan, see what is lacking, choose who looks, judge, write."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from weft.agents.answering import DraftSentence
from weft.agents.roles import Role, RoleSettings
from weft.agents.routing import Specialist
from weft.domain.frozen import dataclass

_FROZEN = ConfigDict(frozen=True)
_SHORT = RoleSettings(max_turns=3, max_tokens=12_000, retries=2)
_LONG = RoleSettings(max_turns=4, max_tokens=30_000, retries=2)
MOST_SECTIONS, MOST_GAPS, MOST_TASKS = 8, 6, 6


class ResearchMode(StrEnum):
    """How a question is looked into: over and over as one, or in sections side by side."""

    ITERATIVE = "iterative"
    DEEP = "deep"


class OutlinedSection(BaseModel):
    """A section of a report to be; `documents` bound where rules look."""

    model_config = _FROZEN

    title: str = Field(min_length=1, max_length=200)
    key_question: str = Field(min_length=1, max_length=1000)
    documents: SkipJsonSchema[list[str]] = Field(default_factory=list, max_length=50)


class ReportPlan(BaseModel):
    """What a report will be about."""

    model_config = _FROZEN

    background_context: str = Field(default="", max_length=4000)
    report_outline: list[OutlinedSection] = Field(min_length=1, max_length=MOST_SECTIONS)
    report_title: str = Field(min_length=1, max_length=300)


class KnowledgeGap(BaseModel):
    """What is still to be found out, as questions; `thoughts` say why in a sentence or two."""

    model_config = _FROZEN

    research_complete: bool
    outstanding_gaps: list[str] = Field(default_factory=list, max_length=MOST_GAPS)
    thoughts: str = Field(default="", max_length=2000)


class AgentTask(BaseModel):
    """One specialist, and what it is asked for one gap."""

    model_config = _FROZEN

    gap: str = Field(max_length=1000)
    agent: Specialist
    query: str = Field(min_length=1, max_length=1000)


class AgentSelectionPlan(BaseModel):
    """Who looks for what; all of them work at the same time."""

    model_config = _FROZEN

    tasks: list[AgentTask] = Field(max_length=MOST_TASKS)


class JudgeAssessment(BaseModel):
    """Whether what was found is enough, how sure that is (0 to 1), and what to ask next."""

    model_config = _FROZEN

    sufficient: bool
    confidence: float = Field(default=0.0, ge=0, le=1)
    recommendation: str = Field(default="", max_length=1000)
    next_queries: list[str] = Field(default_factory=list, max_length=MOST_GAPS)


class WrittenSection(BaseModel):
    """Sentences, each with the ids of the findings that it rests on."""

    model_config = _FROZEN

    sentences: list[DraftSentence] = Field(max_length=60)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedFinding:
    """A sentence that was found, under its id, the title of where it stands and its gap.

    It is `near` where it is what was nearest to the gap and no answer to it.
    """

    id: str
    text: str
    title: str
    gap: str
    is_near: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportQuestion:
    """A question that a report is to be planned for."""

    question: str

    def told(self) -> str:
        """Return it in words for a model."""
        return self.question


@dataclass(frozen=True, slots=True, kw_only=True)
class Investigated:
    """How an investigation stands: its question, what was found, what was asked for it.

    `asked` are the gaps that were looked into, `suggested` what a judge would ask next; `agents`
    are the specialists at hand and `gaps` those to be looked into now. `turn` counts the turns that
    are over, `fresh` what the last one found. It `is_bound` where rules look in some documents.
    """

    question: str
    background: str = ""
    findings: tuple[CitedFinding, ...] = ()
    asked: tuple[str, ...] = ()
    suggested: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    agents: tuple[Specialist, ...] = ()
    turn: int = 0
    fresh: int = 0
    is_bound: bool = False

    def told(self) -> str:
        """Return all of it as JSON."""
        told: Mapping[str, object] = {
            "question": self.question,
            "background": self.background,
            "findings": [
                {"id": one.id, "title": one.title, "text": one.text, "answers": not one.is_near}
                for one in self.findings
            ],
            "asked_before": self.asked,
            "suggested": self.suggested,
            "gaps": self.gaps,
            "agents": self.agents,
        }
        return json.dumps({k: v for k, v in told.items() if v}, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundInSections:
    """A question, and the findings of each section of its report by the section's title."""

    question: str
    sections: tuple[tuple[str, tuple[CitedFinding, ...]], ...]

    def told(self) -> str:
        """Return all of it as JSON."""
        sections = [
            {"title": title, "findings": [{"id": one.id, "text": one.text} for one in found]}
            for title, found in self.sections
        ]
        return json.dumps({"question": self.question, "sections": sections}, ensure_ascii=False)


PLANNER: Role[ReportQuestion, ReportPlan] = Role(
    name="planner",
    prompt="research_plan",
    output=ReportPlan,
    tell=ReportQuestion.told,
    tools=("rag_search",),
    settings=_LONG,
)
GAP_FINDER: Role[Investigated, KnowledgeGap] = Role(
    name="gap_finder",
    prompt="research_gaps",
    output=KnowledgeGap,
    tell=Investigated.told,
    settings=_SHORT,
)
SELECTOR: Role[Investigated, AgentSelectionPlan] = Role(
    name="selector",
    prompt="research_select",
    output=AgentSelectionPlan,
    tell=Investigated.told,
    settings=_SHORT,
)
ASSESSOR: Role[Investigated, JudgeAssessment] = Role(
    name="assessor",
    prompt="research_judge",
    output=JudgeAssessment,
    tell=Investigated.told,
    settings=_SHORT,
)
WRITER: Role[Investigated, WrittenSection] = Role(
    name="writer",
    prompt="research_write",
    output=WrittenSection,
    tell=Investigated.told,
    settings=_LONG,
)
SYNTHESISER: Role[FoundInSections, WrittenSection] = Role(
    name="synthesiser",
    prompt="research_overview",
    output=WrittenSection,
    tell=FoundInSections.told,
    settings=_LONG,
)
