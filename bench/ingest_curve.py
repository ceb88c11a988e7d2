"""The curves of growing knowledge bases as one SVG picture: four figures over the size."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

_WIDTH, _HEIGHT, _GAP = 300, 180, 60
_COLOURS = {"local": "#1f6feb", "drawn": "#8250df"}
_GOAL = "#d1242f"
# Powers of ten; the last size is a little more than the last of them.
_SMALLEST, _LARGEST = 2.9, 5.2

Row = Mapping[str, object]


def curve(rows: Sequence[Row]) -> str:
    """Return the picture: rate, memory, question and update over the number of chunks."""
    panels = [
        _panel(rows, "chunks a second (processor time)", None, lambda r: _mean(r["cpu_rates"])),
        _panel(rows, "memory while filling (MB)", 1500, lambda r: _number(r["rss_mb"])),
        _panel(rows, "question p95 (ms)", 150, lambda r: _number(r["query_p95_ms"])),
        _panel(rows, "100 chunks changed (s)", 1, lambda r: _wall(r["replace"])),
    ]
    width, height = 2 * (_WIDTH + _GAP) + _GAP, 2 * (_HEIGHT + _GAP) + _GAP
    placed = [
        f'<g transform="translate({_GAP + at % 2 * (_WIDTH + _GAP)},'
        f'{_GAP + at // 2 * (_HEIGHT + _GAP)})">{panel}</g>'
        for at, panel in enumerate(panels)
    ]
    shown = {f"{row['vectors']} vectors": _COLOURS[str(row["vectors"])] for row in rows}
    legend = "".join(
        f'<text x="{_GAP + 120 * at}" y="24" fill="{colour}">{name}</text>'
        for at, (name, colour) in enumerate({**shown, "- - goal": _GOAL}.items())
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
    style = (
        ' font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>'
    )
    return f"{head}{style}{legend}{''.join(placed)}</svg>\n"


def _panel(
    rows: Sequence[Row], title: str, goal: float | None, figure: Callable[[Row], float]
) -> str:
    top = 1.1 * max([figure(row) for row in rows] + ([goal] if goal else []))

    def place(chunks: float, value: float) -> str:
        across = (math.log10(max(chunks, 1)) - _SMALLEST) / (_LARGEST - _SMALLEST)
        return f"{_WIDTH * across:.1f},{_HEIGHT * (1 - value / top):.1f}"

    frame = f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="#888"/>'
    said = [f'<text y="-6">{title}</text>']
    for power in (3, 4, 5):
        at = _WIDTH * (power - _SMALLEST) / (_LARGEST - _SMALLEST)
        text = f"{10**power:,}"
        said.append(f'<text x="{at:.1f}" y="{_HEIGHT + 16}" text-anchor="middle">{text}</text>')
    if goal:
        level = _HEIGHT * (1 - goal / top)
        said.append(f'<path d="M0 {level:.1f}H{_WIDTH}" stroke="{_GOAL}" stroke-dasharray="4"/>')
        said.append(f'<text x="-4" y="{level + 4:.1f}" text-anchor="end">{goal:,.0f}</text>')
    for name, colour in _COLOURS.items():
        points = {
            place(_number(row["chunks"]), figure(row)): figure(row)
            for row in rows
            if row["vectors"] == name
        }
        line = f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}"/>'
        dots = [_dot(point, colour, value) for point, value in points.items()]
        said += [line, *dots] if points else []
    return frame + "".join(said)


def _dot(point: str, colour: str, value: float) -> str:
    across, down = point.split(",")
    text = f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
    said = f'<text x="{across}" y="{float(down) + 16:.1f}" text-anchor="middle">{text}</text>'
    return f'<circle cx="{across}" cy="{down}" r="3" fill="{colour}"/>{said}'


def _number(value: object) -> float:
    return float(str(value))


def _mean(rates: object) -> float:
    assert isinstance(rates, list)
    return sum(rates) / len(rates)


def _wall(took: object) -> float:
    assert isinstance(took, dict)
    return float(took["wall"])
