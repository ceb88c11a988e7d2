"""An answer as JSON, and how `weft open` remembers its citations."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from weft.domain.answer import Answer, Citation
from weft.domain.errors import BadInput, NotFound

_LAST = "last-answer.json"


def as_json(answer: Answer) -> dict[str, object]:
    """Return an answer in the form that `weft ask --json` prints."""
    value = asdict(answer)
    for sentence in value["sentences"]:
        sentence["tier"] = str(sentence["tier"])
    return {**value, "outcome": str(answer.outcome)}


def citations(answer: Answer) -> list[Citation]:
    """Return the citations of an answer, or the nearest, each once, in order of their numbers."""
    found = {c.n: c for sentence in answer.sentences for c in sentence.citations}
    found |= {c.n: c for c in answer.nearest}
    return [found[n] for n in sorted(found)]


def remember(home: Path, answer: Answer, *, service: str = "") -> None:
    """Keep where the citations of the last answer are; no text of any document is kept.

    `service` is the address of the service that gave it, empty for this machine.
    """
    rows = [
        {
            "n": one.n,
            "knowledge_base": one.knowledge_base,
            "document": one.doc_id,
            "start": one.start,
            "end": one.end,
        }
        for one in (*citations(answer), *answer.more)
    ]
    value = {"citations": rows, "service": service}
    (home / _LAST).write_text(json.dumps(value), encoding="utf-8")


def recalled(home: Path, n: int) -> tuple[str, str, int, int]:
    """Return the base, the document and the span of the n-th citation of the last answer."""
    try:
        value = json.loads((home / _LAST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise NotFound("There is no answer yet; ask something first.") from None
    if value.get("service"):
        raise BadInput(f"The last answer came from {value['service']}, where its documents are.")
    for row in value["citations"]:
        if row["n"] == n:
            return row["knowledge_base"], row["document"], row["start"], row["end"]
    raise NotFound(f"The last answer has no citation [{n}].")
