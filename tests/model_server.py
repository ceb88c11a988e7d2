"""A scripted model behind OpenAI's protocol, on loopback: it says what a test tells it to."""

from __future__ import annotations

import json
import random
import select
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = Mapping[str, Any]


class Fault(StrEnum):
    """The ways in which a server misbehaves."""

    TOO_MANY = "429"
    BROKEN = "500"
    SILENCE = "timeout"
    RESET = "reset"
    MALFORMED = "malformed"
    TRUNCATED = "truncated tool call"
    ENDLESS = "endless stream"
    HUGE = "50 MB"


@dataclass(frozen=True)
class Say:
    """A reply: tool calls, plain words, a bare status, raw bytes in place of JSON, or a fault."""

    calls: Sequence[tuple[str, object]] = ()
    text: str = ""
    status: int = 200
    raw: bytes | None = None
    truncated: bool = False
    fault: Fault | None = None


Script = Callable[[Body], Say]


@dataclass
class ModelServer:
    """The server's address, every request it got, and when a caller hung up on its silence."""

    base_url: str
    requests: list[Body] = field(default_factory=list)
    hung_up: list[float] = field(default_factory=list)


def returns_of(body: Body) -> list[Any]:
    """Return what the tools gave so far, as the model sees it."""
    told = [m["content"] for m in body["messages"] if m["role"] == "tool"]
    return [_json(content) for content in told]


def evidence_of(body: Body) -> list[dict[str, Any]]:
    """Return the passages that the tools gave so far."""
    return [
        item
        for told in returns_of(body)
        if isinstance(told, dict)
        for item in told.get("evidence", [])
    ]


def output_tool(body: Body) -> str:
    """Return the name of the tool by which the typed output is handed in."""
    names: list[str] = [tool["function"]["name"] for tool in body["tools"]]
    return next(name for name in names if name.startswith("final"))


def output_schema(body: Body) -> dict[str, Any]:
    """Return the schema of the typed output that is asked for."""
    name = output_tool(body)
    found = next(one["function"] for one in body["tools"] if one["function"]["name"] == name)
    schema: dict[str, Any] = found["parameters"]
    return schema


def hand_in(body: Body, *sentences: tuple[str, list[str]], missing: Sequence[str] = ()) -> Say:
    """Return the reply that hands in an answer."""
    drafts = [{"text": text, "evidence_ids": ids} for text, ids in sentences]
    return Say(calls=[(output_tool(body), {"sentences": drafts, "missing": list(missing)})])


def misbehaving(script: Script, share: float, *, seed: int) -> tuple[Script, Counter[Fault]]:
    """Return a script that fails in a share of its replies, each fault as likely, and its count."""
    chance, count, lock = random.Random(seed), Counter[Fault](), threading.Lock()

    def faulty(body: Body) -> Say:
        with lock:
            fault = chance.choice(list(Fault)) if chance.random() < share else None
            if fault is not None:
                count[fault] += 1
        said = script(body)
        if fault is Fault.TRUNCATED:
            return replace(said, truncated=True)
        return replace(said, fault=fault)

    return faulty, count


@contextmanager
def model_server(script: Script) -> Iterator[ModelServer]:
    """Serve `/v1/chat/completions` by a script while the block runs."""
    seen = ModelServer(base_url="")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            body = json.loads(self.rfile.read(size))
            seen.requests.append(body)
            said = script(body)
            if said.fault is not None:
                self.close_connection = True
                with suppress(OSError):
                    _FAULTS[said.fault](self, seen)
                return
            with suppress(BrokenPipeError, ConnectionResetError):  # whoever asked has gone away
                self.reply(body, said)

        def reply(self, body: Body, said: Say) -> None:
            if body.get("stream"):
                self.stream(body, said)
                return
            data = said.raw if said.raw is not None else _completion(body, said)
            self.send_response(said.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def stream(self, body: Body, said: Say) -> None:
            self.close_connection = True
            self.send_response(said.status)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for chunk in _chunks(body, said):
                self.wfile.write(f"data: {chunk}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    seen.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


_RESETS = struct.pack("ii", 1, 0)
_MEGABYTE = b" " * 1024 * 1024


def _plain(status: int, body: bytes) -> Callable[[BaseHTTPRequestHandler, ModelServer], None]:
    def reply(handler: BaseHTTPRequestHandler, seen: ModelServer) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        if status == 429:
            handler.send_header("Retry-After", "0.1")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return reply


def _silent(handler: BaseHTTPRequestHandler, seen: ModelServer) -> None:
    """Say nothing until the caller hangs up."""
    waiting = select.poll()  # select() knows no descriptor beyond 1,023
    waiting.register(handler.connection, select.POLLIN)
    if waiting.poll(60_000) and not handler.connection.recv(1, socket.MSG_PEEK):
        seen.hung_up.append(time.monotonic())


def _reset(handler: BaseHTTPRequestHandler, seen: ModelServer) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESETS)
    handler.connection.close()


def _endless(handler: BaseHTTPRequestHandler, seen: ModelServer) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    for _ in range(1200):
        handler.wfile.write(b" ")
        time.sleep(0.05)


def _huge(handler: BaseHTTPRequestHandler, seen: ModelServer) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(50 * len(_MEGABYTE)))
    handler.end_headers()
    for _ in range(50):
        handler.wfile.write(_MEGABYTE)


_FAULTS: Mapping[Fault, Callable[[BaseHTTPRequestHandler, ModelServer], None]] = {
    Fault.TOO_MANY: _plain(429, b"{}"),
    Fault.BROKEN: _plain(500, b"{}"),
    Fault.SILENCE: _silent,
    Fault.RESET: _reset,
    Fault.MALFORMED: _plain(200, b'{"choices": [{"message": '),
    Fault.ENDLESS: _endless,
    Fault.HUGE: _huge,
}


def _chunks(body: Body, said: Say) -> Iterator[str]:
    """Yield a reply as the pieces of a stream: its message, then how it ended."""
    whole = json.loads(_completion(body, said))
    choice = whole["choices"][0]
    calls = choice["message"].get("tool_calls", [])
    delta = {**choice["message"]}
    if calls:
        delta["tool_calls"] = [{"index": n, **call} for n, call in enumerate(calls)]
    for piece, reason in ((delta, None), ({}, choice["finish_reason"])):
        part = {"index": 0, "delta": piece, "finish_reason": reason}
        yield json.dumps({**whole, "object": "chat.completion.chunk", "choices": [part]})


def _completion(body: Body, said: Say) -> bytes:
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
    if said.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{number}",
                "type": "function",
                "function": {"name": name, "arguments": _arguments(args, said)},
            }
            for number, (name, args) in enumerate(said.calls)
        ]
    reply = {
        "id": "reply",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls" if said.calls else "stop",
                "message": message,
            }
        ],
        "usage": {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12},
    }
    return json.dumps(reply).encode()


def _arguments(args: object, said: Say) -> str:
    text = json.dumps(args)
    return text[: len(text) // 2] if said.truncated else text


def _json(content: Any) -> Any:
    try:
        return json.loads(content)
    except (TypeError, ValueError):
        return content
