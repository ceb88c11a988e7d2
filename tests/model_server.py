"""A scripted model behind OpenAI's protocol, on loopback: it says what a test tells it to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = Mapping[str, Any]


@dataclass(frozen=True)
class Say:
    """A reply: tool calls, plain words, a bare status, or raw bytes in place of JSON."""

    calls: Sequence[tuple[str, object]] = ()
    text: str = ""
    status: int = 200
    raw: bytes | None = None
    truncated: bool = False


Script = Callable[[Body], Say]


@dataclass
class ModelServer:
    """The server's address and every request it got."""

    base_url: str
    requests: list[Body] = field(default_factory=list)


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


def hand_in(body: Body, *sentences: tuple[str, list[str]], missing: Sequence[str] = ()) -> Say:
    """Return the reply that hands in an answer."""
    drafts = [{"text": text, "evidence_ids": ids} for text, ids in sentences]
    return Say(calls=[(output_tool(body), {"sentences": drafts, "missing": list(missing)})])


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
            data = said.raw if said.raw is not None else _completion(body, said)
            self.send_response(said.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

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
