"""The page at `/`: its files as they are, under a policy that lets nothing else in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from gzip import compress
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Header, Response

from weft.domain.errors import NotFound
from weft.domain.frozen import dataclass

router = APIRouter(include_in_schema=False)

FOLDER = Path(__file__).parents[1] / "page"
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_INDEX = "index.html"
_METHODS = ["GET", "HEAD"]
IfNoneMatch = Annotated[str, Header(alias="If-None-Match")]
AcceptEncoding = Annotated[str, Header(alias="Accept-Encoding")]
_GZIP = re.compile(r"\bgzip(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFile:
    """One file of the page, read once, as it is and packed; `etag` changes with its content."""

    content: bytes
    packed: bytes
    media_type: str
    etag: str

    def reply(self, known: str, encodings: str) -> Response:
        """Return the file, packed for whoever takes it so, or 304 to a browser that has it."""
        headers = {
            # What is packed is the same file: the tag is of what is in it.
            "ETag": f"W/{self.etag}",
            "Vary": "Accept-Encoding",
            "Cache-Control": "no-cache",
            "Content-Security-Policy": POLICY,
            "X-Content-Type-Options": "nosniff",
        }
        if self.etag in {each.strip().removeprefix("W/") for each in known.split(",")}:
            return Response(status_code=304, headers=headers)
        is_packed = _GZIP.search(encodings) is not None
        if is_packed:
            headers["Content-Encoding"] = "gzip"
        content = self.packed if is_packed else self.content
        return Response(content, media_type=self.media_type, headers=headers)


@router.api_route("/", methods=_METHODS)
def index(if_none_match: IfNoneMatch = "", accept_encoding: AcceptEncoding = "") -> Response:
    """Return the page, which is public and holds no data."""
    return page_files()[_INDEX].reply(if_none_match, accept_encoding)


@router.api_route("/page/{name:path}", methods=_METHODS)
def file(
    name: str, *, if_none_match: IfNoneMatch = "", accept_encoding: AcceptEncoding = ""
) -> Response:
    """Return one of the page's files; no other name leads anywhere."""
    found = page_files().get(name)
    if found is None:
        raise NotFound("The page has no such file.")
    return found.reply(if_none_match, accept_encoding)


@cache
def page_files() -> Mapping[str, PageFile]:
    """Return the files of the page by their paths below its folder, read once."""
    found = [path for path in FOLDER.rglob("*") if path.suffix in _TYPES]
    return {path.relative_to(FOLDER).as_posix(): _read(path) for path in found}


def _read(path: Path) -> PageFile:
    content = path.read_bytes()
    return PageFile(
        content=content,
        packed=compress(content, mtime=0),
        media_type=_TYPES[path.suffix],
        etag=f'"{sha256(content).hexdigest()[:32]}"',
    )
