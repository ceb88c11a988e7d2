"""Questions written to keep the service busy: each is answered soon, and so is everybody else."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import httpx2 as httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flow.http_world import bearer, workspace
from weft.api.app import build
from weft.config import load_settings
from weft.language.legible import legible
from weft.language.terms import terms
from weft.offline.chains.fields import asking_part
from weft.offline.question.names import names_in
from weft.offline.question.question import asked_words
from weft.offline.question.roles import read_plan
from weft.retrieval.identifiers import named_in

LONGEST = 2000
SHAPES = (
    *("-", "a-", ".", "a.", "'", '"', "(", '("', "[a](b) ", "<a ", "A B ", "A", "a", "_a", "a@b."),
    *(
        "가",
        "가나다 ",
        "가의 ",
        "아폴로를 설립한 사람의 ",
        "1",
        "1 ",
        "1,",
        "AB-1 ",
        "x-1/",
        "\U0001f600",
    ),
    *("e\u0301", "\u0301", "a\u200b", "ﷺ ", "Ａ Ｂ ", "? ", "Who? ", "a\n", "Apollo's ", "If a, "),
    *("the a of ", "the man who is ", "Apollo or ", "Apollo and Borealis and ", "The Apollo Of "),
    *(
        "when was Apollo in 2020, ",
        "January 2020 and ",
        '"Apollo" ',
        "'Apollo' ",
        "Who founded A? ",
    ),
)
# Many times what they take, since the cores may be busy; read as before it would be as many again.
ANSWER_S = 40.0
# How long anybody else may wait beside four of these questions.
WAIT_S = 15.0


def _long(shape: str, opening: str = "") -> str:
    return (opening + shape * LONGEST)[:LONGEST].strip() or "-"


async def _ask_beside_health(home: Path, questions: list[str]) -> tuple[float, float]:
    """Return the seconds that the slowest answer and the slowest sign of life took."""
    app = build(load_settings(home))
    transport = httpx.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://testserver") as client,
    ):

        async def ask(question: str) -> float:
            began = time.perf_counter()
            reply = await client.post("/ask", json={"question": question}, headers=bearer(home))
            assert reply.status_code == 200, reply.text
            return time.perf_counter() - began

        await ask("Who founded Apollo?")
        slowest = 0.0
        asking = asyncio.gather(*map(ask, questions))
        while not asking.done():
            began = time.perf_counter()
            await asyncio.sleep(0.005)  # in which others have the loop, and may keep it
            assert (await client.get("/health/live")).status_code == 200
            slowest = max(slowest, time.perf_counter() - began)
        return max(await asking), slowest


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return workspace(tmp_path_factory.mktemp("hostile"))


@pytest.mark.parametrize("first", range(0, len(SHAPES), 4))
async def test_a_hostile_question_holds_nobody_up(home: Path, first: int) -> None:
    shapes = SHAPES[first : first + 4]
    answered, waited = await _ask_beside_health(home, [_long(one) for one in shapes])
    assert answered < ANSWER_S
    assert waited < WAIT_S


async def test_a_question_of_unknown_words_alone_is_refused_as_any_other(home: Path) -> None:
    words = " ".join(f"w{number:03}x" for number in range(330))
    story = f"Who leads the team that owns the service which {'Quux ' * 150} broke?"
    answered, _ = await _ask_beside_health(home, [words, story, f"누가 {words}"])
    assert answered < ANSWER_S


async def test_a_plan_of_a_thousand_names_holds_nobody_up(home: Path) -> None:
    openings = ("How many ", "Which of ", "Who founded ", "")
    asked = [_long("A B ", opening) for opening in openings]
    answered, waited = await _ask_beside_health(home, asked)
    assert answered < ANSWER_S
    assert waited < WAIT_S


@settings(max_examples=40, deadline=20_000)
@given(
    st.lists(st.sampled_from(SHAPES), min_size=1, max_size=4),
    st.sampled_from(["", "How many ", "Who is ", "What is the ", "누가 "]),
    st.text(max_size=5),
)
def test_every_mixture_of_shapes_is_read_in_time(
    mixed: list[str], opening: str, ending: str
) -> None:
    text = legible(_long("".join(mixed), opening) + ending)
    read_plan(text, {"apollo": (), "a b": (), "a": ()}, lower={"apollo"})
    asking_part(text)
    assert len(terms(text)) <= 4 * (len(text) + 1)  # one sign may be written out as four words
    assert len(asked_words(text)) <= len(text)
    assert len(named_in(text).identifiers) <= len(text)
    assert all(named.end <= len(text) + 1 for named in names_in(text[:400]))
