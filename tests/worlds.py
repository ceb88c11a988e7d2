"""Small worlds of documents for the laws: principals that overlap, hidden names that are shared."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from weft.domain.acl import acl_class
from weft.domain.claim import Claim, Mention, Method, RawReference, claim_id
from weft.domain.document import Chunk, Document, Span, chunk_id, document_version
from weft.domain.facts import Vectors
from weft.domain.ids import DocumentId, digest
from weft.domain.patch import Passage, Patch
from weft.domain.scope import Scope
from weft.index.local_facts import local_facts
from weft.platform.identity import principal_scope
from weft.ports.embedder import PassageText
from weft.ports.holdings import Holdings
from weft.ports.publishing import Fence, Publishing

DIMENSIONS = 16
PRINCIPALS = ("group:blue", "group:green", "group:red")
ACLS = (
    frozenset({"group:blue"}),
    frozenset({"group:green"}),
    frozenset({"group:red"}),
    frozenset({"group:blue", "group:green"}),
    frozenset({"group:green", "group:red"}),
    frozenset({"tenant:*"}),
)
SENTENCES = (
    "Ada Lovelace wrote the first program.",
    "Apollo is a service of the Payments team.",
    "Apollo was founded in 1999 by Li Wei.",
    "Li Wei leads the Payments team in Seoul.",
    "The outage of Apollo began on 3 March 2024.",
    "Grace Hopper built a compiler.",
    "See PAY-12 for the outage of Apollo.",
    "김철수는 서울에서 일한다.",
    "Payments began with apollo, and apollo with hopper.",
    "Hopper of the Apollo program met Grace Hopper of Seoul.",
    "Program and compiler, apollo and hopper: seoul knows them.",
)


@dataclass(frozen=True)
class Draft:
    """A document as a strategy draws it."""

    name: str
    acl: frozenset[str]
    chunks: tuple[tuple[int, ...], ...]


def scope_of(*groups: str) -> Scope:
    """Return the scope of a user with some groups."""
    return principal_scope(
        tenant="local", actor="user:reader", groups=groups, permissions={"kb.read", "kb.write"}
    )


WRITER = scope_of(*PRINCIPALS)


OPEN, BLUE = frozenset({"tenant:*"}), frozenset({"group:blue"})
# Two documents that everyone reads, and one of a group.
SMALL = (
    Draft("doc0", OPEN, ((1, 2), (4,), (0,))),
    Draft("doc1", OPEN, ((3,), (6,))),
    Draft("doc2", BLUE, ((4,), (5,))),
)


class Writable(Protocol):
    """The ports of a knowledge base that documents are put into."""

    @property
    def publishing(self) -> Publishing:
        """Return where documents are put."""
        ...

    @property
    def holdings(self) -> Holdings:
        """Return what is there already."""
        ...


async def put(store: Writable, *patches: Patch) -> Fence:
    """Put documents in place of their former versions, and return the fence of it."""
    fence = await store.publishing.issue_fence(WRITER, "world")
    held = await store.holdings.versions(WRITER, "world")
    for patch in patches:
        expected = held.get(patch.document.id)
        await store.publishing.publish(WRITER, patch, expected_version=expected, fence=fence)
    return fence


async def put_drafts(store: Writable, *drafts: Draft) -> Fence:
    """Put the documents of a world; see `put`."""
    return await put(store, *map(patch_of, drafts))


def drafts(size: int = 6) -> st.SearchStrategy[list[Draft]]:
    """Return a strategy for worlds of uniquely named documents."""
    one = st.builds(
        Draft,
        name=st.sampled_from([f"doc{n}" for n in range(size + 2)]),
        acl=st.sampled_from(ACLS),
        chunks=st.lists(
            st.lists(st.integers(0, len(SENTENCES) - 1), min_size=1, max_size=3).map(tuple),
            min_size=1,
            max_size=3,
        ).map(tuple),
    )
    return st.lists(one, min_size=1, max_size=size, unique_by=lambda draft: draft.name)


def vector(text: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Return a unit vector made from a text's hash."""
    seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
    raw = np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32)
    return raw / np.linalg.norm(raw)


class Hashes:
    """An embedder whose vectors are hashes: only the same text is alike."""

    fingerprint = "hashes"
    dimensions = DIMENSIONS
    max_tokens = 256

    def token_ends(self, text: str) -> Sequence[int]:
        return list(range(1, len(text) + 1))

    async def passages(self, texts: Sequence[PassageText]) -> list[Vectors]:
        return [
            Vectors(passage=vector(t.text), sentences=np.stack([vector(t.text)])) for t in texts
        ]

    async def queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return np.stack([vector(text) for text in texts])


def patch_of(draft: Draft) -> Patch:
    """Return the patch of a drafted document."""
    key = DocumentId(f"file:world/{draft.name}")
    parts = [" ".join(SENTENCES[at] for at in chunk) for chunk in draft.chunks]
    text = "\n".join(parts)
    passages, mentions, claims, start = [], [], [], 0
    for index, (part, chosen) in enumerate(zip(parts, draft.chunks, strict=True)):
        passage = _passage(draft, key, part, chosen, index, start)
        passages.append(passage)
        mentions += _mentions(passage.chunk)
        claims += _claims(passage.chunk)
        start += len(part) + 1
    document = Document(
        id=key,
        source="world",
        type="file",
        title=draft.name,
        uri=f"world/{draft.name}",
        version=document_version(digest(text), acl_class(draft.acl)),
        acl=draft.acl,
        metadata={"issue_key": "PAY-12"} if draft.name == "doc0" else {},
    )
    return Patch(
        document=document,
        text=text,
        passages=tuple(passages),
        mentions=tuple(mentions),
        claims=tuple(claims),
        references=tuple(_references(text)),
        handles=(key, "jira:PAY-12") if draft.name == "doc0" else (key,),
    )


def _passage(
    draft: Draft, key: DocumentId, part: str, chosen: Sequence[int], index: int, start: int
) -> Passage:
    spans, at = [], 0
    for number in chosen:
        spans.append(Span(start=at, end=at + len(SENTENCES[number])))
        at += len(SENTENCES[number]) + 1
    chunk = Chunk(
        id=chunk_id(key, part, chunk_index=index),
        document_id=key,
        chunk_index=index,
        text=part,
        start=start,
        end=start + len(part),
        sentences=tuple(spans),
    )
    rows = [vector(part[span.start : span.end]) for span in spans]
    return Passage(
        chunk=chunk,
        facts=local_facts(draft.name, part, sentences=spans),
        vectors=Vectors(passage=vector(draft.name + part), sentences=np.stack(rows)),
        outcome=Method.GENERATED,
    )


def _mentions(chunk: Chunk) -> list[Mention]:
    found = []
    for surface, kind in (("Apollo", "software"), ("Li Wei", "person")):
        at = chunk.text.find(surface)
        if at >= 0:
            found.append(
                Mention(
                    chunk_id=chunk.id,
                    start=chunk.start + at,
                    end=chunk.start + at + len(surface),
                    surface=surface,
                    name=surface.lower(),
                    entity_class=kind,
                )
            )
    return found


def _claims(chunk: Chunk) -> list[Claim]:
    if "founded in 1999" not in chunk.text:
        return []
    return [
        Claim(
            id=claim_id(chunk.id, "apollo", predicate="founded_in", said="1999", start=chunk.start),
            chunk_id=chunk.id,
            subject_name="apollo",
            subject_class="software",
            predicate="founded_in",
            object_name=None,
            object_class=None,
            value=1999,
            start=chunk.start,
            end=chunk.end,
            method=Method.GENERATED,
            confidence=0.9,
        )
    ]


def _references(text: str) -> list[RawReference]:
    if "PAY-12" not in text:
        return []
    return [RawReference(kind="jira_key", handle="jira:PAY-12", raw="PAY-12")]
