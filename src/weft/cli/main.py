"""The command line: every verb, each in a file of its own."""

from __future__ import annotations

from typing import Annotated

import typer

from weft import __version__
from weft.cli import model, runs
from weft.cli.ask import ask, open_citation
from weft.cli.bases import kb
from weft.cli.chat import chat
from weft.cli.doctor import doctor
from weft.cli.ingest import ingest
from weft.cli.init import init
from weft.cli.search import search
from weft.cli.serve import serve

app = typer.Typer(
    help="Answers from your documents, with evidence anyone can check.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command()(init)
app.command()(ingest)
app.command()(ask)
app.command()(chat)
app.command("open")(open_citation)
app.command()(search)
app.add_typer(kb.app, name="kb")
app.add_typer(runs.app, name="runs")
app.add_typer(model.app, name="model")
app.command()(doctor)
app.command()(serve)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"weft {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Answers from your documents, with evidence anyone can check."""


def main() -> None:
    """Run the command line."""
    app()
