"""The RDF side asked without a model: typed questions read from a question's words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict

from weft.agents.toolbox import RuleTools
from weft.agents.tools.rdf_manifests import RDF_QUERY, RDF_TERMS
from weft.domain.answer import AnswerColumn, AnswerTable
from weft.domain.frozen import dataclass
from weft.domain.outside.shipped import sheet
from weft.language.patterns import pattern
from weft.language.terms import plain, stem, words
from weft.offline.answering import Chosen, Reply
from weft.offline.question.names import without_particle
from weft.retrieval.rdf.templates import Needs, RdfQuestion, Template, needs

_MOST_ASKED = 3
_MOST_SHOWN = 8
_LONGEST_SHORT = 300
_CAMEL = pattern(r"(?<=[a-z])(?=[A-Z])")
# These say all that a question asks: no narrower one is looked for behind them.
_WHOLE = frozenset({Template.DOMAIN, Template.RANGE, Template.CLASS_OF})


class RdfCue(BaseModel):
    """A pattern, with questions that have it and that do not."""

    model_config = ConfigDict(extra="forbid")

    pattern: str
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


@cache
def cues() -> Mapping[Template, RdfCue]:
    """Return the words that mean each template, the first one that fits to be taken."""
    return {
        Template(name): RdfCue.model_validate(row)
        for name, row in sheet("weft.offline.graph", "rdf_cues").items()
    }


@cache
def _patterns() -> Mapping[Template, re.Pattern[str]]:
    return {name: pattern(cue.pattern, re.IGNORECASE) for name, cue in cues().items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class RdfFound:
    """What the RDF side was asked and gave: each question's answers as the tool gives them."""

    asked: tuple[RdfQuestion, ...]
    answers: tuple[Mapping[str, Any], ...]


async def ask_rdf(
    question: str, nodes: Sequence[Mapping[str, str]], *, tools: RuleTools
) -> RdfFound | None:
    """Return what the typed questions give that a question's words mean; None where none is."""
    known = await tools.use(RDF_TERMS)
    asked = read_rdf(question, known, nodes=nodes)
    answers: list[Mapping[str, Any]] = []
    for one in asked:
        reply = await tools.use(RDF_QUERY, template=str(one.template), of=one.of)
        answers += reply.get("answers", ())
    return RdfFound(asked=asked, answers=tuple(answers)) if asked else None


def read_rdf(
    question: str, known: Mapping[str, Any], *, nodes: Sequence[Mapping[str, str]]
) -> tuple[RdfQuestion, ...]:
    """Return the typed questions that a question's words mean, at most three.

    `known` are the terms of the ontologies with their other names, `nodes` the things it names.
    """
    classes_known, relations_known = known.get("classes", {}), known.get("relations", {})
    classes = named_terms(question, classes_known)
    relations = named_terms(question, relations_known)
    of: dict[Needs, Sequence[str]] = {
        Needs.NOTHING: ("",),
        Needs.CLASS: classes,
        Needs.RELATION: relations,
        Needs.TERM: named_terms(question, {**relations_known, **classes_known}),
        Needs.THING: tuple(one["node_id"] for one in nodes),
    }
    found: list[RdfQuestion] = []
    narrower = False
    for template, cue in _patterns().items():
        if not cue.search(question):
            continue
        if not of[needs(template)]:
            narrower |= template is not Template.PROPERTIES_OF
            continue
        if found and not (template in _WHOLE and found[-1].template in _WHOLE):
            continue
        if template in _GENERAL and (narrower or classes or relations):
            continue
        found.append(RdfQuestion(template=template, of=of[needs(template)][0]))
    return tuple(found[:_MOST_ASKED])


# A question that names a term, known or not, asks something of it, and not for the list of all.
_GENERAL = frozenset({Template.CLASSES, Template.PROPERTIES})


def named_terms(question: str, known: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Return the terms that a question names by a name of theirs, the longest name first."""
    said = f" {' '.join(_spoken(question))} "
    found: dict[str, int] = {}
    for name, aliases in known.items():
        for each in (name, *aliases):
            own = " ".join(_spoken(each))
            if own and f" {own} " in said:
                found[name] = max(found.get(name, 0), len(own))
    return tuple(sorted(found, key=lambda name: (-found[name], name)))


def _spoken(text: str) -> list[str]:
    apart = _CAMEL.sub(" ", text.replace("_", " ").replace("-", " "))
    return [stem(without_particle(plain(word))) for word in words(apart)]


def told_by(found: RdfFound) -> Reply | None:
    """Return what the answers with rows say: short, the sentences cited, the rows of the first."""
    with_rows = [one for one in found.answers if one["rows"] and one["cites"]]
    if not with_rows:
        return None
    cited = dict.fromkeys(
        (str(cite["text"]), str(cite["id"])) for one in with_rows for cite in one["cites"]
    )
    short = "; ".join(map(_short, with_rows))
    return Reply(
        sentences=tuple(Chosen(text=text, evidence_id=name) for text, name in cited)[:_MOST_SHOWN],
        short=short if len(short) <= _LONGEST_SHORT else str(with_rows[0]["total"]),
        table=_table(with_rows[0]) if len(with_rows[0]["rows"]) > 1 else None,
    )


def _short(answer: Mapping[str, Any]) -> str:
    return ", ".join(" – ".join(map(str, row)) for row in answer["rows"])


def _table(answer: Mapping[str, Any]) -> AnswerTable:
    return AnswerTable(
        plan=" ".join(answer["sparql"].rpartition("\n")[2].split()),
        columns=tuple(AnswerColumn(name=name, type="text") for name in answer["columns"]),
        rows=tuple(tuple(map(str, row)) for row in answer["rows"]),
        total=int(answer["total"]),
    )
