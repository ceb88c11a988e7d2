"""The settings file of a new workspace."""

from __future__ import annotations

import yaml

from weft.config import ENVIRONMENT, SETTINGS


def template() -> str:
    """Return a `weft.yaml` with every setting commented out, for `weft init`."""
    lines = ["# Settings of this workspace. The environment wins over this file.", ""]
    for name, one in SETTINGS.items():
        variable = next((key for key, value in ENVIRONMENT.items() if value == name), "")
        lines.append(f"# {one.metadata['description']}{f' ({variable})' if variable else ''}")
        value = yaml.safe_dump(one.default).removesuffix("\n...\n").strip()
        lines += [f"# {name}: {value}", ""]
    return "\n".join(lines)
