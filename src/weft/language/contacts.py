"""Addresses in a text: of the web, of mail, of telephones; what somebody may be led to by it."""

from __future__ import annotations

import re

from weft.language.patterns import pattern

_TAKEN_OUT = "…"
_ADDRESS = pattern(
    r"\b[a-z][a-z0-9+.-]{1,15}:/{1,3}\S+"  # with a scheme
    r"|\b(?:mailto|tel|sms|javascript|data):\S+"
    r"|\bwww\.\S+"
    r"|\b(?:[a-z0-9-]{1,63}\.){1,5}[a-z]{2,18}/\S*"  # a host with a path
    r"|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}"
    r"|\+\d(?:[ ()./-]{0,2}\d){7,14}",
    re.IGNORECASE,
)


def without_contacts(text: str, *, known: str) -> str:
    """Return a text whose addresses are taken out, but for those that stand in `known` too."""
    return _ADDRESS.sub(lambda found: found[0] if found[0] in known else _TAKEN_OUT, text)
