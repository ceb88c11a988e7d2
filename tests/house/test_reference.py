"""docs/reference is what the code says."""

from __future__ import annotations

import subprocess
import sys

from house.source import ROOT


def test_the_reference_is_current() -> None:
    command = [sys.executable, str(ROOT / "tools" / "docs.py"), "--check"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
