"""`weft.Client` against a service on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from flow.http_world import OUTCOMES, running, workspace
from weft import Client
from weft.api.edge.rates import RequestRates
from weft.domain.errors import (
    BadInput,
    KnowledgeBaseExists,
    StoreUnavailable,
    TooManyRequests,
    Unauthenticated,
    UnknownKnowledgeBase,
    WeftError,
)

QUESTION = "Who founded Apollo?"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return workspace(tmp_path_factory.mktemp("client"))


@pytest.fixture(scope="module")
def address(home: Path) -> Iterator[str]:
    with running(home) as opened:
        yield opened


@pytest.fixture(scope="module")
def client(home: Path, address: str) -> Iterator[Client]:
    with Client(address, (home / "token").read_text()) as opened:
        yield opened


def test_a_question_is_answered_whole_and_streamed(client: Client) -> None:
    answer = client.ask(QUESTION)
    assert "Li Wei" in answer.answer
    assert answer.sentences[0].citations[0].snippet
    events = list(client.stream(QUESTION))
    assert (events[0].name, events[-1].name) == ("run", "answer")
    assert events[-1].data["answer"] == answer.answer
    assert client.runs(limit=1)[0].status == "finished"


@pytest.mark.parametrize(("outcome", "question"), OUTCOMES.items())
def test_what_came_of_a_question_is_told(client: Client, outcome: str, question: str) -> None:
    answer = client.ask(question)
    assert answer.outcome == outcome
    assert bool(answer.nearest) == (outcome == "nearest")
    assert bool(answer.more) == (outcome == "answered")


def test_passages_are_found(client: Client) -> None:
    (found,) = client.search(QUESTION, 1)
    assert found.title == "Apollo"


def test_files_and_records_are_handed_over(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.create("Remote")
    path = tmp_path / "gamma.md"
    path.write_text("# Gamma\n\nGamma was built by Ida Lund in Turku.\n")
    done = client.wait(client.add("Remote", [path]).run_id)
    assert (done.status, done.progress["documents"]) == ("finished", 1)
    records = [{"id": "delta", "content": "Delta was built by Jon Ek in Umea."}]
    assert client.wait(client.add_records("Remote", records).run_id).status == "finished"
    assert "Ida Lund" in client.ask("Who built Gamma?", kb=["Remote"]).answer
    ingestions = [run for run in client.runs(kind="ingest") if run.kb == ("Remote",)]
    assert [run.kind for run in ingestions] == ["ingest", "ingest"]
    monkeypatch.setattr("weft.sdk.client._PAGE", 1)
    assert list(client.runs(kind="ingest", kb="Remote", status="finished")) == ingestions
    assert list(client.runs(1, kind="ingest", kb="Remote")) == ingestions[:1]
    with pytest.raises(KnowledgeBaseExists):
        client.create("Remote")


def test_a_base_is_made_by_an_ontology_that_there_is(client: Client) -> None:
    client.create("Lending", "Contracts", ontology="finance")
    with pytest.raises(BadInput, match=r"no ontology 'nothing'.*finance"):
        client.create("Other", ontology="nothing")
    named = [base.name for base in client.account.bases()]
    assert "Lending" in named
    assert "Other" not in named


def test_errors_are_the_services_own(client: Client, address: str) -> None:
    with pytest.raises(UnknownKnowledgeBase):
        client.ask(QUESTION, kb=["Nothing"])
    with Client(address, "wrong") as stranger, pytest.raises(Unauthenticated):
        stranger.runs()
    with Client("http://127.0.0.1:9", "x") as nobody, pytest.raises(StoreUnavailable):
        nobody.runs()


def test_a_name_is_one_part_of_a_path(client: Client) -> None:
    client.create("Aside")
    for name in ("Other/../Aside", "../kb/Aside", "Aside?x=", "..", ""):
        with pytest.raises(WeftError):
            client.add_records(name, [{"content": "Kestrels nest in Oslo."}])
        with pytest.raises(WeftError):
            client.run(name)
    assert {one.name: one.documents for one in client.account.bases()}["Aside"] == 0


def test_one_name_or_file_may_stand_by_itself(client: Client, tmp_path: Path) -> None:
    client.create("Alone")
    file = tmp_path / "owl.md"
    file.write_text("# Owl\n\nThe owl nests in Lund.\n")
    for given in (str(file), file):
        assert client.wait(client.add("Alone", given).run_id).status == "finished"
    assert client.search("owl", kb="Alone")[0].kb == "Alone"
    assert "Lund" in client.ask("Where does the owl nest?", kb="Alone").answer
    assert [one.name for one in client.stream("Where does the owl nest?", kb="Alone")][
        -1
    ] == "answer"
    with pytest.raises(BadInput, match="no file"):
        client.add("Alone", [])


@pytest.mark.parametrize("end", ["\nx", "ü", "\r\n\r\nGET /", "\x00"])
def test_a_token_that_cannot_be_sent_is_not_shown(address: str, end: str) -> None:
    with pytest.raises(BadInput) as refused:
        Client(address, f"weft_secret{end}")
    assert "secret" not in str(refused.value)


def test_a_token_may_come_as_a_file_has_it(address: str, home: Path) -> None:
    with Client(address, f"{(home / 'token').read_text()}\n") as opened:
        assert opened.account.me().name == "owner"


def test_when_to_try_again_is_told(
    address: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(*_: object) -> None:
        raise TooManyRequests("Too much.", retry_after=7.0)

    monkeypatch.setattr(RequestRates, "check", refused)
    token = (home / "token").read_text()
    with Client(address, token) as opened, pytest.raises(TooManyRequests) as told:
        opened.ask(QUESTION)
    assert told.value.fields == {"status": 429, "retry_after": 7.0}
