"""`weft serve`: the service on this machine."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from weft.cli.session import refusal
from weft.domain.errors import WeftError

Host = Annotated[str, typer.Option(help="Address to listen on.")]
Port = Annotated[int, typer.Option(help="Port to listen on.", min=1, max=65535)]


def serve(*, host: Host = "127.0.0.1", port: Port = 8765) -> None:
    """Answer over HTTP, on this machine alone unless told otherwise."""
    import uvicorn

    from weft.bootstrap import load_settings

    try:
        home = load_settings().home
    except WeftError as error:
        raise refusal(error, as_json=False) from error
    Console(stderr=True).print(
        f"http://{host}:{port}/docs · questions go to POST /ask with the token in {home / 'token'}"
    )
    # By name, because the service and the command line do not know each other.
    uvicorn.run("weft.api.app:create", factory=True, host=host, port=port, log_level="warning")
