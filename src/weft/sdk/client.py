"""`Client`: a Weft service somewhere else, for programs without a loop."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import field
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypedDict, Unpack
from urllib.parse import quote

import httpx2

from weft.domain.answer import (
    Answer,
    AnswerColumn,
    AnswerSentence,
    AnswerTable,
    Citation,
    Meaning,
    Tier,
)
from weft.domain.errors import BadInput, StoreUnavailable, WeftError
from weft.domain.frozen import dataclass
from weft.domain.ids import ChunkId, DocumentId, RunId
from weft.sdk.account import RemoteAccount

__all__ = ["Client", "RemoteEvent", "RemotePassage", "RemoteRun"]

_PAGE = 200  # the most that the service gives at a time
_POLL_SECONDS = 0.3
_OVER = frozenset({"finished", "failed", "cancelled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RemotePassage:
    """A passage that may answer a question; `start` and `end` are offsets in its document."""

    kb: str
    doc_id: str
    chunk_id: str
    title: str
    uri: str
    text: str
    start: int
    end: int
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteRun:
    """A run as it stands; `progress` is an ingestion's, empty for an answer."""

    run_id: str
    kind: str
    status: str
    question: str
    kb: tuple[str, ...]
    progress: Mapping[str, object] = field(default_factory=dict)
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteEvent:
    """One event of a stream: `run`, `step`, `sentence`, `answer` or `error`, with its JSON."""

    name: str
    data: Mapping[str, Any]


class RemoteSteering:
    """Orders for runs at the service; each but `replay` returns how the run stands then."""

    def __init__(self, sent: Callable[..., Any]) -> None:
        """Take what sends a request."""
        self._sent = sent

    def cancel(self, run_id: str) -> str:
        """End a run; one that has ended stays as it is."""
        return self._ordered(run_id, "cancel")

    def pause(self, run_id: str) -> str:
        """Let a run stand still before its next step."""
        return self._ordered(run_id, "pause")

    def resume(self, run_id: str) -> str:
        """Put a run that stands still in line again."""
        return self._ordered(run_id, "resume")

    def grant(self, run_id: str, budget: Mapping[str, object]) -> str:
        """Give a run more to spend, as `Client.ask` takes it."""
        return self._ordered(run_id, "budget", dict(budget))

    def replay(self, run_id: str, *, prompt: str = "", model: str = "") -> Mapping[str, Any]:
        """Go through a run once more and return what `POST /v1/runs/{id}/replay` says of it."""
        wanted = {"with": prompt, "model": model}
        told: Mapping[str, Any] = self._sent(
            "POST", f"/v1/runs/{_segment(run_id)}/replay", json=wanted
        )
        return told

    def _ordered(self, run_id: str, order: str, body: Mapping[str, object] | None = None) -> str:
        return str(self._sent("POST", f"/v1/runs/{_segment(run_id)}/{order}", json=body)["status"])


class AskOptions(TypedDict, total=False):
    """What else may be said of a question.

    `kb` and `sources` name what it is asked of. In a session (`session_id`) it may follow up on the
    one before; `budget` is the most that may be spent, as `POST /ask` names it. `meaning` is the id
    of one of an answer's `meanings`, to be told.
    """

    kb: Sequence[str]
    sources: Sequence[str]
    session_id: str
    budget: Mapping[str, object] | None
    meaning: str


class Client:
    """A service at an address, with a token of its own; it may be used from several threads.

    Every method raises the errors of `weft.domain.errors` that the service names, with its `status`
    and, where it says when to try again, `retry_after` (seconds) among their `fields`, and
    `StoreUnavailable` where it does not answer. `steering` gives orders to runs,
    `account` tells who one is there and what is open to one.
    """

    def __init__(self, url: str, token: str, *, timeout: float = 150.0) -> None:
        """Take the address and the token; nothing is sent yet. `timeout` is in seconds.

        Raises `BadInput` for a text that cannot be a token, which it does not show.
        """
        self._http = httpx2.Client(
            base_url=url.rstrip("/"), headers=_bearer(token), timeout=timeout
        )
        self.steering = RemoteSteering(self._sent)
        self.account = RemoteAccount(self._sent)

    def ask(
        self,
        question: str,
        **options: Unpack[AskOptions],
    ) -> Answer:
        """Return an answer whose sentences carry checked citations, or a refusal."""
        said = {name: value for name, value in options.items() if value is not None}
        names = {"kb": _listed(options.get("kb")), "sources": _listed(options.get("sources"))}
        body = {"question": question, **said, **names}
        return _answer(self._sent("POST", "/ask", json=body))

    def stream(self, question: str, *, kb: Sequence[str] = ()) -> Iterator[RemoteEvent]:
        """Yield the steps of an answer as they are taken, its sentences, then the whole answer."""
        body = {"question": question, "kb": _listed(kb), "stream": True}
        try:
            with self._http.stream("POST", "/ask", json=body) as reply:
                if reply.status_code >= 400:
                    reply.read()
                    _raise(reply)
                yield from _events(reply.iter_lines())
        except httpx2.TransportError as error:
            raise _away(error) from error

    def search(
        self, query: str, top_k: int = 8, *, kb: Sequence[str] = ()
    ) -> tuple[RemotePassage, ...]:
        """Return the passages that may answer a question, best first, at most `top_k`."""
        body = {"query": query, "top_k": top_k, "kb": _listed(kb)}
        found = self._sent("POST", "/v1/search", json=body)
        return tuple(_passage(each) for each in found["evidence"])

    def create(self, kb: str, title: str = "", *, ontology: str = "") -> None:
        """Make a knowledge base, read by an ontology that the service has by that name.

        Raises `BadInput` for a name that cannot be one, and for an ontology that is not there.
        """
        by = {"ontology": ontology} if ontology else {}
        self._sent("POST", "/v1/kb", json={"name": kb, "title": title, **by})

    def add(
        self, kb: str, paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
    ) -> RemoteRun:
        """Hand files over to a knowledge base and return the run that takes them in."""
        given = [paths] if isinstance(paths, str | os.PathLike) else paths
        if not given:
            raise BadInput("There is no file to hand over.")
        with ExitStack() as stack:
            files = [
                ("files", (path.name, stack.enter_context(path.open("rb"))))
                for path in map(Path, given)
            ]
            accepted = self._sent("POST", f"/v1/kb/{_segment(kb)}/documents", files=files)
        return self.run(accepted["run_id"])

    def add_records(self, kb: str, records: Sequence[Mapping[str, object]]) -> RemoteRun:
        """Hand records over (`content`, and `id`, `title`, `uri`, `metadata`, `acl` if wanted)."""
        body = {"records": [dict(record) for record in records]}
        accepted = self._sent("POST", f"/v1/kb/{_segment(kb)}/documents", json=body)
        return self.run(accepted["run_id"])

    def run(self, run_id: str) -> RemoteRun:
        """Return how a run stands, or raise `NotFound`."""
        return _run(self._sent("GET", f"/v1/runs/{_segment(run_id)}"))

    def runs(
        self, limit: int = 50, *, kind: str = "answer", kb: str = "", status: str = ""
    ) -> tuple[RemoteRun, ...]:
        """Return the newest runs, of answers or (`kind="ingest"`) of ingestions, page by page."""
        wanted: dict[str, Any] = {"kind": kind, "kb": kb, "status": status, "cursor": ""}
        found: list[RemoteRun] = []
        while len(found) < limit:
            size = min(limit - len(found), _PAGE)
            page = self._sent("GET", "/v1/runs", params={**wanted, "limit": size})
            found += [_run(each) for each in page["items"]]
            wanted["cursor"] = page["next"]
            if not page["next"]:
                break
        return tuple(found)

    def wait(self, run_id: str, *, seconds: float = 600.0) -> RemoteRun:
        """Return a run once it has ended; raises `StoreUnavailable` when it takes longer."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found = self.run(run_id)
            if found.status in _OVER:
                return found
            time.sleep(_POLL_SECONDS)
        raise StoreUnavailable(f"The run {run_id} has not ended in {seconds:.0f} seconds.")

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        """Return this, to be closed at the end."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let go of the connections."""
        self.close()

    def _sent(self, method: str, path: str, **what: Any) -> dict[str, Any]:
        try:
            reply = self._http.request(method, path, **what)
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            raise _away(error) from error
        if reply.status_code >= 400:
            _raise(reply)
        try:
            found: dict[str, Any] = reply.json()
        except ValueError:
            raise StoreUnavailable("What answers there is no Weft service.") from None
        return found


def _bearer(token: str) -> dict[str, str]:
    """Return the header of a token; what of it cannot be sent is refused, and never shown."""
    plain = token.strip()
    if not plain.isascii() or not plain.isprintable():
        raise BadInput("The token has characters that no token has.")
    return {"Authorization": f"Bearer {plain}"}


def _listed(names: str | Sequence[str] | None) -> list[str]:
    """Return names; one that is given by itself is one, not its letters."""
    return [names] if isinstance(names, str) else list(names or ())


def _segment(name: str) -> str:
    """Return a name as one part of a path, whatever is in it."""
    return quote(name, safe="").replace(".", "%2E")


def _away(error: Exception) -> StoreUnavailable:
    return StoreUnavailable(f"The service does not answer: {str(error) or type(error).__name__}.")


def _raise(reply: httpx2.Response) -> None:
    """Raise the error that a problem document names."""
    try:
        said = reply.json()
        code, detail = str(said["code"]), str(said["detail"])
    except (ValueError, KeyError, TypeError):
        raise StoreUnavailable(f"The service answered {reply.status_code}.") from None
    named = {kind.code: kind for kind in _kinds(WeftError)}
    fields: dict[str, object] = {"status": reply.status_code}
    if (seconds := reply.headers.get("retry-after", "")).isdecimal():
        fields["retry_after"] = float(seconds)
    raise named.get(code, WeftError)(detail, **fields)


def _kinds(kind: type[WeftError]) -> Iterator[type[WeftError]]:
    yield kind
    for inner in kind.__subclasses__():
        yield from _kinds(inner)


def _events(lines: Iterator[str]) -> Iterator[RemoteEvent]:
    name, data = "", ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            data += line.removeprefix("data: ")
        elif not line and data:
            yield RemoteEvent(name=name, data=json.loads(data))
            name, data = "", ""


def _answer(said: Mapping[str, Any]) -> Answer:
    return Answer(
        answer=said["answer"],
        sentences=tuple(_sentence(each) for each in said["sentences"]),
        refused=said["refused"],
        missing=tuple(said["missing"]),
        offline=said["offline"],
        run_id=RunId(said["run_id"]),
        took_ms=said["took_ms"],
        short=said.get("short", ""),
        rewritten_question=said.get("rewritten_question") or "",
        notes=tuple(note["text"] for note in said["notes"]),
        nearest=tuple(_citation(each) for each in said.get("nearest", ())),
        more=tuple(_citation(each) for each in said.get("more", ())),
        table=_table(said.get("table")),
        meanings=tuple(Meaning(**one) for one in said.get("meanings", ())),
    )


def _table(said: Mapping[str, Any] | None) -> AnswerTable | None:
    if said is None:
        return None
    return AnswerTable(
        plan=said["plan"],
        columns=tuple(AnswerColumn(**one) for one in said["columns"]),
        rows=tuple(tuple(row) for row in said["rows"]),
        total=said["total"],
    )


def _sentence(said: Mapping[str, Any]) -> AnswerSentence:
    return AnswerSentence(
        text=said["text"],
        tier=Tier(said["tier"]),
        citations=tuple(_citation(each) for each in said["citations"]),
        missing=tuple(said["missing"]),
    )


def _citation(said: Mapping[str, Any]) -> Citation:
    return Citation(
        n=said["n"],
        knowledge_base=said["kb"],
        doc_id=DocumentId(said["doc_id"]),
        title=said["title"],
        uri=said["uri"],
        page=said["page"],
        section=said["section"],
        chunk_id=ChunkId(said["chunk_id"]),
        start=said["start"],
        end=said["end"],
        snippet=said["snippet"],
    )


def _passage(said: Mapping[str, Any]) -> RemotePassage:
    names = ("kb", "doc_id", "chunk_id", "title", "uri", "text", "start", "end")
    return RemotePassage(path=tuple(said["path"]), **{name: said[name] for name in names})


def _run(said: Mapping[str, Any]) -> RemoteRun:
    return RemoteRun(
        run_id=said["run_id"],
        kind=said["kind"],
        status=said["status"],
        question=said["question"],
        kb=tuple(said["kb"]),
        progress=said["progress"] or {},
        error=said["error"],
    )
