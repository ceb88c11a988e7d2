"""The offline rule of the answering role: search, follow references if asked, then answer."""

from __future__ import annotations

import re

from weft.agents.answering import answer_from
from weft.agents.manifests import FETCH_NEIGHBORS, GRAPH_QUERY, RAG_SEARCH
from weft.agents.turn import Move, Turn, Wish

_ISSUE = re.compile(r"\b[A-Z][A-Z0-9]+-\d+\b")
_FILE = re.compile(r"(?<![\w:/])(?:[\w.-]+/)*[\w-][\w.-]*\.[a-z]{1,5}\b(?!/)")
_REFERENCES = re.compile(
    r"\b(?:linked|links?|refers?|referred|references?|related|neighbou?rs?)\b|연결|참조|관련", re.I
)
_STARTS = 3
# More than a model would read: rules weigh a passage in no time, and the best may lie deep.
_PASSAGES = 16


def answer_offline(turn: Turn) -> Move:
    """Return the searches that a question asks for; once they are done, the answer."""
    calls = [wish for wish in _searches(turn.prompt) if not turn.has_called(wish.tool)]
    if not turn.returned and calls:
        return Move(calls=tuple(wish for wish in calls if wish.tool in turn.tools))
    near = _neighbours(turn)
    if near is not None:
        return Move(calls=(near,))
    reply = answer_from(turn.prompt, turn.book)
    return Move(
        output={
            "sentences": [
                {"text": one.text, "evidence_ids": [one.evidence_id]} for one in reply.sentences
            ],
            "missing": list(reply.missing),
            "short": reply.short,
            "reason": reply.reason,
            "notes": list(reply.notes),
        }
    )


def _searches(prompt: str) -> list[Wish]:
    wishes = [Wish(tool=RAG_SEARCH, args={"query": prompt[:2000], "top_k": _PASSAGES})]
    issue, file = _ISSUE.search(prompt), _FILE.search(prompt)
    if issue:
        wishes.append(Wish(tool=GRAPH_QUERY, args={"issue_key": issue.group()}))
    elif file:
        wishes.append(Wish(tool=GRAPH_QUERY, args={"file_path": file.group()}))
    return wishes


def _neighbours(turn: Turn) -> Wish | None:
    """Return the wish to follow references, when the question speaks of them for the first time."""
    if not _REFERENCES.search(turn.prompt) or turn.has_called(FETCH_NEIGHBORS):
        return None
    ids = dict.fromkeys(hit.evidence.document_id for _, hit in turn.book.entries())
    if FETCH_NEIGHBORS not in turn.tools or not ids:
        return None
    return Wish(tool=FETCH_NEIGHBORS, args={"document_ids": list(ids)[:_STARTS], "depth": 1})
