"""How many files a process that stays may hold open."""

from __future__ import annotations

from contextlib import suppress

# A knowledge base in a file takes about ten: the usual 1,024 would end at a hundred of them.
_ENOUGH = 65_536


def allow_open_files() -> None:
    """Raise the limit of open files as far as the system lets us; leave it where there is none."""
    try:
        import resource
    except ModuleNotFoundError:  # as on Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _ENOUGH if hard == resource.RLIM_INFINITY else min(hard, _ENOUGH)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):  # macOS has another limit that it does not tell
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
