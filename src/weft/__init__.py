"""Weft weaves documents into a knowledge graph and answers with evidence anyone can check."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft.sdk.weft import AsyncWeft, Weft

__all__ = ["AsyncWeft", "Weft", "__version__"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Return a class of the library; it is loaded when first asked for, for it takes a second."""
    if name in {"AsyncWeft", "Weft"}:
        from weft.sdk import weft

        return getattr(weft, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
