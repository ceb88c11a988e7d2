"""Damaged files of every format: each ends in the ledger, none ends a process, sums match."""

from __future__ import annotations

import gzip
import io
import random
import zipfile
from collections import Counter
from email.message import EmailMessage
from pathlib import Path

import pytest
from bench_formats import DOCUMENTS

from unit.adapters.reader.compound import outlook_mail
from unit.adapters.reader.samples import pdf
from unit.ingest.memory_store import Bench
from weft.adapters.reader.reader import ChildReader
from weft.domain.ledger import FileStatus

pytestmark = [pytest.mark.anyio, pytest.mark.fault]
PLAIN = {
    "a.pdf": pdf(["One.", "Two."]),
    "a.csv": b'id,content\n1,The pump is old.\n2,"The valve, too."\n',
    "a.json": b'[{"id": 1, "text": "x"}, {"id": 2, "text": "y"}]',
    "a.jsonl": b'{"text": "one"}\n{"text": "two"}\n',
    "a.md": "# 제목\n\n- 하나\n- 둘\n\n| a | b |\n|---|---|\n| 1 | 2 |\n".encode(),
    "a.py": b"def f():\n    return 1\n",
    "a.txt": "한국어 문서입니다.".encode("cp949"),
}
# What a parser says that did not live to answer, or that would have gone on for ever.
ENDED = ("crashed", "its parser failed", "took longer", "took more than", "malformed")


def originals() -> list[tuple[str, bytes]]:
    """Return whole files of every format: those of other programs, and containers of them."""
    found = [
        (path.name, path.read_bytes()) for path in sorted(DOCUMENTS.iterdir()) if path.is_file()
    ]
    found += list(PLAIN.items())
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in [*PLAIN.items(), *found[:3]]:
            archive.writestr(f"in/{name}", data)
    mail = EmailMessage()
    mail["Subject"] = "부두 점검"
    mail.set_content("The inspection begins.")
    for name, data in [("a.zip", packed.getvalue()), *found[4:6]]:
        mail.add_attachment(data, maintype="application", subtype="x", filename=name)
    found += [("a.zip", packed.getvalue()), ("a.eml", mail.as_bytes()), ("a.msg", outlook_mail())]
    return [*found, ("a.md.gz", gzip.compress(PLAIN["a.md"]))]


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Return bytes with some turned, cut off, doubled or taken out."""
    made = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(max(len(made), 1))
        match chance.randrange(5):
            case 0:
                del made[at:]
            case 1:
                del made[at : at + chance.randint(1, 400)]
            case 2:
                made[at:at] = made[: chance.randint(1, 400)]
            case 3:
                made[at : at + 4] = chance.randbytes(4)
            case _:
                for place in range(at, min(at + chance.randint(1, 40), len(made))):
                    made[place] ^= 1 << chance.randrange(8)
        if not made:
            break
    return bytes(made)


async def bring_in(folder: Path, count: int, seed: int) -> Bench:
    """Bring in so many damaged files, a fourth of them under the name of another format."""
    chance = random.Random(seed)
    whole = originals()
    bench = Bench(folder / "docs")
    bench.root.mkdir()
    for number in range(count):
        name, data = whole[number % len(whole)]
        if chance.randrange(4) == 0:
            name = chance.choice(whole)[0]
        else:
            data = damaged(data, chance)
        (bench.root / f"{number:04} {name}").write_bytes(data)
    reader = ChildReader(processes=2)
    bench.parser = reader
    await bench.run()
    await reader.close()
    return bench


def check(bench: Bench, count: int) -> Counter[str]:
    """Hold the ledger to what it promises and return how the files ended."""
    rows = bench.store.rows
    assert sum(1 for path in rows if "/" not in path) == count
    texts = bench.store.documents.values()
    assert sum(row.documents for row in rows.values()) == len(texts)
    assert sum(row.chunks for row in rows.values()) == sum(len(one.passages) for one in texts)
    assert sum(row.characters for row in rows.values()) == sum(len(one.text) for one in texts)
    for path, row in rows.items():
        assert row.status is FileStatus.READ or row.reason, path
        assert not [word for word in ENDED if word in row.reason], (path, row.reason)
    for one in texts:
        for each in one.passages:
            assert one.text[each.chunk.start : each.chunk.end] == each.chunk.text
    return Counter(row.status.value for row in rows.values())


@pytest.mark.timeout(120)
async def test_sixty_damaged_files_are_all_accounted_for(tmp_path: Path) -> None:
    ended = check(await bring_in(tmp_path, 60, seed=7), 60)
    assert ended["read"] > 10
    assert ended["corrupt"] > 10


@pytest.mark.chaos
@pytest.mark.timeout(1800)
async def test_a_thousand_damaged_files_are_all_accounted_for(tmp_path: Path) -> None:
    check(await bring_in(tmp_path, 1000, seed=11), 1000)
