"""Texts that a program hands over: kept as files in the workspace, and read like any other."""

from __future__ import annotations

import re
from pathlib import Path

from weft.domain.errors import BadInput, NotFound
from weft.domain.frozen import dataclass
from weft.platform.workspace import write_whole

_LONGEST = 120
_NAME = re.compile(r"[^\W_][^/\\\0\r\n\t]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFolder:
    """The texts of one knowledge base; because they are files, `weft kb reindex` finds them."""

    path: Path

    def put(self, name: str, text: str) -> None:
        """Write a text in place of the former one of that name; readers see the old or the new."""
        target = self._file(name)
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(target, text.encode("utf-8"))

    def remove(self, name: str) -> None:
        """Remove a text, or raise `NotFound`."""
        try:
            self._file(name).unlink()
        except FileNotFoundError:
            raise NotFound(f"There is no text named '{name}'.", name=name) from None

    def _file(self, name: str) -> Path:
        if not _NAME.fullmatch(name) or len(name.encode("utf-8")) > _LONGEST:
            raise BadInput(
                f"'{name}' cannot name a text: a letter or digit first, no slash or line break, "
                f"{_LONGEST} bytes at most.",
                name=name,
            )
        return self.path / f"{name}.txt"
