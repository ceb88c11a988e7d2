"""Prompts: shipped templates, which those of a workspace override."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from weft.domain.errors import BadInput, ConfigurationError
from weft.language.patterns import pattern

if TYPE_CHECKING:
    from jinja2 import Environment

_VERSION = pattern(r"([a-z_]{1,40})@([\w.-]{1,40})")
_SHIPPED = Path(__file__).parent / "templates"


def version_of(folder: Path | None, named: str) -> Mapping[str, str]:
    """Return for `answer@v2` which file of a folder is used in place of the prompt `answer`.

    Raises `BadInput` where it names no prompt, or the folder has no such file, or several.
    """
    found = _VERSION.fullmatch(named)
    if found is None or found[1] not in Prompts(folder):
        raise BadInput(f"'{named[:100]}' names no prompt's version; write it as answer@v2.")
    files = [] if folder is None else sorted(folder.glob(f"{named}.*"))
    if len(files) != 1:
        how_many = "no file" if not files else "several files"
        raise BadInput(f"The workspace's prompts have {how_many} named {named}.*.", prompt=named)
    return {found[1]: files[0].name}


class Prompts:
    """Renders templates by name, in a sandbox: a template is data, not code."""

    def __init__(
        self, folder: Path | None = None, *, instead: Mapping[str, str] | None = None
    ) -> None:
        """Take the folder whose templates override the shipped ones.

        `instead` names files of it that are used in place of a prompt.
        """
        self._folders = [_SHIPPED] if folder is None else [folder, _SHIPPED]
        self._instead = instead or {}

    def render(self, name: str, **values: object) -> str:
        """Return a prompt, or raise `ConfigurationError` naming the template that is wrong."""
        # Here, because nothing is rendered where no model is configured.
        from jinja2 import TemplateError

        try:
            template = self._instead.get(name, f"{name}.jinja")
            return self._environment.get_template(template).render(**values).strip()
        except TemplateError as error:
            raise ConfigurationError(f"the prompt '{name}' cannot be used: {error}") from error

    def __contains__(self, name: str) -> bool:
        """Tell whether there is a prompt of a name."""
        return any((folder / f"{name}.jinja").is_file() for folder in self._folders)

    @cached_property
    def _environment(self) -> Environment:
        from jinja2 import ChoiceLoader, FileSystemLoader, StrictUndefined
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        return ImmutableSandboxedEnvironment(
            loader=ChoiceLoader([FileSystemLoader(one) for one in self._folders]),
            undefined=StrictUndefined,
            autoescape=False,
            keep_trailing_newline=False,
        )
