"""Files that a command writes where it is told to."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO

from weft.domain.errors import BadInput


def writable(output: Path | None) -> TextIO:
    """Return a file that is opened anew, standard output for none.

    Raises `BadInput` naming the file and why it cannot be written.
    """
    if output is None:
        return sys.stdout
    try:
        return output.open("w", encoding="utf-8")
    except OSError as error:
        raise _refused(output, error) from error


def write_text(output: Path | None, text: str) -> None:
    """Write a text to a file, or to standard output for none; raises `BadInput` as above."""
    stream = writable(output)
    try:
        stream.write(text)
    except OSError as error:
        if output is None:
            raise
        raise _refused(output, error) from error
    finally:
        if output is not None:
            stream.close()


def _refused(output: Path, error: OSError) -> BadInput:
    return BadInput(f"'{output}' cannot be written: {error.strerror}.", file=str(output))
