"""The reader and its processes: whatever a file does is an outcome, and nothing is left behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import textwrap
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import weft
from unit.adapters.reader.samples import encrypted, pdf
from weft.adapters.reader.limits import ReaderLimits
from weft.adapters.reader.process import Child
from weft.adapters.reader.reader import CHILD, ChildReader
from weft.domain.errors import UnreadableFile
from weft.domain.ledger import FileStatus
from weft.ports.reader import Reader

pytestmark = pytest.mark.anyio

# A parser that does what the file's text says: the process runs this module in place of its own.
HOSTILE = """
import mmap, os, signal, socket, subprocess, sys, time
from weft.adapters.reader import parsing
from weft.adapters.reader import child
from weft.adapters.reader.parsed import ParsedFile
from weft.domain.record import Block, BlockKind, Record

kept = []

def obey(file, *, most_bytes, most_columns):
    order = file.read(most_bytes).decode()
    said = "done"
    if order == "hang":
        time.sleep(60)
    elif order == "spin":
        while True: pass
    elif order == "eat":
        kept.append(bytearray(2**31))
    elif order == "leak":
        kept.append(mmap.mmap(-1, 600 * 2**20))
    elif order == "crash":
        signal.raise_signal(signal.SIGSEGV)
    elif order == "exit":
        sys.exit(3)
    elif order == "raise":
        raise KeyError("odd")
    elif order == "misplace":
        return ParsedFile(records=[Record(content="a", title="t", blocks=(
            Block(start=0, end=9, kind=BlockKind.CODE),))])
    elif order == "flood":
        return ParsedFile(records=[Record(content="x" * 5_000_000, title="t")])
    elif order == "print":
        print("noise on the output", flush=True)
    elif order == "write":
        try: open(sys.argv[0] + ".out", "wb")
        except OSError as wrong: said = type(wrong).__name__
    elif order in ("connect", "fork"):
        try:
            if order == "connect": socket.create_connection(("127.0.0.1", 9), 1)
            else: subprocess.run(["true"])
        except PermissionError as wrong:
            said = str(wrong)
    elif order == "page":
        return ParsedFile(records=[Record(content=f"page {file.first_page}.", title="t",
            blocks=(Block(start=0, end=7, kind=BlockKind.PARAGRAPH, page=file.first_page + 1),))],
            next_page=(file.first_page + 1) % 3)
    elif order == "endless":
        more = Record(content="more", title="t")
        return ParsedFile(records=[more], next_page=file.first_page + 1)
    elif order == "pid":
        said = str(os.getpid())
    return ParsedFile(records=[Record(content=said, title="t")])

def main(arguments):
    parsing.prepare()
    parsing.prepare, parsing.parse = lambda **_: None, obey
    child.main(arguments)
"""
QUICK = ReaderLimits(wall_seconds=20.0, processor_seconds=1, reply_bytes=2**20)


@pytest.fixture
async def reader() -> AsyncIterator[ChildReader]:
    made = ChildReader()
    yield made
    await made.close()


@pytest.fixture
async def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ChildReader]:
    """A reader whose parser obeys the files; its module is found where Weft is looked for."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "hostile.py").write_text(HOSTILE)
    (home / "weft").symlink_to(Path(weft.__file__).parent)
    start = f"import sys; sys.path.insert(0, {str(home)!r}); sys.argv.pop(1); "
    monkeypatch.setattr(
        "weft.adapters.reader.process._START",
        start + "from {0} import main; main(sys.argv[1:])",
    )
    made = ChildReader(QUICK, module="hostile")
    yield made
    await made.close()


async def order(reader: Reader, folder: Path, text: str) -> tuple[FileStatus, str]:
    path = folder / f"{text}.txt"
    path.write_text(text)
    found = await reader.read(path)
    return found.status, found.records[0].content if found.records else found.reason


async def test_files_of_many_kinds(reader: ChildReader, tmp_path: Path) -> None:
    files: dict[str, bytes] = {
        "a.txt": "Hello there, 서울.".encode(),
        "b.pdf": pdf(["Words."]),
        "c.html": b"<p>Words on a page</p>",
        "d.csv": b"id,text,acl\n1,one,user:a\n2,two,nobody\n",
        "e.json": b'{"text": "x \\ud800 y", "n": 1, "at": true}',
        "f.png": b"\x89PNG\r\n\x1a\n",
        "g.pdf": encrypted(pdf(["Words."]), "secret"),
        "h.pdf": pdf(["", ""]),
    }
    outcomes = {}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
        outcomes[name] = await reader.read(tmp_path / name)
    assert [outcome.status.value for outcome in outcomes.values()] == [
        *("read", "read", "read", "read", "read", "unsupported", "encrypted", "no_text")
    ]
    assert outcomes["a.txt"].records[0].content == "Hello there, 서울."
    assert outcomes["b.pdf"].records[0].blocks[0].page == 1
    assert outcomes["d.csv"].records[0].acl == frozenset({"user:a"})
    assert outcomes["d.csv"].skipped == (
        "record 2: its acl has what is not a principal; write user:NAME, group:NAME or tenant:*",
    )
    assert outcomes["e.json"].records[0].content == "x ? y"
    assert outcomes["e.json"].records[0].metadata == {"n": 1, "at": True}
    assert "no text layer on any of the 2 pages" in outcomes["h.pdf"].reason


async def test_what_cannot_be_opened_is_an_outcome(reader: ChildReader, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert (await reader.read(tmp_path / "pipe")).reason == "not a regular file"
    assert (await reader.read(tmp_path / "gone")).status is FileStatus.UNREADABLE
    assert (await reader.read(tmp_path)).reason == "not a regular file"
    name = os.fsdecode(b"caf\xe9.txt")
    (tmp_path / name).write_text("Words.")
    found = await reader.read(tmp_path / name)
    assert (found.records[0].content, found.records[0].title) == ("Words.", "caf?.txt")


async def test_a_large_file_is_refused(tmp_path: Path) -> None:
    reader = ChildReader(ReaderLimits(file_bytes=10))
    (tmp_path / "a.txt").write_text("x" * 11)
    assert (await reader.read(tmp_path / "a.txt")).status is FileStatus.TOO_LARGE
    (tmp_path / "a.txt").write_text("x" * 10)
    assert (await reader.read(tmp_path / "a.txt")).status is FileStatus.READ
    await reader.close()


async def test_many_small_files_share_a_process(
    reader: ChildReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, start = list[Child](), Child.start

    async def starting(*given: Any, **options: Any) -> Child:
        started.append(await start(*given, **options))
        return started[-1]

    monkeypatch.setattr(Child, "start", starting)
    for number in range(200):
        (tmp_path / f"{number}.md").write_text(f"# File {number}\n\nSome words about it.\n")
    begun = time.perf_counter()
    await reader.read(tmp_path / "0.md")
    with_its_start = time.perf_counter() - begun
    begun = time.perf_counter()
    for number in range(200):
        found = await reader.read(tmp_path / f"{number}.md")
        assert found.records[0].title == f"File {number}"
    each = (time.perf_counter() - begun) / 200
    assert each < with_its_start / 4
    assert len(started) == 1


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("hang", "took longer than 1 s"),
        ("eat", "takes more memory than a parser may have"),
        ("crash", "its parser was killed or crashed (SIGSEGV)"),
        ("misplace", "its parser's reply is malformed"),
        ("flood", "gives more text than a file may hold"),
        ("endless", "takes too long to read to its end"),
    ],
)
async def test_a_hostile_file_is_named_and_the_next_is_read(
    hostile: ChildReader, tmp_path: Path, said: str, reason: str
) -> None:
    if said == "hang":
        hostile._limits = replace(QUICK, wall_seconds=1.0)
    assert await order(hostile, tmp_path, said) == (FileStatus.HOSTILE, reason)
    hostile._limits = QUICK
    assert await order(hostile, tmp_path, "next") == (FileStatus.READ, "done")


@pytest.mark.slow
async def test_the_processor_is_limited_for_each_file(hostile: ChildReader, tmp_path: Path) -> None:
    reason = "took more than 1 s of the processor"
    assert await order(hostile, tmp_path, "spin") == (FileStatus.HOSTILE, reason)


async def test_a_parser_that_fails_is_a_corrupt_file(hostile: ChildReader, tmp_path: Path) -> None:
    assert await order(hostile, tmp_path, "raise") == (FileStatus.CORRUPT, "KeyError: 'odd'")
    status, reason = await order(hostile, tmp_path, "exit")
    assert (status, reason) == (FileStatus.CORRUPT, "its parser failed (exit 3)")


async def test_a_parser_reaches_nothing(hostile: ChildReader, tmp_path: Path) -> None:
    for said in ("connect", "fork"):
        status, answer = await order(hostile, tmp_path, said)
        assert status is FileStatus.READ
        assert "a parser may not do this" in answer
    assert await order(hostile, tmp_path, "print") == (FileStatus.READ, "done")
    assert await order(hostile, tmp_path, "write") == (FileStatus.READ, "PermissionError")


async def test_a_worn_process_is_not_held_against_a_file(
    hostile: ChildReader, tmp_path: Path
) -> None:
    assert await order(hostile, tmp_path, "leak") == (FileStatus.READ, "done")
    # A second such file fits in memory by itself, not beside what the first one left.
    assert await order(hostile, tmp_path, "leak") == (FileStatus.READ, "done")


async def test_a_process_killed_between_files_is_replaced(
    hostile: ChildReader, tmp_path: Path
) -> None:
    _, pid = await order(hostile, tmp_path, "pid")
    os.kill(int(pid), signal.SIGKILL)
    _, after = await order(hostile, tmp_path, "pid")
    assert after != pid


async def test_batches_of_pages_become_one_record(hostile: ChildReader, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("page")
    (record,) = (await hostile.read(tmp_path / "a")).records
    assert record.content == "page 0.\n\npage 1.\n\npage 2."
    assert [(record.content[b.start : b.end], b.page) for b in record.blocks] == [
        ("page 0.", 1),
        ("page 1.", 2),
        ("page 2.", 3),
    ]


async def test_a_cancelled_reading_leaves_no_process(hostile: ChildReader, tmp_path: Path) -> None:
    _, pid = await order(hostile, tmp_path, "pid")
    (tmp_path / "a").write_text("hang")
    task = asyncio.create_task(hostile.read(tmp_path / "a"))
    await asyncio.sleep(0.1)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert await _ends(int(pid))


async def test_the_loop_goes_on_while_a_file_is_read(reader: ChildReader, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Some words make a line.\n" * 400_000)
    reading = asyncio.create_task(reader.read(tmp_path / "a.txt"))
    # Of the processor, and of this thread's: whatever else runs on the machine.
    longest, at = 0.0, time.thread_time()
    while not reading.done():
        await asyncio.sleep(0.005)
        longest, at = max(longest, time.thread_time() - at), time.thread_time()
    assert (await reading).status is FileStatus.READ
    assert longest < 0.5


async def test_a_process_that_does_not_start_says_so(tmp_path: Path) -> None:
    reader = ChildReader(module="weft.nothing")
    with pytest.raises(UnreadableFile, match="does not start"):
        await reader.read(tmp_path)


async def test_the_version_names_the_parsers(reader: ChildReader) -> None:
    assert "pypdf=" in reader.version
    assert reader.version == ChildReader().version


async def test_no_process_outlives_a_killed_parent(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Words.")
    script = textwrap.dedent(
        f"""
        import asyncio, sys, time
        sys.path.insert(0, {str(Path(weft.__file__).parents[1])!r})
        from pathlib import Path
        from weft.adapters.reader.reader import ChildReader
        async def main():
            reader = ChildReader()
            await reader.read(Path({str(tmp_path / "a.txt")!r}))
            print(reader._idle[False][0].pid, flush=True)
            time.sleep(60)
        asyncio.run(main())
        """
    )
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    pid = int(await parent.stdout.readline())
    assert _runs(pid)
    parent.kill()
    await parent.wait()
    assert await _ends(pid)


async def test_a_process_ends_when_its_input_does() -> None:
    child = await Child.start(ReaderLimits(), CHILD)
    assert _runs(child.pid)
    await child.end()
    assert not _runs(child.pid)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


async def _ends(pid: int) -> bool:
    for _ in range(1500):
        if not _runs(pid):
            return True
        await asyncio.sleep(0.02)
    return False
