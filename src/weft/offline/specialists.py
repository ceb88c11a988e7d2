"""The rules of the specialists: rows, the graph and the web, each with its own tools first."""

from __future__ import annotations

from weft.agents.answering import AskedQuestion, DraftAnswer
from weft.agents.toolbox import RuleTools
from weft.agents.tools.web_manifests import WEB_SEARCH
from weft.offline.answerer import answer_offline, handed_in, hold
from weft.offline.answering import answer_from
from weft.offline.evidence.found import FoundEvidence
from weft.offline.graph.stated import stated_by

_LONGEST_QUERY = 500


async def answer_from_rows(given: AskedQuestion, tools: RuleTools) -> DraftAnswer:
    """Return what a plan over rows gives; without a sure one what the nearest passages say."""
    return await answer_offline(given, tools, over_rows=True)


async def answer_from_graph(given: AskedQuestion, tools: RuleTools) -> DraftAnswer:
    """Return what passages say of a relation, found as any answer is or along the claims."""
    draft = await answer_offline(given, tools)
    if draft.sentences:
        return draft
    stated = await stated_by(given.question, tools)
    return draft if stated is None else handed_in(stated)


async def answer_from_web(given: AskedQuestion, tools: RuleTools) -> DraftAnswer:
    """Return what pages say that a web search finds."""
    reply = await tools.use(WEB_SEARCH, query=given.question[:_LONGEST_QUERY])
    found = FoundEvidence()
    hold(found, reply)
    return handed_in(answer_from(given.question, found, caution=given.caution))
