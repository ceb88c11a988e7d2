from __future__ import annotations

import pytest

from weft.domain.errors import PolicyViolation
from weft.domain.scope import Scope
from weft.platform.identity import local_owner
from weft.platform.policy import OpenPolicy, apply, passable, screen, violation_data
from weft.ports.policy import Action, Place, Verdict, Violation

pytestmark = pytest.mark.anyio
OWNER = local_owner()


class Masking:
    """Masks one word and blocks another."""

    async def check(self, scope: Scope, place: Place, text: str) -> Verdict:
        broken = Violation(rule="word", action=Action.REDACT, excerpt="***")
        if "blocked" in text:
            return Verdict(text="", action=Action.BLOCK, violations=(broken,))
        if "secret" in text:
            masked = text.replace("secret", "***")
            return Verdict(text=masked, action=Action.REDACT, violations=(broken,))
        return Verdict(text=text)


class Always:
    """Does the same with every text that has a word."""

    def __init__(self, action: Action, text: str = "changed") -> None:
        self.verdict = Verdict(text=text, action=action)

    async def check(self, scope: Scope, place: Place, text: str) -> Verdict:
        return self.verdict if "word" in text else Verdict(text=text)


@pytest.mark.parametrize("place", list(Place))
async def test_a_flagged_text_passes_as_it_was_and_is_told(place: Place) -> None:
    verdict = await apply(Always(Action.FLAG), OWNER, place, text="a word")
    assert verdict.text == "a word"
    assert [(one.rule, one.action) for one in verdict.violations] == [("flagged", Action.FLAG)]


@pytest.mark.parametrize("place", [one for one in Place if one is not Place.OUTPUT])
async def test_where_there_is_nothing_to_complete_the_text_is_held_back(place: Place) -> None:
    with pytest.raises(PolicyViolation, match="withheld"):
        await apply(Always(Action.SAFE_COMPLETION), OWNER, place, text="a word")


async def test_what_leaves_beside_an_answer_passes_string_by_string() -> None:
    value = {"title": "a secret", "n": 1, "parts": ["blocked", "open"]}
    found = await passable(Masking(), OWNER, value=value)
    assert found == {"title": "a ***", "n": 1, "parts": ["", "open"]}
    safe = await passable(Always(Action.SAFE_COMPLETION), OWNER, value={"a": ["word", "open"]})
    assert safe == {"a": ["", "open"]}


@pytest.mark.parametrize("place", list(Place))
async def test_the_open_profile_lets_everything_pass(place: Place) -> None:
    assert (await apply(OpenPolicy(), OWNER, place, text="any secret")).text == "any secret"


async def test_a_blocked_text_raises_and_is_not_in_the_error() -> None:
    with pytest.raises(PolicyViolation) as caught:
        await apply(Masking(), OWNER, Place.OUTPUT, text="blocked: my number")
    assert caught.value.fields == {"place": "output", "rules": ["word"]}
    assert "number" not in caught.value.message


async def test_every_string_of_a_value_is_screened() -> None:
    value = {"a": ["secret", 1, None, {"b": "a secret"}], "c": ("secret",), "d": True}
    passed, broken = await screen(Masking(), OWNER, Place.TOOL_RESULT, value=value)
    assert passed == {"a": ["***", 1, None, {"b": "a ***"}], "c": ["***"], "d": True}
    assert len(broken) == 2  # of the two strings that differ
    assert violation_data(Place.INPUT, broken[0])["excerpt"] == "***"


async def test_one_blocked_string_blocks_the_value() -> None:
    with pytest.raises(PolicyViolation):
        await screen(Masking(), OWNER, Place.TOOL_RESULT, value={"a": [{"b": "blocked"}]})
