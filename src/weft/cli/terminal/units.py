"""Counts and times as people say them: with their units, and how long something will still take."""

from __future__ import annotations

_MINUTE, _HOUR = 60, 3600


def took(seconds: float) -> str:
    """Return a time with its unit: 425 ms, 1.2 s, 2 min 5 s, 1 h 4 min."""
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    minutes = round(seconds / _MINUTE)
    return f"{minutes // 60} h {minutes % 60} min"


def left(seconds: float) -> str:
    """Return in words how long something will still take, as roughly as that can be known."""
    if seconds < 10:
        return "a few seconds left"
    if seconds < 55:
        return f"{round(seconds / 10) * 10} seconds left"
    minutes = max(1, round(seconds / _MINUTE))
    if minutes < 60:
        return f"{counted(minutes, 'minute')} left"
    hours, rest = divmod(round(minutes / 10) * 10, 60)
    parts = [counted(hours, "hour"), *([counted(rest, "minute")] if rest else [])]
    return f"{' '.join(parts)} left"


def grouped(count: int) -> str:
    """Return a count with a comma between each three digits."""
    return f"{count:,}"


def counted(count: int, what: str) -> str:
    """Return a count with what is counted: `1 file`, `2,000 files`."""
    return f"{grouped(count)} {what}{'' if count == 1 else 's'}"
