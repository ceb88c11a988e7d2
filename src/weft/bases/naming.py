"""Names of knowledge bases: made from a title or a folder, which is what people say."""

from __future__ import annotations

import os.path
import re
import shlex
import unicodedata
from pathlib import Path

from weft.domain.display import harmless
from weft.domain.errors import BadInput
from weft.domain.ids import digest

_LONGEST_TITLE = 300
_LONGEST_WORDS = 24
_DIGITS = 6


def path_of(given: str) -> Path:
    """Return the path that somebody typed; `~` is their home, and `~x` a name where x is nobody."""
    return Path(os.path.expanduser(given))


def folder_key(folder: Path) -> str:
    """Return the key of a folder: the hash of its resolved path."""
    return digest(str(folder.resolve()))


def folder_name(folder: Path) -> str:
    """Return a valid name for the knowledge base of a folder, unique by its path."""
    return _name(folder.resolve().name, key=folder_key(folder), otherwise="Folder")


def name_of_title(given: str) -> tuple[str, str]:
    """Return a valid name for a title, the same each time, and the title as it is kept.

    Raises `BadInput` for what cannot be a title: nothing, too much, or the path of a folder.
    """
    title = " ".join(unicodedata.normalize("NFC", harmless(given)).split())
    if not title:
        raise BadInput("A knowledge base needs a name or a title.", name=given)
    if not title.isascii() and any("\ud800" <= letter <= "\udfff" for letter in title):
        raise BadInput("A title is text, and this has bytes in it that are none.")
    if len(title) > _LONGEST_TITLE:
        raise BadInput(f"A title has at most {_LONGEST_TITLE} characters.", name=given)
    if set(title) & {"/", "\\"} or title in {".", "..", "~"}:
        raise BadInput(
            f"'{title}' is the path of a folder, not a title. A folder has a knowledge base of its "
            f"own: weft ingest {as_argument(title)}",
            name=given,
        )
    return _name(title, key=digest(_key(title)), otherwise="Base"), title


def same_title(one: str, other: str) -> bool:
    """Tell whether two titles differ by case, spaces and the form of their letters alone."""
    return _key(one) == _key(other)


def as_argument(title: str) -> str:
    """Return a title as it is typed behind a verb."""
    return shlex.quote(title)


def _key(title: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", title).casefold().split())


def _name(said: str, *, key: str, otherwise: str) -> str:
    """Return what can be spelled of it in plain letters, and the beginning of the key."""
    bare = unicodedata.normalize("NFKD", said)
    letters = "".join(letter for letter in bare if not unicodedata.combining(letter))
    words = re.findall(r"[A-Za-z0-9]+", letters)
    plain = "".join(word[:1].upper() + word[1:] for word in words)[:_LONGEST_WORDS]
    if not plain[:1].isalpha():
        plain = f"{otherwise}{plain}"
    return f"{plain}{key[:_DIGITS]}"
