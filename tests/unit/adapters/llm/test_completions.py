"""What a server may send as a completion, and what of it is let through."""

from __future__ import annotations

import json
from typing import Any

import pytest

from weft.adapters.llm.completions import completion

GOOD: dict[str, Any] = {
    "id": "reply",
    "created": 1,
    "model": "scripted",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Ready."}}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12},
}


def read(**instead: object) -> Any:
    found = completion(json.dumps(GOOD | instead).encode())
    return None if found is None else json.loads(found)


def test_a_completion_passes_as_it_is() -> None:
    body = json.dumps(GOOD).encode()
    assert completion(body) is body


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"5", b"[" * 100_000, b"\xff"])
def test_what_is_no_json_object_is_no_completion(body: bytes) -> None:
    assert completion(body) is None


@pytest.mark.parametrize(
    "choices", [None, 5, "s", True, [], {}, {"a": 1}, [5], [None], [{}], [{"message": "hello"}]]
)
def test_choices_without_a_message_are_no_completion(choices: object) -> None:
    assert read(choices=choices) is None


@pytest.mark.parametrize("created", [None, -1, 10**20, 1.5, "now", True])
def test_a_time_that_is_none_is_left_at_nought(created: object) -> None:
    assert read(created=created)["created"] == 0


@pytest.mark.parametrize(
    "usage",
    [
        None,
        [],
        {},
        {"prompt_tokens": -5, "completion_tokens": 7},
        {"prompt_tokens": 10**25, "completion_tokens": 7},
        {"prompt_tokens": 5, "completion_tokens": None},
        {"prompt_tokens": "5", "completion_tokens": 7},
    ],
)
def test_a_count_that_is_none_is_known_to_be_missing(usage: object) -> None:
    assert "usage" not in read(usage=usage)


def test_half_characters_and_zero_bytes_are_replaced() -> None:
    said = read(model="a\ud800b", choices=[{"message": {"content": "x\0y", "\ud800": ["\0"]}}])
    assert said["model"] == "a?b"
    assert said["choices"][0]["message"] == {"content": "x\ufffdy", "?": ["\ufffd"]}
