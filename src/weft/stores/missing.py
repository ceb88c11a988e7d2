"""What is not there, said in the same words by every backend."""

from __future__ import annotations

from weft.domain.errors import NotFound


def no_base() -> NotFound:
    """Say that there is no knowledge base; a caller of another tenant is told the same."""
    return NotFound("There is no such knowledge base.")


def no_content() -> NotFound:
    """Say that a knowledge base is not to be made by opening it."""
    return NotFound("Nothing was ever put into this knowledge base.")


def no_document() -> NotFound:
    """Say that there is no document; where it may not be read, the same."""
    return NotFound("There is no such document.")


def no_end() -> NotFound:
    """Say that a link leads nowhere that the caller may read."""
    return NotFound("One end of the link is not there.")
