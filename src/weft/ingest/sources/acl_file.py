"""`weft.acl.yaml`: who may read the files beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from weft.domain.acl import checked
from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.ingest.sources.folder import ACL_FILE, FoundFile, is_acl_file
from weft.ingest.sources.path_patterns import glob

if TYPE_CHECKING:
    import yaml

Principals = frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class AclRules:
    """The rules of one file: patterns for paths beside it, and what holds for all others."""

    default: Principals | None = None
    paths: tuple[tuple[re.Pattern[str], Principals], ...] = field(default=())

    def principals(self, relative: str) -> Principals | None:
        """Return who may read a path: by the last pattern that matches, else by default."""
        for pattern, principals in reversed(self.paths):
            if pattern.fullmatch(relative):
                return principals
        return self.default


def acl_of(
    root: Path, found: Iterable[FoundFile], *, default: Principals
) -> Callable[[str], Principals]:
    """Return the function from a path below `root` to its readers.

    The rules nearest to a file that speak of it decide; `default` holds where none does. Raises
    `BadInput`, naming the file and the line, if one of the ACL files is not valid.
    """
    rules = dict(_rule_files(root, found))
    if not rules:
        return lambda _: default

    def readers(relative: str) -> Principals:
        folder = relative
        while folder:
            folder = folder.rpartition("/")[0]
            here = rules.get(folder)
            said = here.principals(relative[len(folder) :].lstrip("/")) if here else None
            if said is not None:
                return said
        return default

    return readers


def read_rules(text: str, name: str = ACL_FILE) -> AclRules:
    """Return the rules that a text states; raise `BadInput` naming the line of what is wrong."""
    import yaml  # here, because most folders have no such file

    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as wrong:
        mark = getattr(wrong, "problem_mark", None)
        line = f" line {mark.line + 1}" if mark is not None else ""
        raise BadInput(f"{name}{line}: not valid YAML") from wrong
    if node is None:
        return AclRules()
    default: Principals | None = None
    paths: tuple[tuple[re.Pattern[str], Principals], ...] = ()
    for key, value in _pairs(node, name).items():
        if key.value == "default":
            default = _principals(value, f"{name} line {_line(key)}: default")
        elif key.value == "paths":
            paths = tuple(
                (glob(pattern.value), _principals(listed, f"{name} line {_line(pattern)}: paths"))
                for pattern, listed in _pairs(value, name).items()
            )
        else:
            raise BadInput(f"{name} line {_line(key)}: '{key.value}' is not default or paths")
    return AclRules(default=default, paths=paths)


def _rule_files(root: Path, found: Iterable[FoundFile]) -> Iterable[tuple[str, AclRules]]:
    if root.is_file():
        beside = [one for one in root.parent.iterdir() if is_acl_file(one.name)]
        _refuse_several([one.name for one in beside])
        for one in beside:
            yield "", _read(one, one.name)
        return
    by_folder: dict[str, list[FoundFile]] = {}
    for file in found:
        folder, _, name = file.relative.rpartition("/")
        if is_acl_file(name):
            by_folder.setdefault(folder, []).append(file)
    for folder, files in by_folder.items():
        _refuse_several([file.relative for file in files])
        yield folder, _read(files[0].path, files[0].relative)


def _refuse_several(names: list[str]) -> None:
    if len(names) > 1:
        listed = ", ".join(sorted(names))
        raise BadInput(f"{listed}: one folder has one file that says who may read it.")


def _read(path: Path, name: str) -> AclRules:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as wrong:
        raise BadInput(f"{name} cannot be read: {wrong}") from wrong
    return read_rules(text, name)


def _pairs(node: yaml.Node, name: str) -> Mapping[yaml.ScalarNode, yaml.Node]:
    if not _is(node, "mapping"):
        raise BadInput(f"{name} line {_line(node)}: not a mapping")
    pairs = {}
    for key, value in node.value:
        if not _is(key, "scalar"):
            raise BadInput(f"{name} line {_line(key)}: a key must be a plain text")
        pairs[key] = value
    return pairs


def _principals(node: yaml.Node, where: str) -> Principals:
    if not _is(node, "sequence"):
        raise BadInput(f"{where}: not a list of principals")
    if not all(_is(item, "scalar") for item in node.value):
        raise BadInput(f"{where}: a principal must be a plain text")
    try:
        return frozenset(checked(item.value) for item in node.value)
    except BadInput as wrong:
        raise BadInput(f"{where}: {wrong.message}") from wrong


def _is(node: yaml.Node, kind: str) -> bool:
    # The types' stubs do not know of what each class of nodes is called.
    return bool(getattr(node, "id", "") == kind)


def _line(node: yaml.Node) -> int:
    return node.start_mark.line + 1
