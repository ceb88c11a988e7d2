"""The command line at a terminal: a pseudo-terminal each for what it says and for its errors."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import selectors
import struct
import subprocess
import termios
import time
from collections.abc import Sequence
from dataclasses import dataclass

from flow.command import Command, command_words, environment

_LONGEST_S = 90.0
_PROMPT = b"weft>"
# What moves the cursor, erases or hides it; what colours is told apart.
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-ln-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\r")
_STYLE = re.compile(r"\x1b\[([0-9;]*)m")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """How a call ended, and all that came to either terminal, as bytes became text."""

    code: int
    out: str
    err: str

    @property
    def out_text(self) -> str:
        """Return what was said, without styles and movements."""
        return _text(self.out)

    @property
    def err_text(self) -> str:
        """Return what was said on standard error, without styles and movements."""
        return _text(self.err)


def _text(raw: str) -> str:
    return _STYLE.sub("", _CONTROL.sub("", raw))


def colours_in(raw: str) -> list[str]:
    """Return the parameters that set a colour, of all style sequences in a text."""
    given = [part for found in _STYLE.findall(raw) for part in found.split(";") if part]
    return [part for part in given if int(part) in {*range(30, 50), *range(90, 108)}]


def at_terminal(
    command: Command, *words: str, typed: Sequence[str] = (), columns: int = 100, **settings: str
) -> Seen:
    """Run a call at terminals of so many columns; a line is typed whenever it prompts for one."""
    (out, out_end), (err, err_end) = _pair(columns), _pair(columns)
    process = subprocess.Popen(
        [*command.before, *command_words(), *words],
        cwd=command.folder,
        env=environment(command, {"TERM": "xterm-256color", **settings}, without=_QUIETENING),
        stdin=out_end,
        stdout=out_end,
        stderr=err_end,
        start_new_session=True,
    )
    os.close(out_end)
    os.close(err_end)
    said = _watched(out, err, list(typed))
    for each in (out, err):
        os.close(each)
    return Seen(code=process.wait(timeout=60), out=said[out].decode(), err=said[err].decode())


# A width that is given, and what keeps others quiet where tests run.
_QUIETENING = ("COLUMNS", "CI", "PYTEST", "NO_COLOR", "FORCE_COLOR")


def _pair(columns: int) -> tuple[int, int]:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    return ours, theirs


def _watched(out: int, err: int, waiting: list[str]) -> dict[int, bytes]:
    """Return what comes to each terminal until both are closed."""
    said = {out: b"", err: b""}
    prompts = 0
    limit = time.monotonic() + _LONGEST_S
    with selectors.DefaultSelector() as looked_at:
        for each in said:
            looked_at.register(each, selectors.EVENT_READ)
        while looked_at.get_map():
            assert time.monotonic() < limit, said
            for key, _ in looked_at.select(timeout=1):
                try:
                    came = os.read(key.fd, 65_536)
                except OSError:  # how Linux tells that the other end is closed
                    came = b""
                if not came:
                    looked_at.unregister(key.fd)
                said[key.fd] += came
            if waiting and said[out].count(_PROMPT) > prompts:
                prompts += 1
                os.write(out, f"{waiting.pop(0)}\n".encode())
    return said
