"""500 recorded runs replayed: of every flow, by rules and by a scripted model, killed and calm.

Usage: PYTHONPATH=tests python bench/replay_many.py [RUNS]. It fails where one comes out otherwise.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from itertools import cycle, islice
from pathlib import Path

from flow.replay_world import (
    BRIDGES,
    ReplayWorld,
    model_settings,
    replay_world,
    script,
    write_documents,
)
from model_server import Body, Say, model_server
from research_world import Researcher, role_of
from weft.domain.errors import WeftError
from weft.domain.ids import RunId
from weft.flows.asking import Asking
from weft.platform.identity import local_owner
from weft.runtime.amounts import Limits

RUNS = 500
_MODEL_SHARE = 0.3
_FORMS = (
    ("rag", "Who opened the {name}?"),
    ("survey", "Ask where {who} and the {name} are"),
    ("rag", "When was the {name} opened by {who}?"),
    ("echo", "{name}"),
    ("rag", "What did {who} open, and when did its toll end?"),
    ("survey", "Say that {who} is broken"),
    ("rag", "Which towns have more than 1,000 residents, and who opened the {name}?"),
    ("router", "Who opened the {name}?"),
    ("router", "How many residents has the town of Orlund?"),
    ("semantic", "Who is {who}, and what is the {name}?"),
    ("debate", "Who opened the {name}?"),
    ("research", "When was the {name} opened?"),
    ("research", "Write a report on the {name} and {who}"),
)


def plays(body: Body) -> Say:
    """Play every role: those of research as they should, a reader's, and fail at all others."""
    return script(body) if role_of(body) == "read" else Researcher()(body)


def questions(count: int) -> list[tuple[str, str]]:
    """Return questions with the flows that they go to."""
    forms = cycle(
        (flow, form.format(name=name, who=who))
        for name, who, _ in BRIDGES.values()
        for flow, form in _FORMS
    )
    return list(islice(forms, count))


async def record(here: ReplayWorld, number: int, *, flow: str, question: str) -> str:
    """Record a run: every third is killed at a save, every seventh has little to spend."""
    run_id = RunId(f"run-{number:04}")
    if number % 3 == 0:
        await here.killed(question, flow, run_id, dies_at=1 + number % 7)
        return "killed"
    limits = Limits(tool_calls=2) if number % 7 == 0 else None
    bases = (here.base,)
    asking = Asking(question=question, knowledge_bases=bases, flow=flow, run_id=run_id,
                    limits=limits)  # fmt: skip
    try:
        await here.runner.run(local_owner(), asking)
    except WeftError:
        with suppress(WeftError):  # one that asked people goes on, one that failed has ended
            await here.went_on(run_id, {"sure": True})
    return "calm" if limits is None else "short"


async def measured(home: Path, count: int, *, settings: str, by: str) -> int:
    """Record runs and replay them; print what came out, return how many did otherwise."""
    async with replay_world(home, settings) as here:
        kinds = Counter[str]()
        began = time.perf_counter()
        for number, (flow, question) in enumerate(questions(count), start=1):
            kinds[f"{flow} {await record(here, number, flow=flow, question=question)}"] += 1
        recorded = time.perf_counter() - began
        page = await here.app.records.runs.newest(local_owner(), limit=count)
        began, events, wrong = time.perf_counter(), 0, 0
        for run in page.runs:
            found = await here.replay(run.header.run_id)
            events += found.events
            if not found.equal:
                wrong += 1
                print(f"  different: {run.header.preview} {found.as_json()}")
        took = time.perf_counter() - began
    print(f"{by}: {len(page.runs)} runs, {events} events, {wrong} different")
    print(
        f"  recorded in {recorded:.1f} s, replayed in {took:.1f} s: {dict(sorted(kinds.items()))}"
    )
    return wrong


async def main() -> int:
    """Measure both ways."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    by_model = round(runs * _MODEL_SHARE)
    with tempfile.TemporaryDirectory() as folder, model_server(plays) as server:
        rules, model = Path(folder) / "rules" / "home", Path(folder) / "model" / "home"
        for home in (rules, model):
            write_documents(home)
        wrong = await measured(rules, runs - by_model, settings="", by="rules")
        settings = model_settings(server.base_url)
        wrong += await measured(model, by_model, settings=settings, by="a model")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
