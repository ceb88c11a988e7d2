"""What a question over rows may mean: offered where it is refused, told once it is chosen."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from flow.command import Command
from flow.conftest import workspace
from flow.http_world import served
from model_server import ModelServer, Say, model_server
from principals import somebody
from weft import Weft
from weft.bootstrap.app import load_settings, open_app
from weft.bootstrap.flows import build_flows
from weft.domain.answer import Answer, Outcome
from weft.domain.errors import BadInput
from weft.domain.scope import Scope
from weft.flows.asking import Asking

SHIPS = """id,name,home_port,joined,seats,captain,acl
s1,Heron,Tallinn,2011-04-02,240,Mari Kask,tenant:*
s2,Gannet,Riga,2018-09-17,12,Jonas Ozols,tenant:*
s3,Osprey,Tallinn,2018-03-05,410,Mari Kask,tenant:*
s4,Petrel,Turku,2003-11-30,6,Aino Salo,tenant:*
s5,Skua,Tallinn,2003-11-30,777,Mari Kask,group:blue
"""
HOW_BIG, OF_BLUE = "How big is Osprey?", "How big is Skua?"
SEATS = "ships.csv · name = Osprey · show seats"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with one table, of which a row has readers of its own."""
    made = tmp_path_factory.mktemp("meanings") / "harbour"
    made.mkdir()
    (made / "ships.csv").write_text(SHIPS, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def opened(folder: Path, home: Path) -> Iterator[Weft]:
    """Return its knowledge base, opened once."""
    with Weft.open(folder, home=home) as made:
        made.sync()
        yield made


def test_what_may_be_meant_is_offered_and_told_once_it_is_chosen(opened: Weft) -> None:
    offered = opened.ask(HOW_BIG)
    assert offered.refused
    assert not offered.short
    assert [one.text for one in offered.meanings] == [SEATS]
    told = opened.ask(HOW_BIG, meaning=offered.meanings[0].id)
    assert told.outcome is Outcome.ANSWERED
    assert (told.short, told.meanings, told.offline) == ("410", (), True)
    assert [one.doc_id for each in told.sentences for one in each.citations] == [
        "record:harbour/ships.csv#s3"
    ]
    assert any("ships.csv · name = Osprey · → seats" in one for one in told.notes)


def test_what_is_sure_offers_nothing(opened: Weft) -> None:
    assert opened.ask("Which ship has the most seats?").meanings == ()
    assert opened.ask("Who is the president of France?").meanings == ()


def test_what_is_no_meaning_of_the_question_is_refused_and_named(opened: Weft) -> None:
    [meaning] = opened.ask(HOW_BIG).meanings
    for question, chosen in ((HOW_BIG, "0badcafe"), ("Which ships are there?", meaning.id)):
        told = opened.ask(question, meaning=chosen)
        assert told.refused
        assert chosen in told.answer
        assert not told.short


def test_the_router_hands_what_is_meant_to_the_tables(opened: Weft) -> None:
    [meaning] = opened.ask(HOW_BIG, flow="router").meanings
    assert opened.ask(HOW_BIG, flow="router", meaning=meaning.id).short == "410"


@pytest.mark.parametrize("flow", ["semantic", "debate", "research"])
def test_another_flow_offers_no_meaning_and_says_that_it_takes_none(
    opened: Weft, flow: str
) -> None:
    assert opened.ask(HOW_BIG, flow=flow).meanings == ()
    with pytest.raises(BadInput, match=f"meaning: the flow '{flow}' takes none"):
        opened.ask(HOW_BIG, flow=flow, meaning="0badcafe")


def test_what_a_reader_may_not_read_is_never_offered_nor_told(opened: Weft, home: Path) -> None:
    async def asked() -> list[Answer]:
        app = await open_app(load_settings(home))
        try:
            flows = build_flows(app)

            async def told(group: str, meaning: str = "") -> Answer:
                asking = Asking(question=OF_BLUE, knowledge_bases=(opened.name,), meaning=meaning)
                return (await flows.run(_reader(group), asking)).answer

            offered = await told("blue")
            [meaning] = offered.meanings
            return [
                await told("red"),
                await told("red", meaning.id),
                await told("blue", meaning.id),
            ]
        finally:
            await app.close()

    before, red, blue = asyncio.run(asked())
    assert before.meanings == ()
    assert red.refused
    assert "777" not in json.dumps([asdict(before), asdict(red)], default=str)
    assert blue.short == "777"


def _reader(group: str) -> Scope:
    return somebody(group, f"group:{group}", "tenant:*")


def test_what_rules_offered_is_told_by_them_whatever_model_there_is(
    opened: Weft,
    folder: Path,
    tmp_path: Path,
    network: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    [meaning] = opened.ask(HOW_BIG).meanings
    asked: list[object] = []

    def script(body: object) -> Say:
        asked.append(body)
        return Say(text="nothing")

    with model_server(script) as server:
        _configure(server, monkeypatch)
        (tmp_path / "home").mkdir()
        with Weft.open(folder, home=workspace(tmp_path / "home", network)) as made:
            told = made.ask(HOW_BIG, meaning=meaning.id)
    assert (told.short, told.offline, asked) == ("410", True, [])


def _configure(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_MODEL", "openai:scripted")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def test_the_service_offers_and_tells_it_at_every_door(home: Path, opened: Weft) -> None:
    with served(home) as client:
        offered = _posted(client, "/ask", question=HOW_BIG)
        [meaning] = offered["meanings"]
        assert (offered["outcome"], meaning["text"]) == ("nearest", SEATS)
        chosen = meaning["id"]
        assert _posted(client, "/ask", question=HOW_BIG, meaning=chosen)["short"] == "410"
        talk = _posted(client, "/v1/chat/message", message=HOW_BIG)
        again = {"message": HOW_BIG, "conversation_id": talk["conversation_id"]}
        told = _posted(client, "/v1/chat/message", **again, meaning=talk["meanings"][0]["id"])
        assert (told["short"], told["meanings"]) == ("410", [])
        sent = _posted(client, "/platform/chat/send", message=HOW_BIG, meaning=chosen)
        assert str(sent["assistant_message"]).startswith("410")
        assert _posted(client, "/platform/chat/send", message=HOW_BIG)["ui_payload"][
            "meanings"
        ] == [meaning]
        of = {name: talk[name] for name in ("session_id", "conversation_id")}
        kept = client.get("/chat/history", params=of).text
        assert HOW_BIG in kept
        assert SEATS not in kept
        for wrong in ("zz", "0" * 33, "DROP TABLE"):
            reply = client.post("/ask", json={"question": HOW_BIG, "meaning": wrong})
            assert reply.status_code == 422
            assert "meaning" in reply.text
        body = {"message": HOW_BIG, "meaning": chosen, "mode": "semantic"}
        reply = client.post("/platform/chat/send", json=body)
        assert reply.status_code == 422, reply.text
        assert "meaning" in reply.json()["detail"]


def _posted(client: TestClient, path: str, **body: object) -> dict[str, Any]:
    reply = client.post(path, json=body)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_the_command_offers_it_and_tells_what_is_chosen(
    folder: Path, home: Path, opened: Weft
) -> None:
    weft = Command(home=home, folder=folder)
    said = weft("ask", str(folder), HOW_BIG)
    assert said.code == 1, said.err
    assert f"It may ask one of these of a table:\n  {SEATS}\n    --pin " in said.out
    chosen = said.out.partition("--pin ")[2].split()[0]
    told = weft("ask", str(folder), HOW_BIG, "--pin", chosen)
    assert told.code == 0, told.err
    assert "410" in told.out
    assert "--pin" not in told.out
    lines = ["/meaning 1", HOW_BIG, "/meaning 4", "/meaning 1", "/meaning 1"]
    talked = weft("chat", str(folder), told="\n".join(lines) + "\n").out
    assert talked.count("The last answer offers nothing that the question may mean.") == 2
    assert f"1. {SEATS}\n/meaning N tells one of them." in talked
    assert "Write /meaning N with a number from 1 to 1." in talked
    assert "\n410\n" in talked
