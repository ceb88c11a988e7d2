"""`weft.columns.yaml`: what the columns of tables beside it mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from weft.domain.errors import BadInput
from weft.ingest.sources.folder import COLUMNS_FILE, FoundFile
from weft.ingest.sources.path_patterns import glob

Meanings = Mapping[str, str]
Rules = tuple[tuple[re.Pattern[str], Meanings], ...]
_LARGEST = 200_000


def columns_of(root: Path, found: Iterable[FoundFile]) -> Callable[[str], Meanings]:
    """Return the function from a path below `root` to what the columns there mean.

    The nearest file that has a pattern for it decides, by its last one. Raises `BadInput`, naming
    the file, if one of them is not valid.
    """
    rules = dict(_rule_files(root, found))
    if not any(rules.values()):
        return lambda _: {}

    def meanings(relative: str) -> Meanings:
        folder = relative
        while folder:
            folder = folder.rpartition("/")[0]
            inner = relative[len(folder) :].lstrip("/")
            for pattern, said in reversed(rules.get(folder, ())):
                if pattern.fullmatch(inner):
                    return said
        return {}

    return meanings


def read_columns(text: str, name: str = COLUMNS_FILE) -> Rules:
    """Return what a text states: for patterns of paths, a meaning for columns by their names.

    A meaning is one of the columns that have one by their name (`id`, `content` …), or the name of
    a relation.
    """
    import yaml  # here, because few folders have such a file

    try:
        loaded = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as wrong:
        raise BadInput(f"{name}: not valid YAML") from wrong
    if loaded is None:
        return ()
    if not isinstance(loaded, dict):
        raise BadInput(f"{name}: not a mapping of patterns")
    return tuple(
        (glob(str(key)), _meanings(said, f"{name}: {key}")) for key, said in loaded.items()
    )


def _meanings(said: object, where: str) -> Meanings:
    if not isinstance(said, dict):
        raise BadInput(f"{where}: not a mapping of columns")
    wrong = [key for key, meaning in said.items() if not (isinstance(meaning, str) and meaning)]
    if wrong:
        raise BadInput(f"{where}: what '{wrong[0]}' means must be a plain text")
    return {str(key): str(meaning) for key, meaning in said.items()}


def _rule_files(root: Path, found: Iterable[FoundFile]) -> Iterable[tuple[str, Rules]]:
    if root.is_file():
        beside = root.parent / COLUMNS_FILE
        if beside.exists():
            yield "", _read(beside, COLUMNS_FILE)
        return
    for file in found:
        folder, _, name = file.relative.rpartition("/")
        if name == COLUMNS_FILE:
            yield folder, _read(file.path, file.relative)


def _read(path: Path, name: str) -> Rules:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as wrong:
        raise BadInput(f"{name} cannot be read: {wrong}") from wrong
    if len(text) > _LARGEST:
        raise BadInput(f"{name} is larger than {_LARGEST} characters")
    return read_columns(text, name)
