"""The terminal as Weft writes to it: nothing that a document holds can steer it."""

from __future__ import annotations

from typing import Literal

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.measure import Measurement

from weft.domain.display import harmless
from weft.domain.frozen import dataclass


def is_plain() -> bool:
    """Tell whether whoever runs this wants no colours: NO_COLOR is set to anything."""
    return Console().no_color


def screen(*, stderr: bool = False, highlight: bool = True) -> Console:
    """Return a console that takes control characters out of all it is given to show.

    Under NO_COLOR it is plain altogether: bold and dim are codes as colours are.
    """
    colours: Literal["auto"] | None = None if is_plain() else "auto"
    console = Console(stderr=stderr, highlight=highlight, color_system=colours)
    console.push_render_hook(_Harmless())
    return console


@dataclass(frozen=True, slots=True)
class _Shown:
    """Something to show, its own styles kept."""

    inner: ConsoleRenderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.inner, options):
            is_own = bool(segment.control)
            yield segment if is_own else segment._replace(text=harmless(segment.text))

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, self.inner)


class _Harmless(RenderHook):
    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Shown(each) for each in renderables]
