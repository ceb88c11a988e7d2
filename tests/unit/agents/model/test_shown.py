"""What a model is shown of a tool's reply."""

from __future__ import annotations

from weft.agents.model.runner import shown


def test_a_model_sees_no_folder_of_this_machine() -> None:
    reply = {
        "evidence": [
            {"uri": "file:///home/ann/Secret%20plans/a%20b.md", "text": "see file:///x"},
            {"uri": "FILE:///C:/Users/ann/a.md", "score": 1.0},
            {"uri": "https://docs.example/home/a.md"},
            {"uri": ""},
        ]
    }
    items = shown(reply, ("score",))["evidence"]
    assert [one["uri"] for one in items] == ["a b.md", "a.md", "https://docs.example/home/a.md", ""]
    assert items[0]["text"] == "see file:///x"
