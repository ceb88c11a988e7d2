"""One call of the command line: Weft opened, an action run, errors and exit codes."""

from __future__ import annotations

import asyncio
import json
import sys
import textwrap
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, TypeVar

from weft.bootstrap.start import start
from weft.domain.display import escaped, harmless
from weft.domain.errors import WeftError

if TYPE_CHECKING:
    from weft.bootstrap.app import App

T = TypeVar("T")


def run(
    action: Callable[[App], Coroutine[object, object, T]],
    *,
    with_models: bool = True,
    is_service: bool = False,
    as_json: bool = False,
    goes_on: str = "",
) -> T:
    """Run an action on an opened Weft and return what it gives.

    An error of Weft ends the process with the error's own exit code and one line that names it.
    Whoever stops it is told what `goes_on`, where something does.
    """
    try:
        return asyncio.run(_opened(action, with_models, is_service))
    except WeftError as error:
        raise refusal(error, as_json=as_json) from error
    except KeyboardInterrupt:
        sys.stderr.write(f"\nweft: stopped{goes_on and '; '}{goes_on}.\n")
        raise SystemExit(130) from None


async def _opened(action: Callable[[App], Awaitable[T]], with_models: bool, is_service: bool) -> T:
    app = await start(with_models=with_models, is_service=is_service)
    try:
        return await action(app)
    finally:
        await app.close()


def refusal(error: WeftError, *, as_json: bool) -> SystemExit:
    """Say an error on the right stream and return the exit that goes with it.

    Not to be raised inside a coroutine: it ends the process.
    """
    if as_json:
        fields = {key: str(value) for key, value in error.fields.items()}
        told = {"error": {"code": error.code, "message": error.message, **fields}}
        sys.stdout.write(json_text(told) + "\n")
        sys.stdout.flush()
    else:
        tell(error.message)
    return SystemExit(error.exit_code)


def tell(words: str) -> None:
    """Say something on standard error: in one line, which a terminal shows broken between words."""
    line = f"weft: {harmless(words)}"
    if sys.stderr.isatty():
        import shutil  # here, because most calls say nothing beside the answer

        columns = shutil.get_terminal_size().columns
        line = textwrap.fill(
            line,
            columns,
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    sys.stderr.write(f"{line}\n")


def show_json(value: object) -> None:
    """Write one JSON value to standard output."""
    sys.stdout.write(json_text(value, indent=2) + "\n")


def json_text(value: object, *, indent: int | None = None) -> str:
    """Return a value as JSON that may be written to a terminal."""
    return escaped(json.dumps(value, ensure_ascii=False, indent=indent, default=str))
