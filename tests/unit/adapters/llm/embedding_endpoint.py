"""A small embeddings server on loopback that answers by script, for the tests of the embedder."""

from __future__ import annotations

import hashlib
import json
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

DIMENSIONS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One scripted reply: after `delay` seconds this, or the connection cut without a word."""

    status: int = 200
    body: bytes | None = None
    headers: tuple[tuple[str, str], ...] = ()
    delay: float = 0.0
    cut: bool = False


@dataclass(slots=True, kw_only=True)
class Script:
    """Replies to give before sound ones, and the requests that came, with their times."""

    replies: list[Reply] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    url: str = ""


def vector(text: str) -> list[float]:
    """Return numbers made from the text's hash, not of length one."""
    seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
    return [float(number) for number in np.random.default_rng(seed).normal(size=DIMENSIONS)]


def sound(texts: list[str]) -> dict[str, Any]:
    """Return what a sound server says."""
    data = [
        {"object": "embedding", "index": n, "embedding": vector(t)} for n, t in enumerate(texts)
    ]
    return {"object": "list", "model": "m", "data": data, "usage": {"prompt_tokens": 1}}


@contextmanager
def serving() -> Iterator[Script]:
    """Run the server for the length of the block and yield its script."""
    script = Script()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            script.times.append(time.monotonic())
            key = self.headers["Authorization"]
            script.requests.append({**asked, "path": self.path, "authorization": key})
            reply = script.replies.pop(0) if script.replies else Reply()
            time.sleep(reply.delay)
            if reply.cut:
                # A reset, not an orderly end.
                self.connection.setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
                )
                self.close_connection = True
                return
            body = (
                reply.body if reply.body is not None else json.dumps(sound(asked["input"])).encode()
            )
            self.send_response(reply.status)
            for name, value in (*reply.headers, ("Content-Length", str(len(body)))):
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:
                self.close_connection = True

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    script.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
