"""`weft flow`: the flows there are, and each as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weft.cli.invocation import refusal, show_json
from weft.cli.options import Bases, Budget
from weft.domain.errors import WeftError

app = typer.Typer(help="Flows: what answers questions, and how.", no_args_is_help=True)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Wanted = Annotated[str, typer.Argument(help="The flow's name; else that which answers by default.")]
FlowFile = Annotated[Path, typer.Argument(metavar="FILE", help="A flow, as YAML.")]
Words = Annotated[
    list[str], typer.Argument(metavar="[PATH] QUESTION", help="A folder or file, then a question.")
]
Named = Annotated[str, typer.Argument(help="The flow's name.")]


@app.command("list")
def list_flows(as_json: Json = False) -> None:
    """List the flows, the one that answers by default first."""
    from weft.flows.catalog import FlowCatalog

    flows = FlowCatalog().flows()
    if as_json:
        show_json([{"name": one.name, "agent": one.agent, "summary": one.summary} for one in flows])
        return
    for one in flows:
        typer.echo(f"{one.name}: {one.summary}")


@app.command("run")
def run_stored(
    file: FlowFile,
    words: Words,
    *,
    kb: Bases = "",
    budget: Budget = "",
    as_json: Json = False,
) -> None:
    """Answer a question by a flow of one's own, written down in a file.

    The file names the shipped flow whose nodes it uses (`base: rag`), and what is otherwise: nodes,
    edges, budget. What comes in and what goes out passes the guards in any case.
    """
    from weft.cli.flows.stored import run_file

    run_file(file, words, kb=kb, budget=budget, as_json=as_json)


@app.command()
def estimate(name: Wanted = "", as_json: Json = False) -> None:
    """Say what a run of a flow will take with the configured model; nothing is asked."""
    from weft.cli.flows.estimate import show_estimate

    show_estimate(name, as_json=as_json)


@app.command()
def show(name: Named, as_json: Json = False) -> None:
    """Print a flow as a Mermaid flowchart."""
    from weft.flows.catalog import FlowCatalog
    from weft.runtime.mermaid import draw

    try:
        flow = FlowCatalog().find(name)
    except WeftError as error:
        raise refusal(error, as_json=as_json) from error
    if as_json:
        show_json({"name": flow.name, "summary": flow.summary, "mermaid": draw(flow.spec)})
        return
    typer.echo(draw(flow.spec), nl=False)
