"""An answer as the terminal shows it."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.text import Text

from weft.cli.answers import citations
from weft.domain.answer import Answer, Citation, Tier
from weft.domain.display import on_one_line, without_marks

_AROUND = 600


def shown(text: str) -> str:
    """Return a sentence or snippet as the terminal shows it; JSON has it as it is stored."""
    return without_marks(on_one_line(text))


def show_answer(answer: Answer, *, question: str) -> None:
    """Print an answer on standard output, and how its citations are opened."""
    console = Console()
    print_answer(console, answer, question=question)
    if answer.sentences or answer.nearest:
        console.print(Text("weft open N shows the N-th citation in its document.", style="dim"))


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
        body += [Text(shown(line)) for line in answer.answer.splitlines()]
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


def print_cited(console: Console, shown: Mapping[str, object]) -> None:
    """Print the words around a citation, the cited ones marked."""
    text, start, end = str(shown["text"]), int(str(shown["start"])), int(str(shown["end"]))
    console.print(Text(str(shown["document"]), style="bold"))
    begin, stop = max(0, start - _AROUND), min(len(text), end + _AROUND)
    around = Text(("…" if begin else "") + text[begin:start])
    around.append(text[start:end], style="black on yellow")
    around.append(text[end:stop] + ("…" if stop < len(text) else ""))
    console.print(around)
