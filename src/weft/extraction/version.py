"""The version of what is found in texts, known without loading what finds it."""

from __future__ import annotations

from weft.domain.ids import digest

VERSION = "rules-2"


def ladder_version(fingerprint: str, *, has_model: bool) -> str:
    """Return what the facts of a document depend on beside its text."""
    return digest(VERSION, fingerprint, "model" if has_model else "none")
