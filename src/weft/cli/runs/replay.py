"""`weft replay`: a run gone through once more, and where it comes out otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from weft.cli.invocation import run, show_json
from weft.cli.screen import screen
from weft.cli.terminal.run_ids import whole_id
from weft.domain.display import harmless
from weft.platform.identity import local_owner

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.flows.replay.comparison import Difference
    from weft.flows.replay.replayer import Replay, SideBySide

_DIFFERENT = 1
# What a difference is called where its parts say little.
_WORDS = {
    "source_deleted": "A document that the run read was deleted, and what it said with it.",
    "rights": "The run read documents that you may not read.",
}


def replay(
    run_id: Annotated[str, typer.Argument(help="The run's id, or its beginning.")],
    *,
    prompt: Annotated[
        str,
        typer.Option(
            "--with", help="Another version of a prompt: answer@v2 for prompts/answer@v2.*"
        ),
    ] = "",
    model: Annotated[str, typer.Option(help="Another model: openai:NAME, ollama:NAME ...")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Go through a run once more by what its models and tools replied, and compare it.

    Ends with 0 where it came out as it had, with 1 where something is different. With another
    prompt or model what was not asked then is asked now; both answers are shown.
    """

    async def action(opened: App) -> Replay:
        from weft.bootstrap.flows import build_flows
        from weft.bootstrap.replay import build_replayer
        from weft.flows.replay.reenactment import Change

        replayer = build_replayer(opened, build_flows(opened))
        key = await whole_id(opened, run_id)
        return await replayer.replay(local_owner(), key, Change(prompt=prompt, model=model))

    found = run(action, as_json=as_json)
    if as_json:
        show_json(found.as_json())
    else:
        _show(found)
    if not found.equal:
        raise typer.Exit(_DIFFERENT)


def _show(found: Replay) -> None:
    first = found.first_difference
    if first is None:
        typer.echo(f"{found.run_id}: equal, {found.events} events")
    else:
        typer.echo(f"{found.run_id}: different")
        typer.echo(harmless(_said(first)))
    if found.side_by_side is not None:
        _beside(found.side_by_side)


def _said(first: Difference) -> str:
    if first.what in _WORDS:
        return _WORDS[first.what]
    named = "".join(f", {name} {value}" for name, value in first.named.items())
    place = f"event {first.seq}" if first.seq else "an event more"
    part = f" ({first.part})" if first.part else ""
    words = f"{first.what} at {place}, {first.type} of {first.node or 'the run'}{part}{named}"
    return f"{words}: recorded {first.recorded}, replayed {first.replayed}"


def _beside(both: SideBySide) -> None:
    table = Table("recorded", "replayed", show_lines=True)
    table.add_row(harmless(both.recorded), harmless(both.replayed))
    screen().print(table)
    for one in both.differences:
        typer.echo(harmless(_said(one)))
