"""Strings in a document that may name another, and those by which others may name it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote, urlsplit

from weft.domain.claim import RawReference
from weft.domain.document import Document
from weft.extraction.rules.literals import is_common_code

_KEY = re.compile(r"(?<![A-Za-z0-9_.\-])[A-Z][A-Z0-9_]{1,9}-[1-9]\d{0,6}(?![\w-]|\.\d)")
_ISSUE = re.compile(r"(?<![\w./-])([A-Za-z0-9][\w-]{0,38}/[\w.-]{1,100})#(\d{1,7})\b")
_URL = re.compile(r"\bhttps?://[^\s<>\"'`\])}]+")
_DOCUMENT_ID = re.compile(
    r"(?<![\w/])(?:jira|confluence|github|file|record):(?!//)[^\s<>\"'`)\],;]+"
)
# Bounded everywhere: a hostile text must not make them look far from every bracket.
_MARKDOWN = re.compile(
    r"\]\([ \t]{0,8}<?([^)\[\]\s>]{1,500})>?(?:[ \t]{1,8}[\"'][^)\n\[]{0,200})?\)"
    r"|^[ ]{0,3}\[[^\]\n]{1,200}\]:[ \t]{0,8}<?([^\s<>]{1,500})>?(?=\s|\Z)",
    re.M,
)
_HTML = re.compile(r"\b(?:href|src)\s*=\s*[\"']([^\"'\s]{1,500})[\"']", re.I)
_TRAILING = ".,;:!?'\"*_"
_CONFLUENCE = re.compile(r"/(?:wiki/)?(?:spaces/[^/]+/)?pages/(\d+)|[?&]pageId=(\d+)")
_GITHUB_ISSUE = re.compile(r"^/([^/]+/[^/]+)/(?:issues|pull|discussions)/(\d+)")
_GITHUB_COMMIT = re.compile(r"^/[^/]+/[^/]+/commit/[0-9a-fA-F]{7,40}$")
_GITHUB_FILE = re.compile(r"^/([^/]+/[^/]+)/blob/[^/]+/(.+)$")
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:")
_MAX_REFERENCES = 10_000


def references(
    document: Document, text: str, *, links: Sequence[str] = ()
) -> tuple[RawReference, ...]:
    """Return what a text and its links may refer to, each once, ordered by handle and kind.

    Found in this document alone: whether a handle names a document is for a view to say. What the
    document calls itself is no reference.
    """
    own = set(handles(document))
    found: dict[tuple[str, str], RawReference] = {}
    for each in (*_in_links(document, text, links), *_in_text(text)):
        if each.handle not in own:
            found.setdefault((each.handle, each.kind), each)
    return tuple(found[key] for key in sorted(found)[:_MAX_REFERENCES])


def handles(document: Document) -> tuple[str, ...]:
    """Return the strings that name a document, ordered, spelt as `references` spells them."""
    named = {canonical_id(document.id)}
    if document.uri.startswith(("http://", "https://")):
        named.add(canonical_url(document.uri))
    own = _path_of(document)
    if own is not None:
        named.add("".join(own))
    key = document.metadata.get("issue_key")
    if isinstance(key, str) and key:
        named.add(f"jira:{key.upper()}")
    page = document.metadata.get("page_id")
    if isinstance(page, str | int) and not isinstance(page, bool) and str(page):
        named.add(f"confluence:{page}")
    return tuple(sorted(named))


def canonical_url(url: str) -> str:
    """Return a URL without scheme, fragment, default port and last slash, its host folded."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port not in (None, 80, 443) else ""
        host = (parts.hostname or "") + port
    except ValueError:  # a port or host that is none: the URL names nothing but itself
        return f"url:{url}"
    query = f"?{parts.query}" if parts.query else ""
    return f"url:{host}{parts.path.rstrip('/')}{query}"


def canonical_id(document_id: str) -> str:
    """Return a document id as it is compared: repositories have no case, issue keys capitals."""
    kind, _, rest = document_id.partition(":")
    if kind == "github":
        match = re.match(r"[^:#]*", rest)
        repository = match[0] if match else ""
        return f"github:{repository.lower()}{rest[len(repository) :]}"
    return f"jira:{rest.upper()}" if kind == "jira" else document_id


def _in_text(text: str) -> Iterator[RawReference]:
    for match in _KEY.finditer(text) if "-" in text else ():
        if not is_common_code(match[0]):
            yield RawReference(kind="jira_key", handle=f"jira:{match[0]}", raw=match[0])
    for match in _ISSUE.finditer(text) if "#" in text else ():
        handle = canonical_id(f"github:{match[1]}#{match[2]}")
        yield RawReference(kind="github_issue", handle=handle, raw=match[0])
    for match in _URL.finditer(text) if "://" in text else ():
        yield from _of_url(match[0].rstrip(_TRAILING))
    for match in _DOCUMENT_ID.finditer(text):
        raw = match[0].rstrip(_TRAILING)
        yield RawReference(kind="doc_id", handle=canonical_id(raw), raw=raw)


def _in_links(document: Document, text: str, links: Sequence[str]) -> Iterator[RawReference]:
    targets = [*links]
    if "](" in text or "]:" in text:
        targets += [match[1] or match[2] for match in _MARKDOWN.finditer(text)]
    if "href" in text or "src" in text:
        targets += [match[1] for match in _HTML.finditer(text)]
    for target in targets:
        if target.startswith(("http://", "https://")):
            yield from _of_url(target)
        elif not _SCHEME.match(target) and not target.startswith(("#", "//")):
            handle = _resolved(document, target)
            if handle is not None:
                yield RawReference(kind="path", handle=handle, raw=target)


def _of_url(url: str) -> Iterator[RawReference]:
    """Yield a URL as itself, and as what the form of its path says it is."""
    handle = canonical_url(url)
    host, slash, rest = handle.removeprefix("url:").partition("/")
    path = slash + rest
    github = host in ("github.com", "www.github.com")
    commit = github and _GITHUB_COMMIT.match(path)
    yield RawReference(kind="commit_url" if commit else "url", handle=handle, raw=url)
    page = _CONFLUENCE.search(path)
    if page and not github:
        number = page[1] or page[2]
        yield RawReference(kind="confluence_page", handle=f"confluence:{number}", raw=url)
    issue = _GITHUB_ISSUE.match(path) if github else None
    if issue:
        named = canonical_id(f"github:{issue[1]}#{issue[2]}")
        yield RawReference(kind="github_issue", handle=named, raw=url)
    file = _GITHUB_FILE.match(path) if github else None
    if file:
        named = canonical_id(f"github:{file[1]}:{unquote(file[2])}")
        yield RawReference(kind="doc_id", handle=named, raw=url)


def _path_of(document: Document) -> tuple[str, str] | None:
    """Return the prefix of path handles in a document's source, and its own path there."""
    kind, _, rest = document.id.partition(":")
    if kind == "file" and rest.startswith(f"{document.source}/"):
        return f"path:{document.source}/", rest.removeprefix(f"{document.source}/")
    if kind == "github" and ":" in rest:
        repository, _, path = rest.partition(":")
        return f"github:{repository.lower()}:", path
    return None


def _resolved(document: Document, target: str) -> str | None:
    """Return the handle that a relative link leads to; None outside the document's source."""
    own = _path_of(document)
    path = unquote(re.split(r"[?#]", target, maxsplit=1)[0]).replace("\\", "/")
    if own is None or not path or "\0" in path:
        return None
    prefix, here = own
    folder = "" if path.startswith("/") else posixpath.dirname(here)
    joined = posixpath.normpath(posixpath.join(folder, path.lstrip("/")))
    return None if joined in (".", "..") or joined.startswith("../") else prefix + joined
