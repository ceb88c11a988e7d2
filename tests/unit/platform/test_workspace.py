"""The workspace is its owner's alone, whatever it was made with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from weft.bootstrap.records import records_of
from weft.config import load_settings
from weft.domain.errors import StoreUnavailable, StoreUnwritable
from weft.platform.secret import secret_in
from weft.platform.time import SystemClock
from weft.platform.workspace import is_private, keeping, open_workspace


def modes(home: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in (home, *home.iterdir())}


def test_a_new_workspace_lets_nobody_else_in(tmp_path: Path) -> None:
    home = tmp_path / "a" / "home"
    assert not open_workspace(home)
    assert is_private(home)


async def test_one_that_others_may_read_is_mended_when_it_is_opened(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o755)
    for name in ("token", "weft.yaml"):
        (home / name).write_text("")
        (home / name).chmod(0o644)
    (home / "notes").mkdir()
    (home / "notes").chmod(0o755)
    assert not is_private(home)
    opened = records_of(load_settings(home), SystemClock())
    await opened.close()
    assert is_private(home)
    found = modes(home)
    # What is not Weft's own stays as it is: nobody gets there any more.
    assert found.pop("notes") == 0o755
    assert set(found) >= {"home", "token", "weft.yaml", "records.db", "audit.key"}
    assert not {name: mode for name, mode in found.items() if mode & 0o077}


@pytest.mark.parametrize("opened", [open_workspace, lambda home: secret_in(home / "audit.key")])
def test_one_that_cannot_be_made_is_named_with_the_reason(
    tmp_path: Path, opened: Callable[[Path], object]
) -> None:
    (tmp_path / "file").write_text("")
    home = tmp_path / "file" / "home"
    with pytest.raises(StoreUnavailable, match=f"'{home}' cannot be used: Not a directory"):
        opened(home)


def test_a_file_that_cannot_be_written_is_told_without_where_it_lies(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("", encoding="utf-8")
    with pytest.raises(StoreUnwritable) as refused, keeping("The label"):
        (tmp_path / "there" / "below").write_text("", encoding="utf-8")
    assert refused.value.message == "The label cannot be kept: Not a directory."
