"""An answer as a Markdown file: the question, what is said, and where each word of it stands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from weft.cli.answers import citations
from weft.cli.rendering import headline, quoted, refusal_of, sentence_lines, shown
from weft.domain.answer import Answer, AnswerTable
from weft.domain.display import in_markdown
from weft.domain.errors import BadInput

_SUFFIX = ".md"


def check_place(save: Path) -> None:
    """Raise `BadInput`, before anything is asked, for a file that an answer is not written to."""
    if save.suffix.lower() != _SUFFIX:
        raise BadInput(f"'{save.name}': an answer is written as {_SUFFIX}.", file=str(save))
    if not save.absolute().parent.is_dir():
        raise BadInput(f"'{save}': there is no folder {save.parent}.", file=str(save))


def markdown_of(answer: Answer, *, question: str) -> str:
    """Return an answer as Markdown; of a refusal why it is one, and what was nearest."""
    return "\n\n".join(_parts(answer, question)) + "\n"


def _parts(answer: Answer, question: str) -> Iterator[str]:
    yield f"# {in_markdown(shown(question))}"
    if answer.refused:
        for line in refusal_of(answer):
            if line:
                yield in_markdown(line)
    else:
        for text in sentence_lines(answer, question):
            yield in_markdown(text.plain)
        if answer.table is not None:
            yield _table(answer.table)
    cited = citations(answer)
    if cited:
        here = Path.cwd()
        yield "\n".join(
            f"- {in_markdown(headline(one, here=here).plain)}  \n  {in_markdown(quoted(one))}"
            for one in cited
        )
    for note in answer.notes:
        yield in_markdown(note)
    yield in_markdown(f"run {answer.run_id}")


def _cell(text: str) -> str:
    return in_markdown(shown(text)).replace("|", "\\|")


def _table(table: AnswerTable) -> str:
    def line(cells: tuple[str, ...]) -> str:
        return "| " + " | ".join(_cell(one) for one in cells) + " |"

    names = tuple(one.name for one in table.columns)
    return "\n".join([line(names), "|" + "---|" * len(names), *map(line, table.rows)])
