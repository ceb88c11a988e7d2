"""An answer as the terminal shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.text import Text

from weft.cli.answers import citations
from weft.cli.screen import screen
from weft.domain.answer import Answer, Citation, Tier
from weft.domain.display import on_one_line, without_marks

_AROUND = 600
# What is no answer is shown as far as tells what it is about.
_BRIEF = 300


def shown(text: str) -> str:
    """Return a sentence or snippet as the terminal shows it; JSON has it as it is stored."""
    return without_marks(on_one_line(text))


def brief(text: str) -> str:
    """Return a snippet as the terminal shows it, cut between words where it is long."""
    whole = shown(text)
    return whole if len(whole) <= _BRIEF else whole[:_BRIEF].rpartition(" ")[0] + " …"


def count_of_more(answer: Answer) -> str:
    """Return in words how many were found besides."""
    count = len(answer.more)
    return f"{count} more that {'was' if count == 1 else 'were'}"


def refusal_of(answer: Answer) -> tuple[str, str]:
    """Return why there is no answer, and what the nearest stand under: empty where none are."""
    said = answer.answer.splitlines()[: -len(answer.nearest) or None]
    heading = said.pop() if answer.nearest and len(said) > 1 else ""
    return " ".join(shown(line) for line in said), shown(heading)


def show_answer(answer: Answer, *, question: str, more: bool = False) -> None:
    """Print an answer on standard output, and how its citations are opened."""
    console = screen()
    print_answer(console, answer, question=question)
    if more:
        print_more(console, answer)
    elif answer.more:
        console.print(Text(f"--more shows {count_of_more(answer)} found.", style="dim"))
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
    reason, heading = refusal_of(answer) if answer.refused else ("", "")
    if reason:
        body.append(Text(reason))
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
    if heading:
        console.print(Text(heading, style="bold yellow"))
    print_citations(console, citations(answer), are_brief=answer.refused)
    for note in answer.notes:
        console.print(Text(f"note: {note}", style="dim"))


def print_citations(
    console: Console, cited: Sequence[Citation], *, are_brief: bool = False
) -> None:
    """Print each citation with the cited text, whole unless `are_brief`."""
    for citation in cited:
        quoted = brief(citation.snippet) if are_brief else shown(citation.snippet)
        console.print(_cited(citation, quoted))


def print_more(console: Console, answer: Answer) -> None:
    """Print what was found besides the sentences of an answer."""
    if answer.more:
        console.print(Text("Found besides:", style="bold"))
        print_citations(console, answer.more, are_brief=True)


def _cited(citation: Citation, quoted: str) -> Padding:
    place = [citation.title]
    if citation.section and citation.section != citation.title:
        place.append(citation.section)
    if citation.page is not None:
        place.append(f"page {citation.page}")
    head = Text(f"[{citation.n}] ", style="bold cyan")
    head.append(" · ".join(place), style="bold")
    head.append(f"  {citation.uri} ", style="dim")
    head.append(f"{citation.start}–{citation.end}", style="dim")
    words = Text(f"“{quoted}”", style="italic")
    return Padding(Group(head, Padding(words, (0, 0, 0, 4))), (0, 0, 0, 1))


def print_cited(console: Console, shown: Mapping[str, object]) -> None:
    """Print the words around a citation, the cited ones marked."""
    text, start, end = str(shown["text"]), int(str(shown["start"])), int(str(shown["end"]))
    console.print(Text(str(shown["document"]), style="bold"))
    begin, stop = max(0, start - _AROUND), min(len(text), end + _AROUND)
    around = Text(("…" if begin else "") + text[begin:start])
    around.append(text[start:end], style="black on yellow")
    around.append(text[end:stop] + ("…" if stop < len(text) else ""))
    console.print(around)
