from __future__ import annotations

from pathlib import Path

import pytest

from weft.agents.model.prompts import Prompts
from weft.domain.errors import ConfigurationError


def test_the_shipped_prompt_is_rendered() -> None:
    assert "hand in" in Prompts().render("answer")


def test_a_workspace_overrides_a_prompt(tmp_path: Path) -> None:
    (tmp_path / "answer.jinja").write_text("Answer for {{ organisation }}.")
    prompts = Prompts(tmp_path)
    assert prompts.render("answer", organisation="Nordlys") == "Answer for Nordlys."


@pytest.mark.parametrize(
    "template", ["{{ nothing }}", "{% if %}", "{{ ''.__class__.__mro__ }}", "{{ x.append(1) }}"]
)
def test_a_wrong_or_curious_template_is_refused(tmp_path: Path, template: str) -> None:
    (tmp_path / "answer.jinja").write_text(template)
    with pytest.raises(ConfigurationError):
        Prompts(tmp_path).render("answer", x=[])


def test_an_unknown_prompt_is_refused() -> None:
    with pytest.raises(ConfigurationError):
        Prompts().render("no_such_prompt")
