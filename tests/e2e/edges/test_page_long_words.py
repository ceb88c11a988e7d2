"""Words that are longer than their place: nothing sticks out of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from e2e.page_driver import Visit

Begin = Callable[..., "Visit"]
WORD = "Donaudampfschifffahrtsgesellschaftskapitän" * 4
STICKING_OUT = """() => [...document.querySelectorAll(".reply *")]
    .filter((each) => each.checkVisibility() && !each.closest(".unseen, svg, .wide-table"))
    .filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth)
    .map((each) => `${each.tagName} ${each.className}`)"""


def _debate() -> dict[str, object]:
    """Return an answer of a debate in which every name, reason and position is one long word."""
    cited = {
        "n": 1, "kb": WORD, "doc_id": WORD, "title": WORD, "uri": f"file:///{WORD}/{WORD}.pdf",
        "page": 1, "section": WORD, "chunk_id": "c", "start": 0, "end": 1, "snippet": WORD,
    }  # fmt: skip
    agents = [
        {"kb": f"{WORD}{n}", "status": "degraded", "reason": WORD, "bases": []} for n in range(3)
    ]
    positions = [{"text": WORD, "kbs": [each["kb"]], "citations": [1]} for each in agents]
    results = [{"kb": each["kb"], "response": WORD, "citations": []} for each in agents]
    note = {"code": "planned", "text": WORD, "values": {"rows": 3, "plan": WORD}}
    return {
        "answer": "", "short": WORD, "offline": True, "run_id": "r1", "took_ms": 1.0,
        "sentences": [{"text": WORD, "tier": "partly", "citations": [cited], "missing": [WORD]}],
        "citations": [cited], "refused": False, "missing": [], "notes": [note],
        "payload": {
            "debate_state": "complete", "debate_results": results, "agent_statuses": agents,
            "disagreements": [{"positions": positions}],
        },
    }  # fmt: skip


@pytest.mark.parametrize("width", [320, 768, 1280])
def test_a_debate_of_long_words_stays_in_its_place(visit: Begin, link: str, width: int) -> None:
    seen = visit(viewport={"width": width, "height": 800})
    seen.open(link)
    page = seen.page
    said = f"event: answer\ndata: {json.dumps(_debate())}\n\n"
    page.route(
        "**/v1/chat/message",
        lambda route: route.fulfill(content_type="text/event-stream", body=said),
    )
    for _ in range(2):
        seen.ask(f"What is {WORD}?")
    assert page.evaluate(STICKING_OUT) == []
    assert page.evaluate("document.querySelector('.scroll').scrollWidth <= innerWidth")
    # Two debates in one conversation are two of a kind, and no landmark is there twice.
    assert seen.violations() == []
