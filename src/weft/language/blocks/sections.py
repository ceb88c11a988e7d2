"""The section that a place in a passage stands in: the passage's own, or one that begins in it."""

from __future__ import annotations

from weft.domain.record import SECTION_SIGN, heading_name
from weft.language.blocks.lines import LineBlock, LineKind, blocks_of, underline_of

# How a heading is marked: its depth, or the sign that it is underlined with.
_Mark = int | str


def section_at(text: str, at: int, *, section: str | None) -> str | None:
    """Return the names of the headings above an offset of a passage, the outermost first.

    `section` is that of the passage's beginning; None where there is no heading at all.
    """
    path = _Path(section)
    for block in blocks_of(text):
        if block.start > at:
            break
        if block.kind is not LineKind.HEADING:
            path.leave(block.closes)
        elif block.end <= at and (name := heading_name(text[block.start : block.end])):
            path.enter(name, _mark(text, block))
    return SECTION_SIGN.join(path.names) or None


def _mark(text: str, block: LineBlock) -> _Mark:
    return underline_of(text, block) or block.level


class _Path:
    """Names of headings, the outermost first; `marks` tell at which place what is marked so."""

    def __init__(self, section: str | None) -> None:
        self.names = section.split(SECTION_SIGN) if section else []
        self._marks: dict[_Mark, int] = {}

    def enter(self, name: str, mark: _Mark) -> None:
        """Take the next heading."""
        if name in self.names:
            place = self.names.index(name)
        elif mark in self._marks:
            place = self._marks[mark]
        else:
            place = self._place_of(mark)
        self._marks = {one: at for one, at in self._marks.items() if at < place} | {mark: place}
        self.names = [*self.names[:place], name]

    def leave(self, depth: int) -> None:
        """Take what stands below no heading of that depth or a greater one."""
        left = [at for one, at in self._marks.items() if isinstance(one, int) and one >= depth]
        if left:
            self.names = self.names[: min(left)]
            self._marks = {one: at for one, at in self._marks.items() if at < min(left)}

    def _place_of(self, mark: _Mark) -> int:
        """Return where a heading goes whose mark is new: below all, or before those below it."""
        if isinstance(mark, str):
            return len(self.names)
        below = [at for one, at in self._marks.items() if isinstance(one, int) and one > mark]
        return min(below, default=len(self.names))
