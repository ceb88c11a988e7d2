"""Options that several verbs have."""

from __future__ import annotations

from typing import Annotated

import typer


def named(context: typer.Context, option: typer.CallbackParam, *, given: str) -> str:
    """Return the knowledge bases that were named; refuse the option where it names none.

    Else a variable of a script that is empty would have another knowledge base asked or filled.
    """
    source = context.get_parameter_source(str(option.name))
    is_typed = source is not None and source.name == "COMMANDLINE"
    if is_typed and not given.strip(", \t\r\n"):
        raise typer.BadParameter("it names no knowledge base; name one, or leave the option out.")
    return given


Budget = Annotated[
    str,
    typer.Option(help="The most it may spend, as tokens=20000,money=0.10,time=60,tool_calls=9."),
]
Bases = Annotated[
    str, typer.Option("--kb", callback=named, help="Knowledge bases by name, with commas.")
]
Remote = Annotated[
    str,
    typer.Option(
        "--remote", metavar="URL", help="A service that was signed in to; 'last' is the latest."
    ),
]
