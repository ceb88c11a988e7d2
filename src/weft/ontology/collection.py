"""The ontologies that a process knows by name: those of the workspace, then the shipped ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from weft.domain.errors import BadInput
from weft.domain.ids import digest
from weft.ontology import shipped

if TYPE_CHECKING:
    from weft.ontology.schema import Ontology

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
SUFFIX = ".yaml"
# The setting under which a knowledge base keeps what it was read by.
SETTING = "ontology"
_MARK = 12
_MOST_BYTES = 4 * 1024 * 1024


class Ontologies:
    """Finds ontologies by name; a file of the workspace goes before a shipped one of its name.

    None is parsed before it is wanted, and none twice: its fingerprint says whether it changed.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Take the folder of the workspace's own (`NAME.yaml`), if it has one."""
        self._folder = folder
        self._parsed: dict[tuple[str, str], Ontology] = {}

    def names(self) -> list[str]:
        """Return the names of all there are, in order."""
        own = {path.stem for path in self._files() if NAME.fullmatch(path.stem)}
        return sorted({*shipped.NAMES, *own})

    def is_own(self, name: str) -> bool:
        """Tell whether the workspace has a file of that name."""
        path = self.path(name)
        return path is not None and path.is_file()

    def text(self, name: str) -> str:
        """Return the YAML of an ontology, or raise `BadInput` where there is none of that name."""
        path = self.path(name)
        if path is not None and path.is_file():
            return _read(path)
        if name in shipped.NAMES:
            return shipped.text(name)
        known = ", ".join(self.names())
        raise BadInput(
            f"There is no ontology '{name[:100]}'. There are: {known}.", ontology=name[:100]
        )

    def fingerprint(self, name: str) -> str:
        """Return what changes with the content of an ontology, and of all that it extends."""
        text = self.text(name)
        # Most extend nothing, and need not be parsed to know.
        return self.named(name).fingerprint if "extends" in text else digest(text)

    def named(self, name: str) -> Ontology:
        """Return an ontology by its name; raises `BadInput` naming what is wrong with it."""
        # Here, because a question about a folder that has not changed needs none of it.
        from weft.ontology.catalog import parse

        texts = "\0".join(self._texts(name))
        key = name, digest(texts)
        if key not in self._parsed:
            self._parsed[key] = parse(self.text(name), name=name, of=_Extended(self, name))
        return self._parsed[key]

    def reference(self, name: str) -> str:
        """Return the name with its version, as a knowledge base keeps it."""
        return f"{name}@{self.fingerprint(name)[:_MARK]}"

    def of(self, made_with: Mapping[str, str]) -> Ontology:
        """Return the ontology that a knowledge base is read by."""
        return self.named(name_of(made_with))

    def _texts(self, name: str) -> Iterator[str]:
        """Yield the texts that an ontology may consist of."""
        yield self.text(name)
        for path in self._files():
            yield _read(path)

    def _files(self) -> list[Path]:
        if self._folder is None or not self._folder.is_dir():
            return []
        return sorted(self._folder.glob(f"*{SUFFIX}"))

    def path(self, name: str) -> Path | None:
        """Return where the workspace keeps an ontology of that name, None where it cannot."""
        if self._folder is None or not NAME.fullmatch(name):
            return None
        return self._folder / f"{name}{SUFFIX}"


class _Extended:
    """Gives the texts that one ontology extends; under a name that it had already, the shipped one.

    So the workspace's `baseline` may extend the one that comes with the product.
    """

    def __init__(self, ontologies: Ontologies, name: str) -> None:
        self._ontologies = ontologies
        self._had = {name}

    def __call__(self, name: str) -> str:
        if not NAME.fullmatch(name):
            raise BadInput(f"extends: '{name[:100]}' is no name of an ontology.", field="extends")
        again = name in self._had and name in shipped.NAMES
        self._had.add(name)
        return shipped.text(name) if again else self._ontologies.text(name)


def name_of(made_with: Mapping[str, str]) -> str:
    """Return the name of the ontology that a knowledge base was made with.

    One that was made before there were others says nothing: it was the baseline.
    """
    return made_with.get(SETTING, "").partition("@")[0] or shipped.BASELINE


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise BadInput(f"The ontology {path.name} has more than {_MOST_BYTES} bytes.")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"The ontology {path.name} cannot be read: {error}") from error
