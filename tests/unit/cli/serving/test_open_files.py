"""A process that stays may hold more files open than a shell gives it."""

from __future__ import annotations

import subprocess
import sys

import pytest

resource = pytest.importorskip("resource")
_CODE = """
import resource
from weft.cli.serving.open_files import allow_open_files
soft, hard = {limits}
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
allow_open_files()
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(
    ("limits", "then"),
    [((128, 600), "600 600"), ((600, 600), "600 600"), ((40, 40), "40 40")],
    ids=["raised to what is allowed", "as much as there may be", "few"],
)
def test_the_limit_is_raised_as_far_as_it_may_be(limits: tuple[int, int], then: str) -> None:
    code = _CODE.format(limits=limits)
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert said.stdout.strip() == then
