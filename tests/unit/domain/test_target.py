"""Targets on servers: read, written, compared, and never with a password in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.domain.errors import BadInput
from weft.domain.target import ServerTarget, database_name, is_server_target

names = st.from_regex(r"[a-z][a-z0-9.-]{2,20}", fullmatch=True).filter(lambda n: n != "system")
words = st.from_regex(r"[a-z][a-z0-9]{0,9}", fullmatch=True)
targets = st.builds(
    ServerTarget,
    scheme=st.sampled_from(["neo4j", "neo4j+s", "bolt", "bolt+s"]),
    host=st.one_of(words, st.just("127.0.0.1"), st.just("::1")),
    port=st.integers(1, 65535),
    database=st.one_of(st.just(""), names),
    user=st.one_of(st.just(""), words),
    password=st.one_of(st.just(""), words.map("env:{}".format), words.map("file:/run/{}".format)),
)


@given(targets)
def test_what_is_written_is_read_again(target: ServerTarget) -> None:
    assert is_server_target(str(target))
    assert ServerTarget.parse(str(target)) == target


def test_the_port_and_the_database_may_be_left_out() -> None:
    target = ServerTarget.parse("neo4j://db.example")
    assert (target.address, target.database) == ("neo4j://db.example:7687", "")
    assert target.place == ServerTarget.parse("bolt://ann@DB.example:7687/").place


def test_two_names_of_one_database_have_one_place() -> None:
    one = ServerTarget.parse("neo4j://127.0.0.1:7687/Docs")
    other = ServerTarget.parse("neo4j+s://ann@127.0.0.1/docs?password=env:SECRET")
    assert one.place == other.place
    assert one.place != ServerTarget.parse("neo4j://127.0.0.1:7688/docs").place


@pytest.mark.parametrize(
    "text",
    [
        "http://host",
        "neo4j://",
        "neo4j://host:port",
        "neo4j://host:70000",
        "neo4j://host/system",
        "neo4j://host/SYSTEM",
        "neo4j://host/a",
        "neo4j://host/two/parts",
        "neo4j://host/docs?password=hunter2",
        "neo4j://host/docs?encrypted=1",
        "neo4j://host/docs#part",
        "neo4j://host/`x`",
    ],
)
def test_what_is_no_target_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        ServerTarget.parse(text)


@pytest.mark.parametrize(
    "text", ["neo4j://ann:hunter2@host/docs", "neo4j://host/docs?password=hunter2"]
)
def test_a_password_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        ServerTarget.parse(text)
    assert "hunter2" not in caught.value.message
    assert "hunter2" not in str(caught.value.fields)


@given(st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,80}", fullmatch=True))
def test_every_name_becomes_a_database_that_the_server_does_not_own(name: str) -> None:
    database = database_name(name)
    assert database not in {"system", "neo4j"}
    parsed = ServerTarget.parse(f"neo4j://host/{database}")
    assert parsed.database == database


def test_a_file_is_no_server() -> None:
    assert not is_server_target("sqlite:kb/Docs.db")
    assert not is_server_target("neo4j")
