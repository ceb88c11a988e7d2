"""Weft weaves documents into a knowledge graph and answers with evidence anyone can check."""

from typing import TYPE_CHECKING

__all__ = ["AsyncWeft", "Client", "Weft", "__version__"]
__version__ = "0.1.0"

if TYPE_CHECKING:
    from weft.sdk.client import Client
    from weft.sdk.weft import AsyncWeft, Weft
else:  # unseen by type checkers, so that a wrong name is still an error to them

    def __getattr__(name: str) -> object:
        """Return a class of the library: loaded when it is first asked for, as it takes long."""
        if name in {"AsyncWeft", "Weft"}:
            from weft.sdk import weft

            return getattr(weft, name)
        if name == "Client":
            from weft.sdk.client import Client

            return Client
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
