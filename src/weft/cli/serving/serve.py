"""`weft serve`: the service on this machine."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import typer

from weft.cli.invocation import refusal
from weft.cli.screen import screen
from weft.domain.errors import WeftError

Host = Annotated[str, typer.Option(help="Address to listen on.")]
Port = Annotated[int, typer.Option(help="Port to listen on.", min=1, max=65535)]
SignOut = Annotated[
    bool, typer.Option("--sign-out", help="End the sessions of all browsers, and serve nothing.")
]


def serve(*, host: Host = "127.0.0.1", port: Port = 8765, sign_out: SignOut = False) -> None:
    """Answer over HTTP and in the browser, on this machine alone unless told otherwise.

    The link that is printed opens the page once. The page then stays open as long as it is used
    every twelve hours, for thirty days at most.
    """
    from weft.bootstrap.app import load_settings
    from weft.cli.serving.open_files import allow_open_files
    from weft.cli.serving.server import Server, bound
    from weft.platform.people.browser_sessions import end_all
    from weft.platform.people.invitation import invite
    from weft.platform.workspace import open_workspace

    shown = screen(stderr=True, highlight=False)
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"

    def ready() -> None:
        shown.print(f"page   {address}/?key={invite(home)}  (opens once)", soft_wrap=True)
        shown.print(f"API    {address}/docs  (token in {home / 'token'})", soft_wrap=True)

    try:
        home = load_settings().home
        open_workspace(home)
        if sign_out:
            end_all(home)
            shown.print("All browsers are signed out.")
            return
        listening = bound(host, port)
        allow_open_files()
        with suppress(KeyboardInterrupt):  # the server has ended in good order by then
            Server(host=host, port=port, ready=ready).run(sockets=[listening])
    except WeftError as error:
        raise refusal(error, as_json=False) from error
