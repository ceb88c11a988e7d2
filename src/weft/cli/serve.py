"""`weft serve`: the service on this machine."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from weft.cli.session import refusal
from weft.domain.errors import WeftError

Host = Annotated[str, typer.Option(help="Address to listen on.")]
Port = Annotated[int, typer.Option(help="Port to listen on.", min=1, max=65535)]


_GRACE_SECONDS = 5


def serve(*, host: Host = "127.0.0.1", port: Port = 8765) -> None:
    """Answer over HTTP and in the browser, on this machine alone unless told otherwise.

    The link that is printed opens the page once; it then stays open for thirty days.
    """
    import uvicorn

    from weft.bootstrap import load_settings
    from weft.platform.invitation import invite

    try:
        home = load_settings().home
    except WeftError as error:
        raise refusal(error, as_json=False) from error
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    shown = Console(stderr=True, highlight=False)
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    shown.print(f"page   {address}/?key={invite(home)}  (opens once)", soft_wrap=True)
    shown.print(f"API    {address}/docs  (token in {home / 'token'})", soft_wrap=True)
    # By name, because the service and the command line do not know each other.
    uvicorn.run(
        "weft.api.app:create",
        factory=True,
        host=host,
        port=port,
        log_level="warning",
        timeout_graceful_shutdown=_GRACE_SECONDS,
        server_header=False,
    )
