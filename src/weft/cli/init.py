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
    from weft.bootstrap.app import FILE, load_settings
    from weft.bootstrap.settings_file import template

    try:
        folder = load_settings(home).home
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except WeftError as error:
        raise refusal(error, as_json=as_json) from error
    except OSError as error:
        problem = WeftError(f"'{home}' cannot be made: {error.strerror}")
        raise refusal(problem, as_json=as_json) from error
    made: list[str] = []
    if not (folder / FILE).exists():
        (folder / FILE).write_text(template(), encoding="utf-8")
        made.append(FILE)
    for name in ("prompts", "ontologies"):
        if not (folder / name).is_dir():
            (folder / name).mkdir()
            made.append(f"{name}/")
    if as_json:
        show_json({"home": str(folder), "made": made})
    else:
        said = ", ".join(made) or "nothing; all was there"
        say(screen(), f"Workspace {folder}: made {said}.")
