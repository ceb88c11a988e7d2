"""Nothing is done under a name that the table of actions does not know."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from house.source import lines, place, trees
from weft.platform.trail.audited_actions import ACTIONS

# Where an action stands: the name of what is called, and which argument it is.
CALLED = {
    "leaves": 0,
    "leaves_within": 0,
    "acting": 1,
    "reading": 2,
    "_deed": 0,
    "_audited": 1,
    "act": 1,
}


def _names() -> Iterator[tuple[str, str]]:
    """Yield each action that the code names, and where."""
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            given = [key.value for key in node.keywords if key.arg == "action"]
            said = given if name == "Deed" else []
            if name in CALLED and len(node.args) > CALLED[name]:
                said = [node.args[CALLED[name]]]
            for value in said:
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield value.value, place(path, node)


def test_every_action_that_the_code_names_is_in_the_table() -> None:
    found = list(_names())
    wrong = [f"{where} {action}" for action, where in found if action not in ACTIONS]
    assert len(found) > 50
    assert not wrong, lines(wrong)


def test_every_action_of_the_table_is_done_somewhere() -> None:
    named = {action for action, _ in _names()} | {"audit.verify", "access.denied"}
    assert set(ACTIONS) - named <= {"admin.explain"}


def test_an_action_says_what_happened_in_a_sentence_without_its_end() -> None:
    for name, action in ACTIONS.items():
        assert action.says[0].islower(), name
        assert not action.says.endswith("."), name
