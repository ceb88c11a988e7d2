"""An answer as it is printed and as JSON, and how `weft open` remembers its citations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.text import Text

from weft.domain.answer import Answer, Citation, Tier
from weft.domain.display import on_one_line, without_marks
from weft.domain.errors import NotFound

_LAST = "last-answer.json"


def shown(text: str) -> str:
    """Return a sentence or snippet as the terminal shows it; JSON has it as it is stored."""
    return without_marks(on_one_line(text))


def as_json(answer: Answer) -> dict[str, object]:
    """Return an answer in the form that `weft ask --json` prints."""
    value = asdict(answer)
    for sentence in value["sentences"]:
        sentence["tier"] = str(sentence["tier"])
    return value


def print_answer(console: Console, answer: Answer, *, question: str) -> None:
    """Print an answer with its citations and the cited text."""
    colour = "yellow" if answer.refused else "green"
    label = "offline" if answer.offline else "model"
    body: list[Text | Padding] = []
    if answer.short:
        body.append(Text(answer.short, style="bold"))
    for sentence in answer.sentences:
        marks = "".join(f" [{citation.n}]" for citation in sentence.citations)
        line = Text(shown(sentence.text))
        line.append(marks, style="bold cyan")
        if sentence.tier is Tier.PARTLY:
            line.append(f"  (borne out in part; missing: {', '.join(sentence.missing)})", "yellow")
        body.append(line)
    if answer.refused:
        body.append(Text(answer.answer))
    console.print(
        Panel(
            Group(*body),
            title=Text(question, style="bold"),
            title_align="left",
            subtitle=f"{label} · {answer.took_ms:.0f} ms · run {answer.run_id}",
            subtitle_align="right",
            border_style=colour,
        )
    )
    print_citations(console, answer)
    for note in answer.notes:
        console.print(Text(f"note: {note}", style="dim"))


def print_citations(console: Console, answer: Answer) -> None:
    """Print each citation with the cited text."""
    for citation in citations(answer):
        console.print(_cited(citation))


def citations(answer: Answer) -> list[Citation]:
    """Return the citations of an answer, each once, in order of their numbers."""
    found = {c.n: c for sentence in answer.sentences for c in sentence.citations}
    return [found[n] for n in sorted(found)]


def _cited(citation: Citation) -> Padding:
    place = [citation.title]
    if citation.section and citation.section != citation.title:
        place.append(citation.section)
    if citation.page is not None:
        place.append(f"page {citation.page}")
    head = Text(f"[{citation.n}] ", style="bold cyan")
    head.append(" · ".join(place), style="bold")
    head.append(f"  {citation.uri} ", style="dim")
    head.append(f"{citation.start}–{citation.end}", style="dim")
    quoted = Text(f"“{shown(citation.snippet)}”", style="italic")
    return Padding(Group(head, Padding(quoted, (0, 0, 0, 4))), (0, 0, 0, 1))


def remember(home: Path, answer: Answer, *, bases: Sequence[str]) -> None:
    """Keep where the citations of the last answer are; no text of any document is kept."""
    rows = [
        {"n": c.n, "document": c.doc_id, "start": c.start, "end": c.end} for c in citations(answer)
    ]
    value = {"knowledge_bases": list(bases), "citations": rows}
    (home / _LAST).write_text(json.dumps(value), encoding="utf-8")


def recalled(home: Path, n: int) -> tuple[list[str], str, int, int]:
    """Return the bases, the document and the span of the n-th citation of the last answer."""
    try:
        value = json.loads((home / _LAST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise NotFound("There is no answer yet; ask something first.") from None
    for row in value["citations"]:
        if row["n"] == n:
            return value["knowledge_bases"], row["document"], row["start"], row["end"]
    raise NotFound(f"The last answer has no citation [{n}].")
