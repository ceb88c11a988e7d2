"""Prompts: shipped templates, which those of a workspace override."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from weft.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from jinja2 import Environment

_SHIPPED = Path(__file__).parent / "templates"


class Prompts:
    """Renders templates by name, in a sandbox: a template is data, not code."""

    def __init__(self, folder: Path | None = None) -> None:
        """Take the folder whose templates override the shipped ones."""
        self._folders = [_SHIPPED] if folder is None else [folder, _SHIPPED]

    def render(self, name: str, **values: object) -> str:
        """Return a prompt, or raise `ConfigurationError` naming the template that is wrong."""
        # Here, because nothing is rendered where no model is configured.
        from jinja2 import TemplateError

        try:
            return self._environment.get_template(f"{name}.jinja").render(**values).strip()
        except TemplateError as error:
            raise ConfigurationError(f"the prompt '{name}' cannot be used: {error}") from error

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
