"""A web search on loopback that answers every query alike, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


@dataclass
class WebProvider:
    """Where it listens, and its queries."""

    address: str = ""
    asked: list[str] = field(default_factory=list)

    @property
    def settings(self) -> str:
        """Return the settings of a workspace that searches there."""
        address = f"http://{self.address}/search?q={{query}}&format=json"
        return f"embedder: none\nfetch_allow: '{self.address}'\nweb_search: '{address}'\n"


@contextmanager
def web_provider(page: Mapping[str, str]) -> Iterator[WebProvider]:
    """Serve one page as what every query finds."""
    found, body = WebProvider(), json.dumps({"results": [page]}).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked += parse_qs(urlsplit(self.path).query)["q"]
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    found.address = f"127.0.0.1:{server.server_port}"
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
