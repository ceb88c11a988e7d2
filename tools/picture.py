"""Draw the README's picture: answers from the demo's documents, as the terminal shows them.

Usage: python tools/picture.py, after `make demo`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from demo import DOCUMENTS, HOME, ROOT
from rich.console import Console

from weft.cli.rendering import print_answer
from weft.domain.answer import Answer, Citation
from weft.sdk.weft import Weft

TARGET = ROOT / "docs" / "images" / "demo.svg"
QUESTIONS = (
    "Which license does SQLAlchemy use?",
    "Who is the author of Rich?",
    "Who won the football world cup in 1998?",
)


def shown(answer: Answer) -> Answer:
    """Return an answer whose documents have addresses without this machine's folders."""
    said = (replace(one, citations=_shown(one.citations)) for one in answer.sentences)
    return replace(
        answer, sentences=tuple(said), nearest=_shown(answer.nearest), more=_shown(answer.more)
    )


def _shown(cited: Iterable[Citation]) -> tuple[Citation, ...]:
    folder = DOCUMENTS.parent.as_uri() + "/"
    return tuple(replace(one, uri=one.uri.replace(folder, "")) for one in cited)


def main() -> None:
    """Ask three questions and save what is printed."""
    console = Console(record=True, width=96)
    with Weft.open(DOCUMENTS, home=HOME) as weft:
        weft.sync()
        weft.ask(QUESTIONS[0])  # the first answer of a process takes longer than the next
        for question in QUESTIONS:
            console.print(f'[bold green]$[/] weft ask documents "{question}"')
            print_answer(console, shown(weft.ask(question)), question=question)
            console.print()
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    svg = console.export_svg(title="weft")
    # No picture fetches a font from elsewhere: the reader's own monospace will do.
    svg = re.sub(r"@font-face \{[^}]*\}", "", svg).replace("Fira Code", "monospace")
    TARGET.write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
