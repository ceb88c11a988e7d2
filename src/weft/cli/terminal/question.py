"""The words of a call that asks: a question, and the file or folder that it is asked of."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from weft.domain.errors import BadInput


def read_words(words: Sequence[str], *, verb: str) -> tuple[Path | None, str]:
    """Return the path and the question of a call, in whichever order they were written.

    Raises `BadInput` saying what is missing: the question, the path, quotation marks.
    """
    # Here, because help needs no flow.
    from weft.flows.asking import checked_question

    if len(words) > 2:
        raise BadInput(f'Write the question in quotes: weft {verb} FOLDER "what is ...?"')
    if len(words) == 1:
        if _is_there(words[0]):
            raise BadInput(
                f'The question is missing: weft {verb} {words[0]} "what is ...?"', path=words[0]
            )
        return None, checked_question(words[0])
    path, question = words
    if not _is_there(path) and _is_there(question):
        path, question = question, path
    return existing(path), checked_question(question)


def existing(given: str) -> Path:
    """Return the path of a file or folder that is there, or raise `BadInput` naming one like it."""
    if _is_there(given):
        path = Path(given).expanduser()
        if not (os.path.isfile(path) or os.path.isdir(path)):  # a pipe, a device
            raise BadInput(f"'{given}' is neither a file nor a folder", path=given)
        return path
    from difflib import get_close_matches  # here, because most paths are there

    beside = Path(given).expanduser().parent
    names = os.listdir(beside) if beside.is_dir() and os.access(beside, os.R_OK) else []
    like = get_close_matches(Path(given).name, names, n=1, cutoff=0.75)
    hint = f"; did you mean '{beside / like[0]}'?" if like else ""
    raise BadInput(f"there is no file or folder '{given}'{hint}", path=given)


def _is_there(given: str) -> bool:
    # Unlike that of `Path`, it takes what is too long for a path as not being there.
    return bool(given.strip()) and os.path.exists(os.path.expanduser(given))
