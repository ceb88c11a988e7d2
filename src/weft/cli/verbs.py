"""Every verb of the command line, each in a file of its own."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated, Literal

import typer

from weft import __version__

# Where each verb is, or a group of them, in the order in which help shows them.
_VERBS = {
    "init": "init:init",
    "ingest": "ingest:ingest",
    "ask": "ask:ask",
    "chat": "chat:chat",
    "open": "ask:open_citation",
    "research": "research:research",
    "search": "search:search",
    "doctor": "doctor:doctor",
    "serve": "serving.serve:serve",
    "worker": "serving.worker:worker",
    "kb": "bases.kb:app",
    "ontology": "bases.ontology:app",
    "entity": "bases.entity:app",
    "flow": "flows.flow:app",
    "runs": "runs.runs:app",
    "replay": "runs.replay:replay",
    "schedule": "bases.schedule:app",
    "admin": "admin.verbs:app",
    "login": "remote.login:login",
    "logout": "remote.login:logout",
    "whoami": "remote.login:whoami",
    "model": "model:app",
    "audit": "auditing.audit:app",
}


def command_line(verb: str = "") -> typer.Typer:
    """Return the command line: of the one verb alone, which loads quicker, or of all of them."""
    app = typer.Typer(
        help="Answers from your documents, with evidence anyone can check.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
        rich_markup_mode=_markup(),
    )
    app.callback()(options)
    for name in [verb] if verb in _VERBS else _VERBS:
        module, _, attribute = _VERBS[name].partition(":")
        found = getattr(import_module(f"weft.cli.{module}"), attribute)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command(name)(found)
    return app


def _markup() -> Literal["rich"] | None:
    """Return how help and errors of use are drawn: plainly where no colours are wanted."""
    if not (sys.stdout.isatty() or sys.stderr.isatty()):
        return "rich"  # a pipe gets no colours anyway
    from weft.cli.screen import is_plain

    return None if is_plain() else "rich"


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"weft {__version__}")
        raise typer.Exit


def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Answers from your documents, with evidence anyone can check."""
