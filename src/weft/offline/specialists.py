"""The rules of the specialists: rows, the graph and the web, each with its own tools first."""

from __future__ import annotations

import re

from weft.agents.answering import AskedQuestion, DraftAnswer
from weft.agents.toolbox import RuleTools
from weft.agents.tools.web_manifests import WEB_SEARCH
from weft.language.patterns import pattern
from weft.offline.answerer import answer_offline, handed_in, hold
from weft.offline.answering import answer_from
from weft.offline.evidence.found import FoundEvidence
from weft.offline.graph.stated import stated_by

_LONGEST_QUERY = 500
# What a question says only to have it looked up; "online" alone may be what is asked about.
_WHERE = pattern(
    r"^\W*(?:please )?(?:search|look|check|browse|scour) (?:it |this )?(?:on |up on |through )?"
    r"(?:the )?(?:web|internet|net|online) (?:for|about|to (?:find|see))\b"
    r"|\s*\b(?:on|from) the (?:web|internet)(?=\W*$)"
    r"|^(?:웹|인터넷|온라인)(?:에서|으로) (?=.*(?:검색|찾아))"
    r"|(?:을|를)? ?(?:검색|찾아)(?:해)? ?(?:줘|봐|주세요)\W*$",
    re.IGNORECASE,
)


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
    question = without_where(given.question)
    reply = await tools.use(WEB_SEARCH, query=question[:_LONGEST_QUERY])
    found = FoundEvidence()
    hold(found, reply)
    return handed_in(answer_from(question, found, caution=given.caution, reader=given.reader))


def without_where(question: str) -> str:
    """Return a question without its words that say only to look on the web: no page has them."""
    rest = _WHERE.sub("", question)
    return " ".join(rest.split()) if any(map(str.isalnum, rest)) else question
