"""The settings: where they come from, which one wins, what is said of a bad one."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from weft.bootstrap.settings_file import template
from weft.config import ENVIRONMENT, SETTINGS, Values, checked, load_settings, read_secret
from weft.domain.errors import ConfigurationError


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*ENVIRONMENT, "WEFT_HOME"):
        monkeypatch.delenv(name, raising=False)


def test_the_environment_wins_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "weft.yaml").write_text("model: openai:a\nchunk_tokens: 128\n")
    monkeypatch.setenv("WEFT_MODEL", "ollama:b")
    found = load_settings(tmp_path)
    assert (found.values.model, found.values.chunk_tokens) == ("ollama:b", 128)
    assert found.origin["model"] == "environment"
    assert found.origin["chunk_tokens"] == "weft.yaml"
    assert found.origin["embedder"] == "default"


def test_the_workspace_comes_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    assert load_settings().home == tmp_path


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("chunk_tokens: many", "chunk_tokens"),
        ("nothing: 1", "nothing"),
        ("engine: other", "engine"),
        ("- a list", "name: value"),
        ("a: [", "YAML"),
    ],
)
def test_a_bad_setting_is_named(tmp_path: Path, text: str, named: str) -> None:
    (tmp_path / "weft.yaml").write_text(text)
    with pytest.raises(ConfigurationError, match=named):
        load_settings(tmp_path)


def test_of_a_choice_the_ways_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("answering", "cautious"):
        monkeypatch.setenv("WEFT_ANSWERS", value)
        assert load_settings(tmp_path).values.answers == value
    monkeypatch.setenv("WEFT_ANSWERS", "bold")
    said = r"'answers' \(WEFT_ANSWERS\) is answering or cautious, not 'bold'"
    with pytest.raises(ConfigurationError, match=said):
        load_settings(tmp_path)


def test_mock_data_means_the_offline_model(tmp_path: Path) -> None:
    (tmp_path / "weft.yaml").write_text("model: openai:a\nmock_data: true\n")
    assert load_settings(tmp_path).values.model == "offline"


def test_the_template_is_every_default_and_nothing_else(tmp_path: Path) -> None:
    assert yaml.safe_load(template()) is None
    lines = template().splitlines()
    said = [line.removeprefix("# ") for line in lines if line.startswith("# ") and ": " in line]
    named = [line for line in said if line.split(":")[0] in SETTINGS]
    assert checked(yaml.safe_load("\n".join(named))) == Values()
    assert len(named) == len(SETTINGS)


def test_a_secret_is_read_where_its_reference_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPH_SECRET", "from the environment")
    (tmp_path / "secret").write_text("from the file\nand no more\n")
    assert read_secret("env:GRAPH_SECRET") == "from the environment"
    assert read_secret(f"file:{tmp_path / 'secret'}") == "from the file"


@pytest.mark.parametrize("reference", ["env:NOT_THERE_AT_ALL", "file:/not/there", "plain"])
def test_a_secret_that_is_not_there_is_named(reference: str) -> None:
    with pytest.raises(ConfigurationError, match=reference.partition(":")[2] or reference):
        read_secret(reference)


@pytest.mark.parametrize("home", ["~nobody-of-that-name/weft", "ring"])
def test_a_workspace_that_leads_nowhere_is_an_error_of_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ring").symlink_to("ring")
    monkeypatch.setenv("WEFT_HOME", home)
    with pytest.raises(ConfigurationError, match="WEFT_HOME"):
        load_settings()
