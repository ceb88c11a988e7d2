"""`weft model`: the local weights installed, the models tried."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated

import typer
from rich.text import Text

from weft.cli.invocation import refusal, show_json
from weft.cli.screen import screen
from weft.cli.terminal.durations import took
from weft.domain.errors import WeftError

app = typer.Typer(help="Models: the local one and those behind an endpoint.", no_args_is_help=True)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def install(as_json: Json = False) -> None:
    """Fetch the weights of the local embedding model, by their hash."""
    from weft.bootstrap.app import install_weights, load_settings

    try:
        with screen(stderr=True).status("Fetching the weights (90 MB)"):
            folder = install_weights(load_settings())
    except WeftError as error:
        raise refusal(error, as_json=as_json) from error
    if as_json:
        show_json({"folder": str(folder)})
    else:
        screen().print(f"The weights are in {folder}.")


@app.command()
def check(as_json: Json = False) -> None:
    """Try the embedder and the answering model, and say what they cost."""
    from weft.bootstrap.app import check_models, load_settings

    began = time.perf_counter()
    try:
        rows = asyncio.run(check_models(load_settings()))
    except WeftError as error:
        raise refusal(error, as_json=as_json) from error
    if as_json:
        show_json([row.as_json() for row in rows])
    else:
        console = screen()
        for row in rows:
            colour = "green" if row.ok else "red"
            console.print(f"[{colour}]{'ok' if row.ok else 'failed'}[/]  {row.role}: {row.said}")
        console.print(Text(f"in {took(time.perf_counter() - began)}", style="dim"))
    if not all(row.ok for row in rows):
        raise typer.Exit(8)
