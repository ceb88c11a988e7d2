"""Directives of reStructuredText, told by their lines: what they describe, what they show."""

from __future__ import annotations

import pytest

from weft.language.blocks.restructured import (
    directive_in,
    has_directives,
    indent_of,
    is_target,
    opens_literal,
)


@pytest.mark.parametrize(
    ("line", "name", "argument", "describes"),
    [
        (".. function:: open(path)", "function", "open(path)", True),
        ("    .. py:method:: close()", "method", "close()", True),
        (".. setting:: DEBUG", "setting", "DEBUG", True),
        (".. note:: Mind this.", "note", "Mind this.", False),
        (".. versionadded:: 4.2", "versionadded", "4.2", False),
        (".. code-block:: python", "code-block", "python", False),
        (".. toctree::", "toctree", "", False),
        (".. class::", "class", "", False),
    ],
)
def test_a_directive_is_known_by_its_line(
    line: str, name: str, argument: str, describes: bool
) -> None:
    found = directive_in(line)
    assert found is not None
    assert (found.name, line[found.start :], found.describes) == (name, argument, describes)


@pytest.mark.parametrize(
    "line", ["a .. b", "...", ".. a comment", ".. _place:", "std::vector", "..", ".. [1] A note."]
)
def test_other_lines_are_none(line: str) -> None:
    assert directive_in(line) is None
    assert not has_directives(line)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (".. _place:", True),
        (".. _a link: https://example.org/", True),
        (".. _`4k: a link`: https://example.org/", True),
        ("__ https://example.org/", True),
        (".. a comment", False),
        ("__init__ makes it", False),
    ],
)
def test_a_target_only_names_a_place(line: str, expected: bool) -> None:
    assert is_target(line) is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("As follows::", True),
        ("::", True),
        (".. code-block:: python", True),
        (".. note::", False),
        ("As follows:", False),
        ("std::vector", False),
    ],
)
def test_what_is_shown_as_it_stands_is_announced(line: str, expected: bool) -> None:
    assert opens_literal(line) is expected


def test_directives_are_looked_for_at_the_beginnings_of_lines() -> None:
    assert has_directives("Words.\n\n   .. note:: More.\n")
    assert not has_directives("Words :: more.\nfoo::bar\n")
    assert indent_of("   x") == 3
