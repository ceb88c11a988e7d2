"""Files that ship with the code: words, patterns, weights, statements.

People write and read the sheets of words in YAML. The twin in JSON, which `make sheets` writes
beside each of them, is read in a fiftieth of the time.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def shipped_file(package: str, name: str) -> Path:
    """Return the path of a file in a package, which must be imported; it need not be there."""
    return Path(sys.modules[package].__path__[0], name)


def shipped_text(package: str, name: str) -> str:
    """Return the text of a file in a package; raises `OSError` where there is none."""
    return shipped_file(package, name).read_text(encoding="utf-8")


def sheet(package: str, name: str) -> Any:
    """Return what stands in `NAME.json` of a package, any JSON value; raises `OSError`."""
    return json.loads(shipped_file(package, f"{name}.json").read_bytes())
