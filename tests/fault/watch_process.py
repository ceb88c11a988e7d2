"""A process that reads a knowledge base while others write it, and tells all it saw: HOME.

It ends when its input does, and then prints one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from fault.workshop import OWNER
from weft.adapters.sqlite.stores import SqliteStores
from weft.domain.errors import NotFound
from weft.index.view import View
from weft.ports.store import Store

Line = dict[str, Any]


@dataclass(kw_only=True)
class Seen:
    """What was seen: a digest for each document at each version, and whatever was wrong."""

    looks: int = 0
    views: int = 0
    states: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def take(self, lines: list[str]) -> dict[str, list[str]]:
        """Check one export and return each document's chunks."""
        self.looks += 1
        grouped = by_document(lines)
        for key, parts in grouped.items():
            self.wrong += faults_of(key, parts)
            said = state_of(parts)
            version = f"{key} {parts['document'][0]['version']}" if parts["document"] else key
            if self.states.setdefault(version, said) != said:
                self.wrong.append(f"{version} was seen in two states")
        return {key: [c["id"] for c in parts["chunk"]] for key, parts in grouped.items()}

    def compare(self, view: View, chunks: dict[str, list[str]]) -> None:
        """Check that the arrays hold exactly the chunks of the store."""
        self.views += 1
        if (held := chunks_in(view)) != chunks:
            self.wrong.append(f"the view differs: {sorted(held.items() ^ chunks.items())[:3]}")


def by_document(lines: list[str]) -> dict[str, dict[str, list[Line]]]:
    """Return an export's lines by document and kind."""
    grouped: dict[str, dict[str, list[Line]]] = defaultdict(lambda: defaultdict(list))
    for line in map(json.loads, lines):
        key = (
            line["id"] if line["kind"] == "document" else line.get("doc_id", line.get("source_id"))
        )
        if key is not None:
            grouped[key][line["kind"]].append(line)
    return grouped


def state_of(parts: dict[str, list[Line]]) -> str:
    """Return a digest of all that is stored of a document."""
    said = json.dumps({kind: lines for kind, lines in parts.items() if lines}, sort_keys=True)
    return blake2b(said.encode(), digest_size=12).hexdigest()


def faults_of(key: str, parts: dict[str, list[Line]]) -> list[str]:
    """Return what is not whole about a document."""
    if len(parts["document"]) != 1:
        return [f"{key} has {len(parts['document'])} documents"]
    text, chunks = parts["document"][0]["text"], parts["chunk"]
    numbers = [chunk["chunk_index"] for chunk in chunks]
    known = {chunk["id"] for chunk in chunks}
    covered = [False] * len(text)
    for chunk in chunks:
        covered[chunk["start"] : chunk["end"]] = [True] * (chunk["end"] - chunk["start"])
    checks = {
        "its chunks are not numbered through": numbers == list(range(len(numbers))),
        "a chunk is not its text": all(text[c["start"] : c["end"]] == c["text"] for c in chunks),
        "some of its text is in no chunk": not any(
            not done and not sign.isspace() for done, sign in zip(covered, text, strict=True)
        ),
        "a vector is missing": all(chunk["vector"] for chunk in chunks),
        "a mention has no chunk": all(m["chunk_id"] in known for m in parts["mention"]),
        "a claim has no chunk": all(c["chunk_id"] in known for c in parts["claim"]),
        "evidence is missing": {e["chunk_id"] for e in parts["evidence"]} == known,
    }
    return [f"{key}: {what}" for what, holds in checks.items() if not holds]


def chunks_in(view: View) -> dict[str, list[str]]:
    """Return the chunks of each document that is in a view, in order."""
    held: dict[str, list[str]] = defaultdict(list)
    for live in view.snapshot.segments:
        for slot in live.alive.nonzero()[0]:
            segment = live.segment
            document = segment.documents[int(segment.document[slot])][0]
            held[document].append(segment.chunk_ids[slot].decode())
    return dict(held)


async def _look(store: Store, seen: Seen) -> None:
    before = await store.knowledge.view(OWNER)
    chunks = seen.take([line async for line in store.holdings.export(OWNER)])
    after = await store.knowledge.view(OWNER)
    if before.version == after.version:
        seen.compare(after, chunks)


def _files(home: Path) -> list[str]:
    return [path.name for path in home.glob("kb/*.db")]


async def _watch(home: Path, seen: Seen, ended: asyncio.Event) -> None:
    while not ended.is_set():
        for name in _files(home):
            try:
                target = f"sqlite:kb/{name}"
                store = await SqliteStores(home).open(OWNER, name, target=target, recipe=None)
            except NotFound:
                continue  # its tables are about to be made
            for _ in range(4):
                await _look(store, seen)
                await asyncio.sleep(0.03)
            await store.lifetime.close()
        await asyncio.sleep(0.03)


async def _main(home: Path) -> None:
    seen, ended = Seen(), asyncio.Event()
    watching = asyncio.create_task(_watch(home, seen, ended))
    await asyncio.to_thread(sys.stdin.read)
    ended.set()
    await watching
    sys.stdout.write(json.dumps(asdict(seen)))


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1])))
