"""What a service somewhere else is asked by `--remote`: a question, a search, its bases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from weft.cli.budget import parts_of
from weft.cli.invocation import refusal
from weft.cli.remote.kept_keys import KeptKeys, address_of
from weft.cli.terminal.question import read_words
from weft.domain.errors import BadInput, Unauthenticated, WeftError
from weft.domain.frozen import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from weft import Client
    from weft.domain.answer import Answer

LAST = "last"
_SECONDS = 150.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteQuestion:
    """A question as it was typed, for the bases and sources of a service."""

    words: Sequence[str]
    kb: str = ""
    source: str = ""
    flow: str = ""
    budget: str = ""
    meaning: str = ""


def answer_of(service: str, wanted: RemoteQuestion, *, as_json: bool) -> tuple[str, Answer]:
    """Return a question and what a service answers to it."""
    with _client(service, as_json=as_json) as client:
        question = _question(wanted, verb="ask")
        if wanted.flow:
            raise BadInput("--flow is for this machine; a service answers by its own flow.")
        budget = parts_of(wanted.budget) if wanted.budget.strip() else None
        return question, client.ask(
            question,
            kb=_named(wanted.kb),
            sources=_named(wanted.source),
            budget=budget,
            meaning=wanted.meaning,
        )


def passages_of(
    service: str, wanted: RemoteQuestion, *, top: int, as_json: bool
) -> tuple[str, list[dict[str, Any]]]:
    """Return a question and the passages that a service finds for it, as JSON has them."""
    with _client(service, as_json=as_json) as client:
        question = _question(wanted, verb="search")
        found = client.search(question, top, kb=_named(wanted.kb))
        return question, [asdict(passage) for passage in found]


def bases_of(service: str, *, as_json: bool) -> list[dict[str, Any]]:
    """Return the knowledge bases of a service that are open to whoever signed in."""
    with _client(service, as_json=as_json) as client:
        return [asdict(base) for base in client.account.bases()]


def kept_keys() -> KeptKeys:
    """Return the keys of services that the workspace keeps."""
    return KeptKeys(workspace_home())


def workspace_home() -> Path:
    """Return the workspace, which is made where there is none."""
    from weft.bootstrap.app import load_settings
    from weft.platform.workspace import open_workspace

    home = load_settings().home
    open_workspace(home)
    return home


def address_meant(said: str) -> str:
    """Return the address that was said, or else the one signed in to last, or raise `BadInput`."""
    address = address_of(said) if said and said != LAST else kept_keys().last()
    if not address:
        raise BadInput("No service is signed in to; run: weft login URL")
    return address


@contextmanager
def _client(service: str, *, as_json: bool) -> Iterator[Client]:
    from weft import Client

    try:
        address = address_meant(service)
        with Client(address, kept_keys().key(address), timeout=_SECONDS) as client:
            try:
                yield client
            except Unauthenticated as error:
                raise Unauthenticated(
                    f"{address} does not take the key any more; run: weft login {address}",
                    url=address,
                ) from error
    except WeftError as error:
        raise refusal(error, as_json=as_json) from error


def _question(wanted: RemoteQuestion, *, verb: str) -> str:
    path, question = read_words(wanted.words, verb=verb)
    if path is not None:
        raise BadInput(f"A service does not see '{path}' of this machine; name its bases by --kb.")
    return question


def _named(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
