"""`weft init`: a workspace with its settings file and folders."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weft.cli.invocation import refusal, show_json
from weft.cli.screen import screen
from weft.cli.terminal.tables import say
from weft.domain.errors import WeftError

Home = Annotated[
    Path | None, typer.Argument(help="The workspace; $WEFT_HOME or ~/.weft by default.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def init(home: Home = None, as_json: Json = False) -> None:
    """Write weft.yaml, prompts/ and ontologies/ into the workspace; what is there stays."""
    from weft.bootstrap.app import load_settings
    from weft.bootstrap.settings_file import template

    try:
        folder = load_settings(home).home
        made = _made(folder, template())
    except WeftError as error:
        raise refusal(error, as_json=as_json) from error
    if as_json:
        show_json({"home": str(folder), "made": made})
    else:
        said = ", ".join(made) or "nothing; all was there"
        say(screen(), f"Workspace {folder}: made {said}.")


def _made(folder: Path, settings: str) -> list[str]:
    """Make what a workspace lacks, and return what that was; raises `StoreUnavailable`."""
    # Here, because help needs no workspace.
    from weft.bootstrap.app import FILE
    from weft.platform.workspace import unusable

    made: list[str] = []
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not (folder / FILE).exists():
            (folder / FILE).write_text(settings, encoding="utf-8")
            made.append(FILE)
        for name in ("prompts", "ontologies"):
            if not (folder / name).is_dir():
                (folder / name).mkdir()
                made.append(f"{name}/")
    except OSError as error:
        raise unusable(folder, error) from error
    return made
