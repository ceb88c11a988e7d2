"""An answer as the terminal shows it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.text import Text

from weft.cli.answers import citations
from weft.cli.screen import screen
from weft.cli.terminal.places import PlacedText, heading_of, place_of
from weft.cli.terminal.run_ids import SHORT
from weft.cli.terminal.texts import noted, said
from weft.cli.terminal.units import took
from weft.domain.answer import Answer, Citation, Tier
from weft.domain.display import on_one_line
from weft.language.markup import is_prose, plain

# What is no answer is shown as far as tells what it is about.
_BRIEF = 300
_SEVERAL = 2


def shown(text: str) -> str:
    """Return a sentence as the terminal shows it: on one line."""
    return on_one_line(text)


def quoted(citation: Citation) -> str:
    """Return the cited words on one line, without the signs of their format."""
    words = plain(citation.snippet) if is_prose(citation.uri) else citation.snippet
    return on_one_line(words)


def brief(citation: Citation) -> str:
    """Return the cited words on one line, cut between words where they are many."""
    whole = quoted(citation)
    return whole if len(whole) <= _BRIEF else whole[:_BRIEF].rpartition(" ")[0] + " …"


def refusal_of(answer: Answer) -> tuple[str, str]:
    """Return why there is no answer, and what the nearest stand under: empty where none are."""
    lines = answer.answer.splitlines()[: -len(answer.nearest) or None]
    heading = lines.pop() if answer.nearest and len(lines) > 1 else ""
    return " ".join(shown(line) for line in lines), shown(heading)


def show_answer(answer: Answer, *, question: str, more: bool = False) -> None:
    """Print an answer on standard output, and how its citations are opened."""
    console = screen()
    print_answer(console, answer, question=question)
    if more:
        print_more(console, answer, question=question)
    elif answer.more:
        flag = said("more_flag", question, count=len(answer.more))
        console.print(Text(flag, style="dim"))
    if answer.sentences or answer.nearest:
        console.print(Text(said("open", question), style="dim"))
    if answer.meanings:
        console.print(Text(said("meanings", question), style="bold yellow"))
    for one in answer.meanings:
        console.print(Text(f"  {on_one_line(one.text)}"))
        # In one piece: it is there to be copied.
        console.print(Text(f"    --pin {one.id}", style="dim"), soft_wrap=True)


def show_candidates(payload: Mapping[str, object]) -> None:
    """Print which things a name of the question may mean, where there is more than one."""
    context = payload.get("semantic_context")
    if not isinstance(context, dict):
        return
    pinned = {each["question_entity"] for each in context["overrides_applied"]}
    for each in context["matches"]:
        name, found = each["question_entity"], each["candidates"]
        if len(found) < _SEVERAL or name in pinned:
            continue
        screen().print(Text(f"Which {on_one_line(name)}?", style="bold yellow"))
        for one in found:
            told = " · ".join(on_one_line(part) for part in (*one["labels"], *one["titles"]))
            screen().print(Text(f"  {told}"))
            # In one piece: it is there to be copied.
            pin = shlex.quote(f"{name}={one['node_id']}")
            screen().print(Text(f"    --pin {pin}", style="dim"), soft_wrap=True)


def print_answer(console: Console, answer: Answer, *, question: str) -> None:
    """Print an answer, where its citations stand, and the cited text where it says it otherwise."""
    colour = "yellow" if answer.refused else "green"
    label = "offline" if answer.offline else "model"
    reason, heading = refusal_of(answer) if answer.refused else ("", "")
    body = [*sentence_lines(answer, question), *([Text(reason)] if reason else [])]
    console.print(
        Panel(
            Group(*body),
            title=Text(on_one_line(question), style="bold"),
            title_align="left",
            subtitle=f"{label} · {took(answer.took_ms / 1000)} · run {answer.run_id[:SHORT]}",
            subtitle_align="right",
            border_style=colour,
        )
    )
    if heading:
        console.print(Text(heading, style="bold yellow"))
    if answer.refused:
        print_citations(console, answer.nearest, are_brief=True)
    else:
        print_citations(console, citations(answer), beside=answer)
    for note in answer.notes:
        console.print(Text(noted(note), style="dim"))


def sentence_lines(answer: Answer, question: str) -> list[Text]:
    """Return what an answer says, each sentence with the numbers of its citations."""
    lines = [Text(shown(answer.short), style="bold")] if answer.short else []
    for sentence in answer.sentences:
        line = Text(shown(sentence.text))
        line.append("".join(f" [{one.n}]" for one in sentence.citations), style="bold cyan")
        if sentence.tier is Tier.PARTLY:
            words = said("partly", question, words=", ".join(sentence.missing))
            line.append(f"  {words}", "yellow")
        lines.append(line)
    return lines


def print_citations(
    console: Console,
    cited: Sequence[Citation],
    *,
    are_brief: bool = False,
    beside: Answer | None = None,
) -> None:
    """Print where each citation stands and what it says: cut short if `are_brief`.

    What a sentence of the answer `beside` says in the same words is not said again.
    """
    told = [] if beside is None else [shown(one.text) for one in beside.sentences]
    here = Path.cwd()
    for citation in cited:
        words = quoted(citation)
        is_told = any(words in one for one in told)
        told.append(words)
        text = "" if is_told else brief(citation) if are_brief else words
        console.print(_cited(citation, text, here=here))


def print_more(console: Console, answer: Answer, *, question: str) -> None:
    """Print what was found besides the sentences of an answer."""
    if answer.more:
        console.print(Text(said("besides", question), style="bold"))
        print_citations(console, answer.more, are_brief=True)


def headline(citation: Citation, *, here: Path) -> Text:
    """Return the number of a citation, where it stands, and under which title."""
    passage = PlacedText.of(citation)
    place = place_of(passage, here=here)
    title = heading_of(passage, place)
    line = Text(f"[{citation.n}] ", style="bold cyan")
    line.append(on_one_line(place), style="bold")
    line.append(f"  {title}" if title else "", style="dim")
    return line


def _cited(citation: Citation, words: str, *, here: Path) -> Padding:
    head = headline(citation, here=here)
    if not words:
        return Padding(head, (0, 0, 0, 1))
    said_there = Padding(Text(f"“{words}”", style="italic"), (0, 0, 0, 4))
    return Padding(Group(head, said_there), (0, 0, 0, 1))
