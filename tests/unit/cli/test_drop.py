"""`weft kb drop` asks nobody who may not drop."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weft.cli.bases import kb
from weft.domain.errors import Forbidden
from weft.platform.identity import local_owner


def test_whoever_may_not_drop_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    monkeypatch.setenv("WEFT_EMBEDDER", "none")
    call = CliRunner().invoke
    assert call(kb.app, ["create", "Harbour"]).exit_code == 0
    reader = replace(local_owner(), permissions=frozenset({"kb.read"}))
    monkeypatch.setattr(kb, "local_owner", lambda: reader)
    refused = call(kb.app, ["drop", "Harbour"], input="y\n")
    assert refused.exit_code == Forbidden.exit_code
    assert "?" not in refused.output
    assert "Harbour" in call(kb.app, ["list"]).output
