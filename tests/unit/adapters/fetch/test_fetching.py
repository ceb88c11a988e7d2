"""The fetcher against servers that misbehave, names that change, and redirects to the inside."""

from __future__ import annotations

import asyncio
import gzip
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from unit.adapters.fetch.raw_server import (
    Answer,
    Names,
    RawServer,
    certificates,
    redirect,
    says,
    serving,
    sound,
)
from weft.adapters.fetch.allow_list import read_allow_list
from weft.adapters.fetch.exchange import FetchLimits
from weft.adapters.fetch.fetching import SafeFetcher, trusted
from weft.adapters.sql.records import Records, open_records
from weft.domain.errors import (
    BadInput,
    ConfigurationError,
    FetchFailed,
    FetchRefused,
    TooManyRequests,
)
from weft.platform.identity import local_owner, operator
from weft.platform.time import SystemClock
from weft.ports.fetching import FetchRequest
from weft.ports.records.audit import AuditDecision, Phase

LIMITS = FetchLimits(body_bytes=100_000, header_bytes=8_000, connect_s=5, read_s=5, total_s=10)
HERE = ["127.0.0.1"]
SCOPE = local_owner()
Build = Callable[..., SafeFetcher]


@pytest.fixture
async def records(tmp_path: Path) -> AsyncIterator[Records]:
    opened = open_records(
        f"sqlite:///{tmp_path / 'a.db'}", audit_key=b"k" * 32, clock=SystemClock()
    )
    yield opened
    await opened.close()


@pytest.fixture
async def build(records: Records) -> AsyncIterator[Build]:
    """Return a maker of fetchers that may reach some servers under some names."""
    made: list[SafeFetcher] = []

    def fetcher(
        *servers: tuple[str, RawServer],
        names: Names | None = None,
        limits: FetchLimits = LIMITS,
        tls: ssl.SSLContext | None = None,
    ) -> SafeFetcher:
        allowed = ",".join(f"{name}:{server.port}" for name, server in servers)
        spelled = {name.replace(".", "_"): [HERE] for name, _ in servers}
        found = SafeFetcher(
            records.audit,
            read_allow_list(allowed, own_tenant="local"),
            limits=limits,
            tls=tls or trusted(),
            resolve=names or Names(**spelled),
        )
        made.append(found)
        return found

    yield fetcher
    for each in made:
        each.close()


def asked(name: str, server: RawServer, path: str = "/", **more: Any) -> FetchRequest:
    return FetchRequest(url=f"http://{name}:{server.port}{path}", **more)


async def outcomes(records: Records) -> list[tuple[str, AuditDecision, str, dict[str, object]]]:
    rows = [row.entry for row in await records.audit.rows(SCOPE)]
    intents = {row.intent_id for row in rows if row.phase is Phase.INTENT}
    ended = [row for row in rows if row.phase is Phase.OUTCOME]
    assert intents == {row.intent_id for row in ended}
    return [(row.deed.target, row.decision, row.reason, dict(row.deed.meta)) for row in ended]


async def test_a_reply_is_whole_and_unpacked_and_audited(build: Build, records: Records) -> None:
    packed = gzip.compress(b'{"a": 1}')
    reply = sound(packed, "Content-Type: application/JSON; charset=x", "Content-Encoding: gzip")
    async with serving(says(reply)) as server:
        found = await build(("a.corp", server)).fetch(
            SCOPE,
            asked(
                *("a.corp", server, "/x?y=1"),
                method="POST",
                body=b"{}",
                headers={"Authorization": "Bearer word", "X-Mine": "1"},
                content_types=frozenset({"application/json"}),
            ),
        )
        origin = f"http://a.corp:{server.port}"
        assert (found.url, found.status, found.body) == (f"{origin}/x?y=1", 200, b'{"a": 1}')
        assert found.content_type == "application/json"
        assert "content-encoding" not in found.headers
        head = server.heads[0].lower()
        assert head.startswith("post /x?y=1 http/1.1\r\n")
        assert f"\r\nhost: a.corp:{server.port}\r\n" in head
        assert "\r\nauthorization: bearer word\r\n" in head
        assert "\r\naccept-encoding: gzip\r\n" in head
        assert server.bodies == [b"{}"]
    told = {"method": "POST", "sent": 2, "status": 200, "received": len(packed)}
    assert await outcomes(records) == [(origin, AuditDecision.OK, "", told)]


@pytest.mark.parametrize(
    "addresses",
    [
        *(["127.0.0.1"], ["10.0.0.1"], ["169.254.169.254"], ["100.64.0.1"], ["0.0.0.0"], ["::1"]),
        *(["::ffff:127.0.0.1"], ["64:ff9b::7f00:1"], ["2002:7f00:1::"], ["::127.0.0.1"]),
        *(["fe80::1%lo"], ["fd00::1"], ["224.0.0.1"], ["1.1.1.1", "10.0.0.1"], ["no address"], []),
        *(["2606:4700::1111", "::1"], ["1.1.1.1", "fe80::1%lo"]),
    ],
)
async def test_a_name_of_the_inside_is_refused_unconnected(
    build: Build, records: Records, addresses: list[str]
) -> None:
    async with serving(says(sound())) as server:
        names = Names(a_example=[addresses])
        fetcher = build(names=names)
        # The name of b is unknown: it is refused in the same words.
        for name in ("a.example", "b.example"):
            with pytest.raises(FetchRefused) as caught:
                await fetcher.fetch(SCOPE, FetchRequest(url=f"https://{name}/"))
            assert caught.value.fields == {"reason": "not_public"}
            assert caught.value.message == f"The host '{name}' is not known as a public host."
        assert server.calls == 0
    assert {row[1:3] for row in await outcomes(records)} == {(AuditDecision.DENIED, "not_public")}


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::]", "0.0.0.0", "169.254.169.254"),
        *("[64:ff9b::7f00:1]", "[fe80::1]", "127。0。0。1", "255.255.255.255"),
    ],
)
async def test_an_address_of_the_inside_is_refused(build: Build, host: str) -> None:
    names = Names()
    with pytest.raises(FetchRefused):
        await build(names=names).fetch(SCOPE, FetchRequest(url=f"http://{host}/"))
    assert names.asked == []


async def test_localhost_is_what_the_system_says_it_is(records: Records) -> None:
    fetcher = SafeFetcher(
        records.audit, read_allow_list("", own_tenant="local"), limits=LIMITS, tls=trusted()
    )
    with pytest.raises(FetchRefused, match="not known as a public host"):
        await fetcher.fetch(SCOPE, FetchRequest(url="http://localhost/"))
    fetcher.close()


async def test_only_the_tenant_that_was_allowed_gets_in(build: Build, records: Records) -> None:
    async with serving(says(sound())) as server:
        fetcher = build(("a.corp", server))
        assert (await fetcher.fetch(SCOPE, asked("a.corp", server))).body == b"hello"
        with pytest.raises(FetchRefused) as caught:
            await fetcher.fetch(operator("acme"), asked("a.corp", server))
        assert caught.value.fields == {"reason": "port"}
        assert server.calls == 1
    rows = await records.audit.rows(operator("acme"))
    assert [row.entry.decision for row in rows] == [AuditDecision.PENDING, AuditDecision.DENIED]


async def test_a_name_is_looked_up_once_and_the_answer_is_what_is_connected_to(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up: list[object] = []
    known = socket.getaddrinfo

    def look_up(host: Any, *args: Any, **options: Any) -> Any:
        looked_up.append(host)
        return known(host, *args, **options)

    async with serving(says(sound())) as server:
        # Whoever asked a second time would be led away.
        names = Names(a_corp=[HERE, ["169.254.169.254"]])
        fetcher = build(("a.corp", server), names=names)
        monkeypatch.setattr(socket, "getaddrinfo", look_up)
        assert (await fetcher.fetch(SCOPE, asked("a.corp", server))).body == b"hello"
        assert names.asked == ["a.corp"]
        assert "a.corp" not in {str(host) for host in looked_up}
        with pytest.raises(FetchRefused):
            await fetcher.fetch(SCOPE, asked("a.corp", server))
        assert server.calls == 1


async def test_a_redirect_is_looked_up_and_checked_again(build: Build) -> None:
    async with serving(redirect("/two"), says(sound())) as server:
        names = Names(a_corp=[HERE, ["169.254.169.254"]])
        with pytest.raises(FetchRefused, match="not known as a public host"):
            await build(("a.corp", server), names=names).fetch(SCOPE, asked("a.corp", server))
        assert names.asked == ["a.corp", "a.corp"]
        assert server.calls == 1


async def test_a_redirect_to_an_allowed_server_leaves_what_is_secret_behind(
    build: Build, records: Records
) -> None:
    async with serving(says(sound(b"there"))) as there:
        to = f"http://b.corp:{there.port}/x#part"
        async with serving(redirect("/two", "301 Moved"), redirect(to, "307 Moved")) as here:
            fetcher = build(("a.corp", here), ("b.corp", there))
            headers = {"Authorization": "word", "Cookie": "c", "X-Key": "k", "Accept": "text/a"}
            found = await fetcher.fetch(SCOPE, asked("a.corp", here, headers=headers))
            assert (found.url, found.body) == (f"http://b.corp:{there.port}/x", b"there")
            assert "authorization: word" in here.heads[1].lower()
            told = there.heads[0].lower()
            assert "accept: text/a" in told
            assert not [name for name in ("authorization", "cookie", "x-key") if name in told]
    targets = [row[0] for row in await outcomes(records)]
    assert targets == [f"http://a.corp:{here.port}"] * 2 + [f"http://b.corp:{there.port}"]


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        *((f"http://{host}/", "not_public") for host in ("127.0.0.1", "169.254.169.254", "[::1]")),
        ("http://a.corp:22/", "port"),
        *(("file:///etc/passwd", "redirect"), ("http://0x7f.1/", "redirect")),
        *(("http://u:p@a.corp/", "redirect"), ("http://2130706433/", "redirect")),
        ("gopher://127.0.0.1:6379/_FLUSHALL", "redirect"),
    ],
)
async def test_a_redirect_to_the_inside_is_refused_and_audited(
    build: Build, records: Records, location: str, reason: str
) -> None:
    async with serving(redirect(location)) as server:
        with pytest.raises(FetchRefused) as caught:
            await build(("a.corp", server)).fetch(SCOPE, asked("a.corp", server))
        assert caught.value.fields == {"reason": reason}
        assert server.calls == 1
    assert (await outcomes(records))[-1][1:3] == (AuditDecision.DENIED, reason)


async def test_redirects_without_end_are_given_up(build: Build) -> None:
    async with serving(redirect("/again")) as server:
        with pytest.raises(FetchFailed, match="from redirect to redirect"):
            await build(("a.corp", server)).fetch(SCOPE, asked("a.corp", server))
        assert server.calls == LIMITS.redirects + 1


async def test_a_change_is_not_sent_on(build: Build) -> None:
    async with serving(redirect("/again", "307 Moved")) as server:
        with pytest.raises(FetchRefused, match="not just for reading"):
            await build(("a.corp", server)).fetch(
                SCOPE, asked("a.corp", server, method="POST", body=b"x")
            )
        assert server.calls == 1


def dripping(head: bytes, piece: bytes, pause: float) -> Answer:
    """Return an answer that goes on for as long as somebody listens."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while not writer.is_closing():
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    return answer


async def silent(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(60)


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
BOMB = gzip.compress(bytes(50_000_000), 9)
TOO_LONG = sound(b"x" * 100_001)
MISBEHAVIOUR: dict[str, tuple[Answer, str]] = {
    "an endless body": (dripping(OK + b"\r\n", b"x" * 9999, 0), "too_large"),
    "endless chunks": (dripping(CHUNKED, b"5\r\nxxxxx\r\n" * 999, 0), "too_large"),
    "a drip": (dripping(OK + b"Content-Length: 999\r\n\r\n", b"x", 0.01), "timeout"),
    "a drip of headers": (dripping(OK, b"A: b\r\n", 0.01), "timeout"),
    "endless headers": (dripping(OK, b"A: " + b"b" * 9999 + b"\r\n", 0), "bad_reply"),
    "endless early hints": (dripping(b"", b"HTTP/1.1 103 E\r\n\r\n", 0), "timeout"),
    "silence": (silent, "timeout"),
    "a bomb": (says(sound(BOMB, "Content-Encoding: gzip")), "too_large"),
    "a larger length": (says(TOO_LONG), "too_large"),
    "a length beyond numbers": (
        says(OK + b"Content-Length: " + b"9" * 18 + b"\r\n\r\n"),
        "too_large",
    ),
    "many headers": (says(sound(b"", *(f"A{n}: {'x' * 50}" for n in range(200)))), "too_large"),
    "a length too large by one": (says(OK + b"Content-Length: 6\r\n\r\nhello"), "bad_reply"),
    "two lengths": (says(sound(b"hello", "Content-Length: 4")), "bad_reply"),
    "garbage for a chunk": (says(CHUNKED + b"zz\r\nhello\r\n0\r\n\r\n"), "bad_reply"),
    "a chunk without an end": (says(CHUNKED + b"5\r\nhello"), "bad_reply"),
    "no HTTP": (says(b"SSH-2.0-OpenSSH\r\n"), "bad_reply"),
    "an end at once": (says(b""), "bad_reply"),
    "half a compressed body": (
        says(sound(gzip.compress(b"hello")[:-3], "Content-Encoding: gzip")),
        "bad_reply",
    ),
    "another compression": (says(sound(b"x", "Content-Encoding: br")), "bad_reply"),
    "two redirects": (
        says(sound(b"", "Location: /a", "Location: /b", status="302 Found")),
        "bad_reply",
    ),
    "another protocol": (
        says(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
        "bad_reply",
    ),
    "another type": (says(sound(b"<html>", "Content-Type: text/html")), "content_type"),
    "no type": (says(sound(b"<html>")), "content_type"),
}


@pytest.mark.parametrize("name", MISBEHAVIOUR)
async def test_a_server_that_misbehaves_is_given_up(
    build: Build, records: Records, name: str
) -> None:
    answer, reason = MISBEHAVIOUR[name]
    limits = FetchLimits(body_bytes=100_000, header_bytes=8_000, total_s=0.5)
    limits = limits if reason == "timeout" else LIMITS
    types = frozenset({"application/json"}) if reason == "content_type" else frozenset[str]()
    async with serving(answer) as server:
        fetcher = build(("a.corp", server), limits=limits)
        with pytest.raises(FetchFailed) as caught:
            await fetcher.fetch(SCOPE, asked("a.corp", server, content_types=types))
        assert caught.value.fields == {"reason": reason}
        assert "127.0.0.1" not in caught.value.message
        assert caught.value.__cause__ is None
    [(_, decision, code, meta)] = await outcomes(records)
    assert (decision, code, meta["reason"]) == (AuditDecision.FAILED, "fetch_failed", reason)


async def test_what_a_server_sends_after_its_reply_is_nobody_s(build: Build) -> None:
    async with serving(says(sound(b"one") + sound(b"two"))) as server:
        fetcher = build(("a.corp", server))
        for _ in range(2):
            assert (await fetcher.fetch(SCOPE, asked("a.corp", server))).body == b"one"
        assert server.calls == 2


async def test_a_request_can_ask_for_less(build: Build) -> None:
    async with serving(says(sound(b"x" * 50)), silent) as server:
        fetcher = build(("a.corp", server))
        with pytest.raises(FetchFailed, match="too large"):
            await fetcher.fetch(SCOPE, asked("a.corp", server, most_bytes=49))
        with pytest.raises(FetchFailed, match="in time"):
            await fetcher.fetch(SCOPE, asked("a.corp", server, seconds=0.2))


async def test_head_has_no_body_whatever_its_length(build: Build) -> None:
    async with serving(says(OK + b"Content-Length: 999999999\r\n\r\n")) as server:
        found = await build(("a.corp", server)).fetch(SCOPE, asked("a.corp", server, method="HEAD"))
        assert (found.status, found.body) == (200, b"")


async def test_an_error_is_a_reply_of_whatever_type(build: Build) -> None:
    reply = sound(b"no", "Content-Type: text/plain", "Set-Cookie: a=b", status="404 Not Found")
    async with serving(says(reply)) as server:
        found = await build(("a.corp", server)).fetch(
            SCOPE, asked("a.corp", server, content_types=frozenset({"application/json"}))
        )
        assert (found.status, found.body, found.headers) == (
            *(404, b"no"),
            {"content-type": "text/plain"},
        )


async def test_the_next_address_is_tried_where_one_does_not_answer(build: Build) -> None:
    async with serving(says(sound())) as server:
        names = Names(a_corp=[["::1", "127.0.0.1"]])
        found = await build(("a.corp", server), names=names).fetch(SCOPE, asked("a.corp", server))
        assert found.body == b"hello"
    names = Names(a_corp=[["127.0.0.1", "::1"]])
    with pytest.raises(FetchFailed, match="does not answer"):
        await build(("a.corp", server), names=names).fetch(SCOPE, asked("a.corp", server))


async def fetched_by_tls(
    build: Build, folder: Path, *names: str, days: int = 1, trust: bool = True
) -> RawServer:
    """Fetch `https://a.corp` from a server that shows a certificate for some names."""
    shown = certificates(folder, *names, days=days)
    async with serving(says(sound()), tls=shown.server) as server:
        fetcher = build(("a.corp", server), tls=trusted(shown.authority if trust else None))
        url = f"https://a.corp:{server.port}/"
        assert (await fetcher.fetch(SCOPE, FetchRequest(url=url))).body == b"hello"
    return server


async def test_a_certificate_must_be_for_the_name_of_the_url(build: Build, tmp_path: Path) -> None:
    server = await fetched_by_tls(build, tmp_path, "a.corp")
    assert f"host: a.corp:{server.port}" in server.heads[0].lower()


@pytest.mark.parametrize(
    ("names", "days", "trust"),
    [
        (["b.corp"], 1, True),
        # The address that is connected to is not what the certificate is for.
        (["127.0.0.1"], 1, True),
        (["a.corp"], -1, True),
        (["a.corp"], 1, False),
    ],
)
async def test_a_wrong_certificate_is_no_connection(
    build: Build, tmp_path: Path, names: Sequence[str], days: int, trust: bool
) -> None:
    with pytest.raises(FetchFailed, match="no certificate that is good"):
        await fetched_by_tls(build, tmp_path, *names, days=days, trust=trust)


async def test_https_does_not_lead_to_http(build: Build, tmp_path: Path) -> None:
    shown = certificates(tmp_path, "a.corp")
    async with serving(says(sound())) as plain:
        answer = redirect(f"http://b.corp:{plain.port}/")
        async with serving(answer, tls=shown.server) as server:
            fetcher = build(("a.corp", server), ("b.corp", plain), tls=trusted(shown.authority))
            with pytest.raises(FetchRefused, match="from https to http"):
                await fetcher.fetch(SCOPE, FetchRequest(url=f"https://a.corp:{server.port}/"))
        assert plain.calls == 0


def test_a_file_of_certificates_that_holds_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("nothing")
    for name in ("empty.pem", "absent.pem"):
        with pytest.raises(ConfigurationError, match=name):
            trusted(tmp_path / name)


async def test_the_environment_has_no_say(
    build: Build, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine a.corp login l password word")
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.setenv("NETRC", str(netrc))
    async with serving(says(sound())) as server:
        found = await build(("a.corp", server)).fetch(SCOPE, asked("a.corp", server))
        assert found.body == b"hello"
        assert "authorization" not in server.heads[0].lower()


@pytest.mark.parametrize(
    "wrong",
    [
        {"method": "CONNECT"},
        {"method": "get"},
        {"body": b"x"},
        *({"headers": {name: "x"}} for name in ("Host", "content-length", "Proxy-Authorization")),
        *(
            {"headers": {name: "x"}}
            for name in ("Transfer-Encoding", "", "a b", "a:", "ä", "a\r\n")
        ),
        *({"headers": {"a": value}} for value in ("x\r\nb: c", "x\0", "ä", "x" * 9000)),
        {"headers": {f"a{n}": "" for n in range(51)}},
        {"url": "ftp://a.corp/"},
    ],
)
async def test_a_request_that_cannot_be_sent_is_not(
    build: Build, records: Records, wrong: dict[str, Any]
) -> None:
    with pytest.raises(BadInput):
        await build().fetch(SCOPE, FetchRequest(**{"url": "http://a.example/", **wrong}))
    assert await outcomes(records) == []


async def test_a_tenant_waits_for_its_turn_and_no_longer(build: Build) -> None:
    async with serving(*[silent] * 8, says(sound())) as server:
        fetcher = build(("a.corp", server))
        waiting = [
            asyncio.create_task(fetcher.fetch(SCOPE, asked("a.corp", server))) for _ in range(8)
        ]
        for _ in waiting:
            await server.arrivals.get()
        with pytest.raises(TooManyRequests):
            await fetcher.fetch(SCOPE, asked("a.corp", server, seconds=0.2))
        for each in waiting:
            each.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        assert (await fetcher.fetch(SCOPE, asked("a.corp", server))).body == b"hello"


async def test_a_fetch_that_is_cancelled_is_in_the_log(build: Build, records: Records) -> None:
    async with serving(silent) as server:
        running = asyncio.create_task(
            build(("a.corp", server)).fetch(SCOPE, asked("a.corp", server))
        )
        await server.arrivals.get()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    [(_, decision, reason, _)] = await outcomes(records)
    assert (decision, reason) == (AuditDecision.FAILED, "cancelled")
