"""What follow-up questions are worth: two questions each, over the three folders of dialogues.

`bench_dialogues.py [--failures]`: ingests the folders of `tests/dialogues/` once into workspaces
that are kept while documents and settings stay the same, holds every dialogue as a conversation
of its own, prints the figures by folder, kind and language, and writes `bench/out/dialogues.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from bench_examples import BASES, EXAMPLES, NEAREST
from retrieval_bases import cache_folder, model_folder

from weft.bootstrap.app import App, load_settings, open_app
from weft.bootstrap.flows import build_flows
from weft.domain.answer import Answer
from weft.domain.ids import digest
from weft.flows.asking import Asking
from weft.flows.conversation import Saying, converse
from weft.flows.running import FlowRunner
from weft.platform.identity import local_owner
from weft.sdk.weft import Weft

ROOT = Path(__file__).parent.parent
DIALOGUES = ROOT / "tests" / "dialogues"
DOCUMENTATION = Path("/usr/share/doc")
OUT = Path(__file__).parent / "out" / "dialogues.json"
FOLDERS = ("tessamar", "club", "packages")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """Two questions, and what is expected of the second; see `tests/dialogues/README.md`.

    Of `names` each holds alternatives, one of which stands in what the question is rewritten to.
    """

    id: str
    folder: str
    kb: str
    kind: str
    language: str
    first: str
    second: str
    whole: str
    expected: tuple[str, ...]
    keeps: bool
    names: tuple[tuple[str, ...], ...]
    without: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldDialogue:
    """A dialogue and its answers; `whole` is that to the second question asked whole.

    It is asked where the second answer is wrong, to see whether the conversation is at fault.
    """

    dialogue: Dialogue
    first: Answer
    second: Answer
    whole: Answer | None

    @property
    def is_right(self) -> bool:
        """Tell whether the second answer is what a person would say."""
        return _is_right(self.dialogue, self.second)

    @property
    def is_shown(self) -> bool:
        """Tell whether it is right without what was only near."""
        return self.is_right and (not self.dialogue.expected or not self.second.refused)

    @property
    def fails_whole(self) -> bool:
        """Tell whether the second question gets a wrong answer without the first one too."""
        return self.whole is not None and not _is_right(self.dialogue, self.whole)

    @property
    def is_another(self) -> bool:
        """Tell whether the second question was rewritten into another one."""
        one, said = self.dialogue, _flat(self.second.rewritten_question)
        if not said:
            return False
        named = all(any(_flat(name) in said for name in names) for names in one.names)
        return one.keeps or not named or any(_flat(word) in said for word in one.without)


def _is_right(one: Dialogue, answer: Answer) -> bool:
    if not one.expected:
        return answer.refused
    shown = [sentence.text for sentence in answer.sentences]
    said = _flat("\n".join([*shown, *(near.snippet for near in answer.nearest[:NEAREST])]))
    return any(_flat(part) in said for part in one.expected)


def _flat(text: str) -> str:
    return " ".join(text.replace("*", "").replace("`", "").split()).casefold()


def read_dialogues(folder: str) -> list[Dialogue]:
    """Return the dialogues over a folder, in the order of their file."""
    rows: list[Mapping[str, Any]] = _read(folder)["dialogues"]
    return [
        Dialogue(
            id=row["id"],
            folder=folder,
            kb=row.get("kb", folder),
            kind=row["kind"],
            language=row.get("language", "en"),
            first=row["first"],
            second=row["second"],
            whole=row["whole"],
            expected=tuple(row.get("expect", ())),
            keeps=row.get("keeps", False),
            names=tuple(tuple(names.split("|")) for names in row.get("names", ())),
            without=tuple(row.get("without", ())),
        )
        for row in rows
    ]


def _read(folder: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = yaml.safe_load((DIALOGUES / f"{folder}.yaml").read_text("utf-8"))
    return found


def documents_of(folder: str) -> dict[str, Path]:
    """Return where the documents of a folder are, by their paths in its knowledge bases."""
    if folder == "tessamar":
        roots = {name: EXAMPLES / name for name in BASES}
        return {
            f"{name}/{path.relative_to(root)}": path
            for name, root in roots.items()
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }
    if folder == "club":
        return {f"club/{path.name}": path for path in sorted((DIALOGUES / "club").iterdir())}
    return {f"{folder}/{name}": DOCUMENTATION / name for name in _read(folder)["copied"]}


def missing_of(folder: str) -> list[str]:
    """Return which documents of a folder are not on this machine."""
    return [str(path) for path in documents_of(folder).values() if not path.is_file()]


def fill(home: Path, folder: str) -> None:
    """Bring the documents of a folder into a workspace, as the product does."""
    placed = documents_of(folder)
    for name, path in placed.items():
        place = home / "documents" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
    for kb in sorted({name.split("/")[0] for name in placed}):
        with Weft.open(home / "documents" / kb, home=home) as opened:
            print(kb, opened.sync())


async def hold_all(dialogues: Sequence[Dialogue], home: Path) -> list[HeldDialogue]:
    """Hold each dialogue in a conversation of its own."""
    app = await open_app(load_settings(home))
    try:
        flows = build_flows(app)
        return [await _held(app, flows, one) for one in dialogues]
    finally:
        await app.close()


async def _held(app: App, flows: FlowRunner, one: Dialogue) -> HeldDialogue:
    owner, records = local_owner(), app.records
    store = await app.library.of_folder(owner, app.settings.home / "documents" / one.kb)
    talk = await records.conversations.begin(owner, (await records.sessions.begin(owner)).id)
    said = []
    for message in (one.first, one.second):
        asking = Asking(question=message, knowledge_bases=(store.name,))
        saying = Saying(asking=asking, conversation_id=talk.id)
        said.append((await converse(flows, records.conversations, owner, saying=saying)).answer)
    whole = None
    if not _is_right(one, said[1]):
        asking = Asking(question=one.whole, knowledge_bases=(store.name,))
        whole = (await flows.run(owner, asking)).answer
    return HeldDialogue(dialogue=one, first=said[0], second=said[1], whole=whole)


def workspace(folder: str) -> Path:
    """Return a workspace with a folder's documents, made by the product if it is not there."""
    placed = documents_of(folder).items()
    key = digest(*(digest(name, path.read_bytes().hex()) for name, path in placed))[:10]
    home = cache_folder() / f"dialogues-{folder}-{key}"
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "cache").exists():
        (home / "cache").symlink_to(model_folder().resolve())
    if not (home / "complete").exists():
        fill(home, folder)
        (home / "complete").touch()
    return home


def row_of(name: str, held: Sequence[HeldDialogue]) -> dict[str, object]:
    """Return the figures of some dialogues, counts all of them.

    `sound` are right by a question that is not another one.
    """
    return {
        "name": name,
        "dialogues": len(held),
        "right": sum(one.is_right for one in held),
        "sound": sum(one.is_right and not one.is_another for one in held),
        "shown": sum(one.is_shown for one in held),
        "fails_whole": sum(one.fails_whole for one in held),
        "rewritten": sum(bool(one.second.rewritten_question) for one in held),
        "another": sum(one.is_another for one in held),
    }


def rows_of(held: Sequence[HeldDialogue]) -> list[dict[str, object]]:
    """Return the figures of all, by folder, kind and language."""
    rows = [row_of("all", held)]
    for key in ("folder", "language", "kind"):
        by = {one: getattr(one.dialogue, key) for one in held}
        rows += [
            row_of(value, [one for one in held if by[one] == value])
            for value in dict.fromkeys(by.values())
        ]
    return rows


def show(rows: Iterable[dict[str, object]]) -> None:
    """Print figures as a table."""
    print(
        "               dialogues  right  sound  shown  fails asked whole too  rewritten  another"
    )
    for row in rows:
        print(
            f"{row['name']:<15}{row['dialogues']:>9}{row['right']:>7}{row['sound']:>7}{row['shown']:>7}"
            f"{row['fails_whole']:>23}{row['rewritten']:>11}{row['another']:>9}"
        )


def show_failures(held: Sequence[HeldDialogue]) -> None:
    """Print the dialogues that went wrong, with what was answered."""
    for one in held:
        if one.is_right and not one.is_another:
            continue
        asked = one.dialogue
        state = " ".join(
            word
            for word, holds in (
                ("wrong", not one.is_right),
                ("fails-whole", one.fails_whole),
                ("ANOTHER", one.is_another),
            )
            if holds
        )
        print(f"\n{asked.id} {asked.kind} {state}\n  1 {asked.first}")
        print(f"    = {' '.join(one.first.answer.split())[:160]}")
        print(f"  2 {asked.second}\n    -> {one.second.rewritten_question or '-'}")
        print(f"    = {' '.join(one.second.answer.split())[:400]}")
        print(f"  wanted {asked.expected or 'a refusal'}; notes {one.second.notes}")


def main() -> None:
    """Hold the dialogues, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--failures", action="store_true", help="print what went wrong")
    parser.add_argument("--only", nargs="*", default=FOLDERS, help="the folders to ask")
    wanted = parser.parse_args()
    held = []
    for folder in wanted.only:
        if missing_of(folder):
            print(f"{folder}: left out, {len(missing_of(folder))} documents are not here")
            continue
        held += asyncio.run(hold_all(read_dialogues(folder), workspace(folder)))
    rows = rows_of(held)
    if wanted.failures:
        show_failures(held)
    show(rows)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps({"rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
