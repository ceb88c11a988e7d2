"""Options that several verbs have."""

from __future__ import annotations

from typing import Annotated

import typer

Budget = Annotated[
    str,
    typer.Option(help="The most it may spend, as tokens=20000,money=0.10,time=60,tool_calls=9."),
]
Remote = Annotated[
    str,
    typer.Option(
        "--remote", metavar="URL", help="A service that was signed in to; 'last' is the latest."
    ),
]
