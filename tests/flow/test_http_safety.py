"""The service's gate and frame: who comes in, from where, with what."""

from __future__ import annotations

import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import cast

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send
from typer.testing import CliRunner

from flow.http_world import served, workspace
from weft.api.app import build
from weft.api.routes.reference import reference_page
from weft.cli.verbs import command_line
from weft.config import load_settings
from weft.platform.people.browser_sessions import LIFE_SECONDS
from weft.platform.people.invitation import invite, redeem


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return workspace(tmp_path_factory.mktemp("safety"))


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[TestClient]:
    with served(home) as opened:
        yield opened


@pytest.fixture
def browser(client: TestClient) -> Iterator[TestClient]:
    """Return a client of the same service without the token."""
    token = client.headers.pop("Authorization")
    client.cookies.clear()
    yield client
    client.cookies.clear()
    client.headers["Authorization"] = token


def cookie_of(client: TestClient) -> str:
    """Return the name of the cookie of the service that a client talks to."""
    name: str = cast("FastAPI", client.app).state.gate.cookie_name({"server": ("testserver", 80)})
    return name


def signed_in(browser: TestClient, home: Path) -> str:
    """Let a browser in and return what it keeps."""
    browser.get("/", params={"key": invite(home)}, follow_redirects=False)
    return str(browser.cookies[cookie_of(browser)])


def test_a_session_that_was_signed_out_is_worth_nothing(browser: TestClient, home: Path) -> None:
    kept = signed_in(browser, home)
    own = {"Sec-Fetch-Site": "same-origin"}
    assert browser.post("/v1/sign-out", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert browser.get("/v1/kb").status_code == 200
    assert browser.post("/v1/sign-out", headers=own).status_code == 204
    assert cookie_of(browser) not in browser.cookies
    browser.cookies.set(cookie_of(browser), kept)
    assert browser.get("/v1/kb").status_code == 401


def test_all_browsers_are_signed_out_at_once(browser: TestClient, home: Path) -> None:
    kept = [signed_in(browser, home) for _ in range(2)]
    words = ["serve", "--sign-out"]
    done = CliRunner().invoke(command_line("serve"), words, env={"WEFT_HOME": str(home)})
    assert done.exit_code == 0
    for value in kept:
        browser.cookies.clear()
        browser.cookies.set(cookie_of(browser), value)
        assert browser.get("/v1/kb").status_code == 401
    browser.cookies.clear()
    kept = [signed_in(browser, home) for _ in range(2)]
    everywhere = browser.post("/v1/sign-out?all=true", headers={"Sec-Fetch-Site": "same-origin"})
    assert everywhere.status_code == 204
    browser.cookies.set(cookie_of(browser), kept[0])
    assert browser.get("/v1/kb").status_code == 401


def test_a_session_that_is_used_goes_on(
    browser: TestClient, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed_in(browser, home)
    assert "set-cookie" not in browser.get("/v1/kb").headers
    now = time.time()
    browsers = cast("FastAPI", browser.app).state.gate._browsers
    monkeypatch.setattr(browsers, "_now", lambda: now + 2 * 3600)
    renewed = browser.get("/v1/kb").headers["set-cookie"].lower()
    assert "httponly" in renewed
    assert f"max-age={LIFE_SECONDS}" in renewed
    monkeypatch.setattr(browsers, "_now", lambda: now + LIFE_SECONDS + 2 * 3600 - 60)
    assert browser.get("/v1/kb").status_code == 200
    monkeypatch.setattr(browsers, "_now", lambda: now + 3 * LIFE_SECONDS)
    assert browser.get("/v1/kb").status_code == 401


def test_an_invitation_opens_the_page_once(browser: TestClient, home: Path) -> None:
    key = invite(home)
    assert browser.get("/v1/kb").status_code == 401
    entry = browser.get("/", params={"key": key}, follow_redirects=False)
    assert (entry.status_code, entry.headers["location"]) == (303, "/")
    cookie = entry.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert browser.get("/v1/kb").status_code == 200
    browser.cookies.clear()
    again = browser.get("/", params={"key": key}, follow_redirects=False)
    assert "set-cookie" not in again.headers
    assert not redeem(home, key)
    assert not redeem(home, "wrong")


def test_a_browsers_change_comes_from_the_own_page(browser: TestClient, home: Path) -> None:
    browser.get("/", params={"key": invite(home)}, follow_redirects=False)
    body = {"question": "Who founded Apollo?"}
    allowed = [{"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://testserver"}]
    refused = [
        {},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "http://evil.example"},
    ]
    assert [browser.post("/ask", json=body, headers=h).status_code for h in allowed] == [200, 200]
    for headers in refused:
        reply = browser.post("/ask", json=body, headers=headers)
        assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")


def test_a_forged_cookie_is_worth_nothing(browser: TestClient) -> None:
    for value in ("x", "9999999999.1.ab.cd", "9999999999...", f"{'9' * 5000}.1.a.b"):
        browser.cookies.set(cookie_of(browser), value)
        assert browser.get("/v1/kb").status_code == 401
        browser.cookies.clear()


def test_every_reply_has_an_id_and_keeps_the_browser_safe(client: TestClient) -> None:
    given = client.get("/health/live", headers={"X-Request-ID": "mine-1"})
    assert given.headers["X-Request-ID"] == "mine-1"
    made = client.get("/nothing", headers={"X-Request-ID": "bad id\t!"})
    assert made.status_code == 404
    assert made.json()["request_id"] == made.headers["X-Request-ID"] != "bad id\t!"
    for reply in (given, made):
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'none'" in reply.headers["Content-Security-Policy"]
        assert "access-control-allow-origin" not in reply.headers


def test_a_body_is_bounded_and_of_a_known_kind(client: TestClient) -> None:
    large = client.post("/ask", json={"question": "x" * (5 * 1024 * 1024)})
    assert (large.status_code, large.json()["code"]) == (413, "too_large")
    form = client.post("/ask", data={"question": "x"})
    assert (form.status_code, form.json()["code"]) == (415, "unsupported_media_type")
    chunked = client.post(
        "/ask",
        content=(b"x" * 65536 for _ in range(100)),
        headers={"Content-Type": "application/json"},
    )
    assert (chunked.status_code, chunked.json()["code"]) == (413, "too_large")
    records = {"records": [{"content": "word " * 300_000}] * 4}
    kept = client.post("/v1/kb/Nothing/documents", json=records)
    assert kept.status_code == 404


def at_loopback(app: ASGIApp) -> ASGIApp:
    """Return an application that is served at this machine's own address."""

    async def served_here(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "server": ("127.0.0.1", 8765)}, receive, send)

    return served_here


def test_a_service_of_this_machine_goes_by_its_own_names(home: Path) -> None:
    app = build(load_settings(home))
    for host, status in (("127.0.0.1", 200), ("localhost", 200), ("evil.example", 421)):
        local = TestClient(at_loopback(app), base_url=f"http://{host}:8765")
        assert local.get("/health/live").status_code == status


def test_only_what_is_public_is_open(browser: TestClient) -> None:
    paths = browser.get("/openapi.json").json()["paths"]
    opened = []
    for path, item in paths.items():
        for method in item:
            place = path.replace("{id}", "x").replace("{doc}", "y")
            if browser.request(method, place, json={}).status_code != 401:
                opened.append(path)
    health = {"/health/live", "/health/ready", "/health/runtime", "/health/batch"}
    # Whoever signs in is not known yet.
    assert set(opened) <= {*health, "/", "/v1/sign-in"}


class _Loaded(HTMLParser):
    """Collects what a browser would load or run of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.running: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.found += [given[name] or "" for name in ("src", "href", "action") if name in given]
        self.running += [name for name in given if name.startswith("on") or name == "style"]
        self.running += [tag] if tag in {"style", "iframe"} else []
        self.running += [tag] if tag == "script" and "src" not in given else []


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_a_page_loads_nothing_from_elsewhere(browser: TestClient, path: str) -> None:
    page = browser.get(path)
    assert page.status_code == 200
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert not {"unsafe-inline", "unsafe-eval", "http:", "https:", "*"} & set(policy.split())
    seen = _Loaded()
    seen.feed(page.text)
    assert not seen.running
    for place in seen.found:
        assert "//" not in place
        assert place.startswith("#") or browser.get(f"/{place}").status_code == 200


def test_the_reference_tells_every_operation_as_text(browser: TestClient) -> None:
    document = browser.get("/openapi.json").json()
    page = browser.get("/docs")
    for path in document["paths"]:
        assert f"<code>{path}</code>" in page.text
    for name in document["components"]["schemas"]:
        assert f'id="{name}"' in page.text
    korean = browser.get("/docs", headers={"Accept-Language": "ko-KR,ko;q=0.9"})
    assert "매개변수" in korean.text
    document["info"]["description"] = document["info"]["title"] = "<script src=//evil.example>"
    assert "<script" not in reference_page(document)


@pytest.mark.parametrize("path", ["/health/live", "/v1/kb", "/v1/me", "/v1/none", "/"])
def test_a_head_is_that_of_the_whole_reply(client: TestClient, path: str) -> None:
    whole, head = client.get(path), client.head(path)
    assert (head.status_code, head.content) == (whole.status_code, b"")
    own = {"x-request-id", "date"}
    assert {k: v for k, v in head.headers.items() if k not in own} == {
        k: v for k, v in whole.headers.items() if k not in own
    }


def test_a_head_opens_nothing_and_lets_nobody_in(browser: TestClient, home: Path) -> None:
    assert browser.head("/v1/kb").status_code == 401
    assert browser.head("/ask").status_code == 405
    key = invite(home)
    assert browser.head("/", params={"key": key}, follow_redirects=False).status_code == 200
    assert redeem(home, key) is not None


def test_the_head_of_a_stream_comes_at_once(client: TestClient, home: Path) -> None:
    run_id = client.post("/ask", json={"question": "Who founded Apollo?"}).json()["run_id"]
    reply = client.head(f"/v1/runs/{run_id}/events")
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert reply.content == b""


def test_what_is_no_json_is_told_by_its_place(client: TestClient) -> None:
    def sent(body: bytes, **headers: str) -> tuple[int, str, str]:
        known = {"Content-Type": "application/json", **headers}
        told = client.post("/v1/search", content=body, headers=known)
        return told.status_code, told.json()["code"], told.json()["detail"]

    assert sent(b'{"query":') == (422, "bad_input", "body: it is no JSON from byte 9 on")
    packed = sent(b"\x1f\x8b", **{"Content-Encoding": "gzip"})
    assert packed[:2] == (415, "unsupported_media_type")
    assert packed[2].startswith("Send the body as it is")
    plain = {"Content-Type": "application/json", "Content-Encoding": "identity"}
    told = client.post("/v1/search", content=b'{"query": "Apollo"}', headers=plain)
    assert told.status_code == 200


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_no_number_of_json_is_refused(client: TestClient, number: str) -> None:
    filters = f'{{"exact": {{"a": {number}}}}}'
    record = f'{{"content": "x", "metadata": {{"a": {number}}}}}'
    bodies = {
        "/v1/search": f'{{"query": "x", "filters": {filters}}}',
        "/v1/kb/Odd/documents": f'{{"records": [{record}]}}',
    }
    client.post("/v1/kb", json={"name": "Odd"})
    for path, body in bodies.items():
        told = client.post(path, content=body, headers={"Content-Type": "application/json"})
        assert told.status_code == 422, told.text
        assert "finite number" in told.json()["detail"]
        assert told.json()["field"].endswith(".a")
