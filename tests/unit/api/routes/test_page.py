"""The page's files: how they are served, and what must not stand in them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from weft.api.edge.problems import STATUS, add_problems
from weft.api.routes.page import FOLDER, page_files, router
from weft.domain.event import EventType
from weft.domain.notes import KOREAN, NOTES
from weft.flows.catalog import FLOWS, FlowCatalog

SCRIPTS = sorted(FOLDER.rglob("*.js"))


@pytest.fixture(scope="module")
def client() -> TestClient:
    app = FastAPI()
    app.include_router(router)
    add_problems(app)
    return TestClient(app)


def table(name: str) -> dict[str, str]:
    """Return the texts of one language."""
    source = (FOLDER / f"{name}.js").read_text(encoding="utf-8")
    return dict(re.findall(r'^  (\w+): "(.*)",$', source, flags=re.M))


def test_every_file_is_served_under_the_policy(client: TestClient) -> None:
    for name in page_files():
        reply = client.get("/" if name == "index.html" else f"/page/{name}")
        policy = reply.headers["content-security-policy"]
        assert reply.status_code == 200
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["cache-control"] == "no-cache"


def test_a_browser_that_has_a_file_gets_no_second_copy(client: TestClient) -> None:
    first = client.get("/page/app.js")
    for tag in (first.headers["etag"], first.headers["etag"].removeprefix("W/")):
        again = client.get("/page/app.js", headers={"If-None-Match": tag})
        assert (again.status_code, again.content) == (304, b"")
    other = client.get("/page/app.js", headers={"If-None-Match": '"another"'})
    assert other.content == first.content


@pytest.mark.parametrize(
    ("taken", "is_packed"),
    [
        ("gzip, deflate, br", True),
        ("br;q=1.0, gzip;q=0.8", True),
        ("", False),
        ("identity", False),
        ("gzip;q=0", False),
        ("gzip; q=0.0, br", False),
    ],
)
def test_a_file_is_packed_for_whoever_takes_it_so(
    client: TestClient, taken: str, *, is_packed: bool
) -> None:
    reply = client.get("/page/app.js", headers={"Accept-Encoding": taken})
    assert (reply.headers.get("content-encoding") == "gzip") is is_packed
    assert reply.headers["vary"] == "Accept-Encoding"
    assert reply.content == (FOLDER / "app.js").read_bytes()
    assert (int(reply.headers["content-length"]) < len(reply.content)) is is_packed


def test_every_module_is_asked_for_at_once() -> None:
    markup = (FOLDER / "index.html").read_text(encoding="utf-8")
    named = re.findall(r'<link rel="modulepreload" href="page/([^"]+)">', markup)
    others = {"app.js", "theme.js"}
    assert named == sorted({path.relative_to(FOLDER).as_posix() for path in SCRIPTS} - others)


def test_head_tells_what_get_would(client: TestClient) -> None:
    assert client.head("/").headers["etag"] == client.get("/").headers["etag"]


@pytest.mark.parametrize("name", ["nothing.js", "..%2Fpage.py", "%2e%2e/page.py", "index.html/x"])
def test_no_other_name_leads_to_a_file(client: TestClient, name: str) -> None:
    assert client.get(f"/page/{name}").status_code == 404


def test_the_page_is_self_contained() -> None:
    for path in filter(Path.is_file, FOLDER.rglob("*")):
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"""(src|href|url|from|import)\W{1,3}(https?:)?//""", text), path.name


def test_no_script_makes_markup_of_text() -> None:
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function"
    for path in SCRIPTS:
        assert not re.search(forbidden, path.read_text(encoding="utf-8")), path.name


def test_nothing_in_the_page_needs_an_inline_permission() -> None:
    markup = (FOLDER / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", markup)


def test_every_import_names_a_file() -> None:
    for path in SCRIPTS:
        for name in re.findall(r'from "([^"]+)"', path.read_text(encoding="utf-8")):
            found = (path.parent / name).resolve()
            assert found.is_relative_to(FOLDER), f"{path.name}: {name}"
            assert found.is_file(), f"{path.name}: {name}"


def test_both_languages_say_the_same_things() -> None:
    english, korean = table("english"), table("korean")
    assert list(english) == list(korean)
    for key, said in english.items():
        holes = set(re.findall(r"\{\w+\}", said))
        told = set(re.findall(r"\{\w+\}", korean[key]))
        # What the service says of a note or an error is English; Korean goes by the code.
        assert told <= holes if key.startswith(("note_", "error_")) else told == holes, key


def test_every_code_that_the_service_tells_has_its_texts() -> None:
    english = table("english")
    assert {f"note_{code}" for code in NOTES} <= set(english)
    for code, said in NOTES.items():
        assert english[f"note_{code}"] == said
    korean = table("korean")
    assert all(korean[f"note_{code}"] == said for code, said in KOREAN.items())
    shown = {kind.code for kind, _ in STATUS} | {"weft_error", "too_large"}
    assert {f"error_{code}" for code in shown - {"unauthenticated"}} <= set(english)
    steps = {EventType.NODE_STARTED, EventType.NODE_FINISHED, EventType.NODE_FAILED}
    assert {f"event_{kind}" for kind in set(EventType) - steps} <= set(english)


def test_what_an_agent_does_is_told_in_the_language_of_the_page() -> None:
    english, korean = table("english"), table("korean")
    for name in (flow.name for flow in FLOWS):
        assert english[f"agent_{name}"] == FlowCatalog().find(name).summary
        assert re.search("[가-힣]", korean[f"agent_{name}"])


def test_every_text_that_is_named_is_in_the_table() -> None:
    english = table("english")
    markup = (FOLDER / "index.html").read_text(encoding="utf-8")
    named = set(re.findall(r'data-(?:text|label|placeholder)="(\w+)"', markup))
    for path in SCRIPTS:
        source = path.read_text(encoding="utf-8")
        named |= set(re.findall(r'(?:say|label): \[?"(\w+)"', source))
        named |= set(re.findall(r'announce\("(\w+)"', source))
    assert named <= set(english), named - set(english)
