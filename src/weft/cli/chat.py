"""`weft chat`: a conversation at the prompt, or line by line from a pipe."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from weft.cli.auditing.acting import acting
from weft.cli.bases.choice import AskedPlace, stores_for
from weft.cli.conversation import Chat, Prompt
from weft.cli.invocation import run
from weft.cli.options import Bases
from weft.cli.terminal.question import existing
from weft.domain.errors import Cancelled, NotFound, WeftError
from weft.domain.scope import Scope

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.ports.records.conversations import ConversationId
    from weft.ports.records.sessions import SessionId
    from weft.ports.store import Store

Folder = Annotated[Path | None, typer.Argument(help="A folder or file to talk about.")]
Source = Annotated[str, typer.Option(help="Answer from these sources or types alone.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the last conversation.")]
Json = Annotated[bool, typer.Option("--json", help="Print a line of JSON for each answer.")]
_SESSION = "chat-session"


def chat(
    path: Folder = None,
    *,
    kb: Bases = "",
    source: Source = "",
    resume: Resume = False,
    as_json: Json = False,
) -> None:
    """Talk with documents: follow-ups, /sources, /more, /meaning N, /open N, /clear, /quit."""

    async def action(app: App) -> None:
        from weft.cli.asking.call import scope_of

        scope = scope_of(source)
        asked = AskedPlace(path=None if path is None else existing(str(path)), kb=kb, verb="chat")
        stores = await stores_for(app, scope, asked, quiet=as_json)
        talk = await _prepared(app, scope, stores, resume=resume)
        await _loop(talk, Prompt(as_json=as_json))

    run(action, as_json=as_json, goes_on="--resume goes on with the last conversation")


async def _prepared(app: App, scope: Scope, stores: Sequence[Store], *, resume: bool) -> Chat:
    from weft.bootstrap.flows import build_flows
    from weft.bootstrap.knowledge import prepare_search
    from weft.runtime.live_runs import LiveRuns

    live = LiveRuns(app.records.runs)
    warming = asyncio.create_task(asyncio.to_thread(build_flows, app, runs=live))
    await prepare_search(stores, scope)
    flows = await warming
    session = await _session(app, scope)
    conversation = await _conversation(app, scope, session, resume=resume)
    return Chat(
        app=app,
        flows=flows,
        live=live,
        scope=scope,
        bases=[store.name for store in stores],
        session=session,
        conversation=conversation,
    )


async def _session(app: App, scope: Scope) -> SessionId:
    """Return the session of this workspace's prompt, a new one if there is none any more."""
    from weft.ports.records.sessions import SessionId

    kept = app.settings.home / _SESSION
    with suppress(OSError, NotFound):
        known = SessionId(kept.read_text(encoding="utf-8").strip())
        return (await app.records.sessions.get(scope, known)).id
    made = await app.records.sessions.begin(scope)
    kept.touch(mode=0o600)
    kept.write_text(made.id, encoding="utf-8")
    return made.id


async def _conversation(
    app: App, scope: Scope, session: SessionId, *, resume: bool
) -> ConversationId:
    conversations = app.records.conversations
    if resume:
        for last in (await conversations.listed(scope, session, limit=1)).conversations:
            return last.id
    async with acting(app, "conversation.create", target="conversation:new"):
        return (await conversations.begin(scope, session)).id


async def _loop(talk: Chat, prompt: Prompt) -> None:
    if sys.stdin.isatty():
        prompt.console.print("[dim]Ask something. /help lists the commands, /quit ends.[/]")
    while (line := await asyncio.to_thread(_read, prompt.console)) is not None:
        said = line.strip()
        if said in {"/quit", "/exit", "/q"}:
            return
        if said:
            await _turn(talk, prompt, said)


async def _turn(talk: Chat, prompt: Prompt, said: str) -> None:
    """Do what a line says; an error is told and the conversation goes on."""
    task = asyncio.ensure_future(talk.take(said, prompt))
    try:
        with _interrupting(task):
            await task
    except WeftError as error:
        prompt.refused(error)
    except asyncio.CancelledError:
        if not task.cancelled():
            raise  # it was not the answer that was stopped
        prompt.refused(Cancelled("stopped"))
    if prompt.console.is_terminal and not prompt.is_json:
        prompt.console.print()


@contextmanager
def _interrupting(task: asyncio.Future[None]) -> Iterator[None]:
    """Let Ctrl-C stop the answer, not the conversation, while the block runs."""
    loop = asyncio.get_running_loop()
    if sys.platform == "win32":
        yield
        return
    loop.add_signal_handler(signal.SIGINT, task.cancel)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)


def _read(console: Console) -> str | None:
    """Return the next line; None at the end."""
    try:
        if sys.stdin.isatty():
            return console.input("[bold cyan]weft>[/] ")
    except (EOFError, KeyboardInterrupt):
        return None
    return sys.stdin.readline() or None
