"""Replays of recorded runs: equal, or the first difference named, and nothing else changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flow.replay_world import (
    BRIDGES,
    bring_in,
    folder_of,
    model_settings,
    opened,
    replay_world,
    script,
    write_documents,
)
from model_server import model_server
from research_world import Researcher
from weft.domain.errors import BadInput, NotFound
from weft.domain.ids import RunId
from weft.flows.replay.reenactment import Change
from weft.platform.identity import local_owner, principal_scope
from weft.ports.records.audit import Phase
from weft.ports.records.runs import RunStatus
from weft.runtime.amounts import Limits

pytestmark = pytest.mark.anyio
CANARY = "zanzibarquartz"
_RIGHTS = ("ask", "kb.read", "run.read", "run.read.all", "tool.run:*")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_documents(tmp_path / "home")
    return tmp_path / "home"


def questions() -> list[tuple[str, str]]:
    """Return questions of every kind, each with the flow that it goes to."""
    asked = [("Who is the king of Atlantis?", "rag"), ("Which town has the most residents?", "rag")]
    for name, who, _ in BRIDGES.values():
        asked += [
            (f"Who opened the {name}?", "rag"),
            (f"When was the {name} opened by {who}?", "rag"),
            (f"What did {who} open, and when did its toll end?", "rag"),
            (f"Was the {name} opened before the Mill Bridge?", "rag"),
            (f"{name}", "echo"),
            (f"Where is {who} and the {name}?", "survey"),
            (f"Say {who} is broken", "survey"),
        ]
    name, who, _ = next(iter(BRIDGES.values()))
    asked += [(f"Who opened the {name}?", flow) for flow in ("router", "semantic", "debate")]
    asked += [(f"Write a report on the {name} and {who}", "research")]
    return asked


async def test_runs_of_every_flow_come_out_as_they_had(home: Path) -> None:
    async with replay_world(home) as here:
        ids = [(await here.ask(question, flow)).run_id for question, flow in questions()]
        small = Limits(tool_calls=3)
        ids += [
            (await here.ask(question, limits=small)).run_id for question, flow in questions()[:9]
        ]
        for number, (question, flow) in enumerate(questions()[-14:]):
            asked = question.replace("Say", "Ask")
            run_id = RunId(f"killed-{number}")
            await here.killed(asked, flow, run_id, dies_at=1 + number % 6)
            ids.append(run_id)
        assert len(ids) == 64
        before = here.dump()
        for run_id in ids:
            found = await here.replay(run_id)
            assert found.equal, (run_id, found.as_json())
            assert found.events > 3
        assert here.dump() == before


async def test_runs_of_a_model_come_out_as_they_had_and_ask_it_nothing(home: Path) -> None:
    with model_server(script) as server:
        async with replay_world(home, model_settings(server.base_url)) as here:
            asked = [f"Who opened the {name}?" for name, _, _ in BRIDGES.values()]
            answers = [await here.ask(one) for one in (*asked, "Fail at this", "Who was it?")]
            assert not answers[0].offline
            assert opened("harbour") in answers[0].answer
            assert answers[-2].offline  # the model failed, and the rules did the work
            answers.append(await here.ask("Who opened the Fen Bridge by Mistake?"))
            ids = [one.run_id for one in answers]
            for save in range(1, 7):
                await here.killed(asked[0], "rag", RunId(f"killed-{save}"), dies_at=save)
                ids.append(RunId(f"killed-{save}"))
            requests, before = len(server.requests), here.dump()
            for run_id in ids:
                found = await here.replay(run_id)
                assert found.equal, (run_id, found.as_json())
            assert len(server.requests) == requests
            assert here.dump() == before
    async with replay_world(home) as here:  # where no model is configured any more
        assert (await here.replay(ids[0])).equal


@pytest.mark.parametrize("tokens", [20, 60])
async def test_a_line_of_research_that_a_budget_ended_comes_out_as_it_had(
    home: Path, tokens: int
) -> None:
    with model_server(Researcher()) as server:
        async with replay_world(home, model_settings(server.base_url)) as here:
            limits = Limits(tokens=tokens)
            asked = "Who opened the Mill Bridge?"
            report = await here.ask(asked, "research", mode="iterative", limits=limits)
            requests = len(server.requests)
            assert report.sentences
            found = await here.replay(report.run_id)
            assert found.equal, found.as_json()
            assert len(server.requests) == requests


async def test_a_changed_prompt_is_found_and_named(home: Path) -> None:
    with model_server(script) as server:
        settings = model_settings(server.base_url)
        async with replay_world(home, settings) as here:
            run_id = (await here.ask("Who opened the Mill Bridge?")).run_id
        (home / "prompts").mkdir()
        (home / "prompts" / "answer.jinja").write_text("Answer in verse.")
        async with replay_world(home, settings) as here:
            found = await here.replay(run_id)
    first = found.first_difference
    assert first is not None
    assert (first.what, first.node, first.part) == ("prompt", "think", "instructions")
    assert first.named == {"prompt": "answer"}


async def test_another_version_of_a_prompt_is_shown_beside_the_record(home: Path) -> None:
    with model_server(script) as server:
        async with replay_world(home, model_settings(server.base_url)) as here:
            run_id = (await here.ask("Who opened the Mill Bridge?")).run_id
            requests = len(server.requests)
            for wrong in ("answer@v2", "../answer@v2", "nothing@v2", "answer"):
                with pytest.raises(BadInput):
                    await here.replay(run_id, Change(prompt=wrong))
            (home / "prompts").mkdir()
            (home / "prompts" / "answer@v2.md").write_text("Answer in one sentence.")
        async with replay_world(home, model_settings(server.base_url)) as here:
            before = here.dump()
            found = await here.replay(run_id, Change(prompt="answer@v2"))
            assert here.dump() == before
            assert len(server.requests) > requests
            instructions = server.requests[-1]["messages"][0]["content"]
            assert instructions == "Answer in one sentence."
            both = found.side_by_side
            assert both is not None
            assert both.recorded == both.replayed != ""
            assert found.first_difference is not None
            assert found.first_difference.what == "prompt"
            rules = await here.replay(run_id, Change(model="offline"))
            assert rules.side_by_side is not None
            assert not rules.equal
            same = await here.replay(run_id, Change(model="openai:scripted"))
            assert same.equal


async def test_a_changed_reply_of_a_tool_is_found_and_named(home: Path) -> None:
    async with replay_world(home) as here:
        run_id = (await here.ask("Who opened the Fen Bridge?")).run_id
        changed = here.write(
            "update tool_runs set output = replace(output, 'Adeyemi', 'Ademeyi') where run_id = ?"
            " and action_id = (select action_id from tool_runs where run_id = ? and"
            " output like '%Adeyemi%' order by started limit 1)",
            run_id,
            run_id,
        )
        assert changed == 1
        found = await here.replay(run_id)
    first = found.first_difference
    assert first is not None
    assert first.what == "tool_reply"
    assert str(first.named["action_id"]).startswith("think/")
    assert "Ademeyi" not in json.dumps(found.as_json())


async def test_a_changed_document_is_found_and_named(home: Path) -> None:
    async with replay_world(home) as here:
        ids = [(await here.ask(f"Who opened the {BRIDGES[k][0]}?")).run_id for k in ("fen", "mill")]
    fen = folder_of(home) / "fen.md"
    fen.write_text(fen.read_text().replace("Tomas", "Thomas"))
    await bring_in(home)
    async with replay_world(home) as here:
        found = await here.replay(ids[0])
    first = found.first_difference
    assert first is not None
    assert not found.source_deleted
    assert first.what == "document"
    assert str(first.named["document"]).endswith("fen.md")
    assert "Thomas" not in json.dumps(found.as_json())


async def test_of_a_deleted_source_nothing_is_shown(home: Path) -> None:
    (folder_of(home) / "secret.md").write_text(f"# Secret\n\nThe vault holds {CANARY}.\n")
    async with replay_world(home) as here:
        answer = await here.ask("What does the vault hold?")
        assert CANARY in answer.answer
        assert (await here.replay(answer.run_id)).equal
    (folder_of(home) / "secret.md").unlink()
    await bring_in(home)
    async with replay_world(home) as here:
        found = await here.replay(answer.run_id)
        assert found.source_deleted
        assert not found.equal
        assert found.first_difference is not None
        assert found.first_difference.what == "source_deleted"
        assert CANARY not in json.dumps(found.as_json())
        assert CANARY not in "\n".join(here.dump())


async def test_who_may_read_less_than_the_run_did_sees_nothing_of_it(home: Path) -> None:
    staff = folder_of(home) / "staff"
    staff.mkdir()
    (staff / "vault.md").write_text(f"# Vault\n\nThe vault holds {CANARY}.\n")
    (staff / "weft.acl.yaml").write_text("default: [group:staff, user:owner]\n")
    async with replay_world(home) as here:
        owner = local_owner()
        answer = await here.ask("What does the vault hold?")
        open_run = await here.ask("Who opened the Gate Bridge?")
        readers = principal_scope(
            tenant=owner.tenant, actor="user:rea", groups=(), permissions=_RIGHTS
        )
        found = await here.replay(answer.run_id, scope=readers)
        told = json.dumps(found.as_json())
        assert (await here.replay(answer.run_id)).equal
        assert CANARY in answer.answer
        assert found.first_difference is not None
        assert found.first_difference.what == "rights"
        assert CANARY not in told
        assert "vault" not in told
        assert (await here.replay(open_run.run_id, scope=readers)).equal
        stranger = principal_scope(
            tenant=owner.tenant, actor="user:bob", groups=(), permissions=("run.read",)
        )
        with pytest.raises(NotFound) as foreign:
            await here.replay(answer.run_id, scope=stranger)
        with pytest.raises(NotFound) as unknown:
            await here.replay(RunId("nothing"), scope=stranger)
        assert foreign.value.message == unknown.value.message


async def test_a_replay_leaves_one_act_in_the_log_and_nothing_else(home: Path) -> None:
    async with replay_world(home) as here:
        run_id = (await here.ask("Who opened the Gate Bridge?")).run_id
        audit, scope = here.app.records.audit, local_owner()
        before = (await audit.head(scope)).seq
        await here.replay(run_id)
        rows = await audit.rows(scope, after_seq=before)
    assert [(row.entry.deed.action, row.entry.phase) for row in rows] == [
        ("run.replay", Phase.INTENT),
        ("run.replay", Phase.OUTCOME),
    ]
    assert rows[0].entry.deed.target == f"run:{run_id}"


async def test_runs_that_have_not_ended_or_say_not_how_they_began_are_refused(home: Path) -> None:
    async with replay_world(home) as here:
        asked = await here.ask("Who opened the Gate Bridge?")
        assert asked.run_id is not None
        here.write("delete from run_tape where key = 'start' and run_id = ?", asked.run_id)
        with pytest.raises(BadInput, match="before runs could be replayed"):
            await here.replay(asked.run_id)
        here.write("update runs set status = 'suspended' where run_id = ?", asked.run_id)
        with pytest.raises(BadInput, match=str(RunStatus.SUSPENDED)):
            await here.replay(asked.run_id)
