"""Prompts: shipped templates, which those of a workspace override."""

from __future__ import annotations

from pathlib import Path

from jinja2 import ChoiceLoader, FileSystemLoader, StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from weft.domain.errors import ConfigurationError

_SHIPPED = Path(__file__).parent / "templates"


class Prompts:
    """Renders templates by name, in a sandbox: a template is data, not code."""

    def __init__(self, folder: Path | None = None) -> None:
        """Take the folder whose templates override the shipped ones."""
        folders = [_SHIPPED] if folder is None else [folder, _SHIPPED]
        self._environment = ImmutableSandboxedEnvironment(
            loader=ChoiceLoader([FileSystemLoader(one) for one in folders]),
            undefined=StrictUndefined,
            autoescape=False,
            keep_trailing_newline=False,
        )

    def render(self, name: str, **values: object) -> str:
        """Return a prompt, or raise `ConfigurationError` naming the template that is wrong."""
        try:
            return self._environment.get_template(f"{name}.jinja").render(**values).strip()
        except TemplateError as error:
            raise ConfigurationError(f"the prompt '{name}' cannot be used: {error}") from error
