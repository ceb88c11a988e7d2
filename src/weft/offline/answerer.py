"""The offline rule of the answering role: search, follow references if asked, then answer."""

from __future__ import annotations

import re

from weft.agents.evidence import EvidenceBook
from weft.agents.tools.manifests import FETCH_NEIGHBORS, FILTER_DOCS, GRAPH_QUERY, RAG_SEARCH
from weft.agents.turn import Move, Turn, Wish
from weft.offline.answering import Chosen, Reply, answer_from
from weft.offline.choice.picking import MOST_SENTENCES
from weft.offline.question.question import asked_words

_ISSUE = re.compile(r"\b[A-Z][A-Z0-9]+-\d+\b")
_FILE = re.compile(r"(?<![\w:/])(?:[\w.-]+/)*[\w-][\w.-]*\.[a-z]{1,5}\b(?!/)")
_REFERENCES = re.compile(
    r"\b(?:linked|links?|refers?|referred|references?|related|neighbou?rs?)\b|연결|참조|관련", re.I
)
# What points at documents says nothing of what is looked for in them.
_POINTING = re.compile(
    r"\b(?:filter|sort|list|show|summari[sz]e|only|which of|what do|do|says?|mentions?|of|by|"
    r"about|me|all)\b|\b(?:the|those|these|them|their|its|same|last|above|previous|ones?)\b"
    r"|\b(?:documents?|docs|files|pages|results|sources|issues|passages)\b"
    r"|(?:그|이|위)\s?(?:문서|파일|페이지|결과|이슈|자료)(?:들)?(?:\s?중에서|\s?중|에서)?"
    r"|그것들|이것들|그\s?중(?:에서|에)?|걸러|필터",
    re.I,
)
_STARTS = 3
# More than a model would read: rules weigh a passage in no time, and the best may lie deep.
_PASSAGES = 16


def asks_for_references(question: str) -> bool:
    """Tell whether a question is about what documents refer to, or are referred to by."""
    return bool(_REFERENCES.search(question))


def answer_offline(turn: Turn) -> Move:
    """Return the searches that a question asks for; once they are done, the answer."""
    if turn.book.pointed:
        return _of_pointed(turn)
    calls = [wish for wish in _searches(turn.prompt) if not turn.has_called(wish.tool)]
    if not turn.returned and calls:
        return Move(calls=tuple(wish for wish in calls if wish.tool in turn.tools))
    near = _neighbours(turn)
    if near is not None:
        return Move(calls=(near,))
    return _handed_in(answer_from(turn.prompt, turn.book))


def _of_pointed(turn: Turn) -> Move:
    """Answer from the documents pointed at alone, or from their neighbours."""
    ids = list(turn.book.pointed)
    wish = Wish(tool=FILTER_DOCS, args={"query": turn.prompt[:2000], "document_ids": ids})
    if asks_for_references(turn.prompt):
        wish = Wish(tool=FETCH_NEIGHBORS, args={"document_ids": ids, "depth": 1})
    if wish.tool in turn.tools and not turn.has_called(wish.tool):
        return Move(calls=(wish,))
    looked_for = _REFERENCES.sub(" ", _POINTING.sub(" ", turn.prompt))
    if asked_words(looked_for):
        return _handed_in(answer_from(looked_for, turn.book))
    return _handed_in(_one_of_each(turn.book))


def _one_of_each(book: EvidenceBook) -> Reply:
    """Return the first sentence of each document's best passage."""
    chosen: dict[str, Chosen] = {}
    for name, hit in book.entries():
        evidence = hit.evidence
        said = [evidence.text[span.start : span.end] for span in evidence.sentences]
        # A heading says what a document is called, not what it says.
        text = next((one for one in said if not one.startswith("#")), None)
        if text is not None:
            chosen.setdefault(evidence.document_id, Chosen(text=text, evidence_id=name))
    missing = () if chosen else ("documents",)
    return Reply(sentences=tuple(chosen.values())[:MOST_SENTENCES], missing=missing)


def _handed_in(reply: Reply) -> Move:
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
