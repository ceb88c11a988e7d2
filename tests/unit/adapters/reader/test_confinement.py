"""Code of an attacker inside the parser process: it reads, writes, starts and reaches nothing."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import socket
import struct
import sys
import zipfile
from collections.abc import AsyncIterator
from email.message import EmailMessage
from pathlib import Path

import pytest
from bench_formats import DOCUMENTS

import weft
from unit.adapters.reader.samples import encrypted, parsed_at, pdf
from weft.adapters.reader.confinement.calls import program
from weft.adapters.reader.limits import ReaderLimits
from weft.adapters.reader.parsed import RawFile
from weft.adapters.reader.parsing import parse_alone
from weft.adapters.reader.reader import ChildReader
from weft.domain.ledger import FileStatus

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(
        sys.platform != "linux" or os.uname().machine not in ("x86_64", "aarch64"),
        reason="only here does the kernel refuse what Python could get round",
    ),
]

# The file says what to try; each is tried through Python and through the C library behind it.
EVIL = """
import ctypes, json, os, signal, socket
from weft.adapters.reader import child, parsing
from weft.adapters.reader.parsed import ParsedFile
from weft.domain.record import Record

libc = ctypes.CDLL(None, use_errno=True)

def in_python(what, detail):
    if what == "read":
        return os.read(os.open(detail, os.O_RDONLY), 4)
    if what == "write":
        return os.open(detail, os.O_WRONLY | os.O_CREAT, 0o666)
    if what == "start":
        return os.posix_spawn("/bin/true", ["true"], {})
    if what == "fork":
        return os.fork() or os._exit(0)
    if what == "thread":
        import _thread
        return _thread.start_new_thread(print, ())
    if what == "connect":
        return socket.create_connection(("127.0.0.1", int(detail)), 1)
    if what == "kill":
        return os.kill(os.getppid(), 0)
    if what == "list":
        return os.listdir(detail)
    if what == "environ":
        assert set(os.environ) - {"LC_CTYPE"}, "empty"  # Python itself sets the one
    if what == "handles":
        kept = [h for h in range(3, 64) if is_open(h)]
        assert len(kept) > 2, "the answer's and this file's alone"
    if what == "root":
        assert os.geteuid() == 0, "nobody"
        os.setuid(0)

def is_open(handle):
    try:
        os.fstat(handle)
    except OSError:
        return False
    return True

def in_c(what, detail):
    raw = detail.encode()
    if what == "read":
        return libc.open(raw, 0)
    if what == "write":
        return libc.open(raw, 0o101, 0o666)
    if what == "start":
        return libc.execve(b"/bin/true", None, None)
    if what == "fork":
        return libc.fork()
    if what == "thread":
        return libc.syscall(*CLONE)
    if what == "connect":
        return libc.socket(2, 1, 0)
    if what == "kill":
        return libc.kill(os.getppid(), 0)
    if what == "list":
        return libc.chdir(raw)
    if what == "unlink":
        return libc.unlink(raw)
    if what == "trace":
        return libc.ptrace(16, os.getppid(), 0, 0)
    if what == "memory":
        here = (ctypes.c_size_t * 2)(ctypes.addressof(ctypes.create_string_buffer(8)), 8)
        return libc.process_vm_readv(os.getppid(), here, 1, here, 1, 0)
    return -1

CLONE = (56 if os.uname().machine == "x86_64" else 220, 0x10900, 0, 0, 0, 0)

def obey(file, *, most_bytes, most_columns):
    what, detail = json.loads(file.read(most_bytes))
    said = []
    for attempt in (in_python, in_c):
        try:
            done = attempt(what, detail)
        except BaseException as refused:
            said.append(f"refused: {refused!r}")
        else:
            failed = attempt is in_c and isinstance(done, int) and done < 0
            said.append("refused" if failed or done is None else f"DONE: {done!r}")
    return ParsedFile(records=[Record(content=" | ".join(said), title="t")])

def main(arguments):
    parsing.prepare()
    parsing.prepare, parsing.parse = lambda **_: None, obey
    child.main(arguments)
"""


@pytest.fixture
async def evil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ChildReader]:
    """A reader whose parser does what the files tell it; its parent holds a secret."""
    home = tmp_path / "code"
    home.mkdir()
    (home / "evil.py").write_text(EVIL)
    start = f"import sys; sys.path[:0] = [{str(home)!r}, {str(Path(weft.__file__).parents[1])!r}]; "
    monkeypatch.setattr(
        "weft.adapters.reader.process._START",
        start + "sys.argv.pop(1); from {0} import main; main(sys.argv[1:])",
    )
    monkeypatch.setenv("WEFT_SECRET_OF_A_TEST", "a secret")
    made = ChildReader(ReaderLimits(wall_seconds=20.0), module="evil")
    yield made
    await made.close()


async def told(reader: ChildReader, folder: Path, what: str, detail: object = "") -> str:
    path = folder / "order.json"
    path.write_text(json.dumps([what, str(detail)]))
    found = await reader.read(path)
    assert found.status is FileStatus.READ, found.reason
    return found.records[0].content


async def test_it_reads_no_file(evil: ChildReader, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    for name in ("token", "audit.key", "records.db"):
        (workspace / name).write_text("a secret")
        (workspace / name).chmod(0o644)
    parent = f"/proc/{os.getpid()}"
    wanted = [*workspace.iterdir(), "/etc/passwd", f"{parent}/environ", f"{parent}/mem"]
    wanted += [f"{parent}/cmdline", f"{parent}/fd/0", "/proc/self/maps", tmp_path / "order.json"]
    for path in wanted:
        said = await told(evil, tmp_path, "read", path)
        assert "DONE" not in said, f"{path}: {said}"
    for path in (workspace, "/"):
        assert "DONE" not in await told(evil, tmp_path, "list", path)


async def test_it_writes_nothing(evil: ChildReader, tmp_path: Path) -> None:
    os.chmod(tmp_path, 0o777)
    (tmp_path / "kept").write_text("words")
    os.chmod(tmp_path / "kept", 0o666)
    for name in ("new", "kept"):
        assert "DONE" not in await told(evil, tmp_path, "write", tmp_path / name)
    assert "DONE" not in await told(evil, tmp_path, "unlink", tmp_path / "kept")
    assert (tmp_path / "kept").read_text() == "words"
    assert not (tmp_path / "new").exists()


async def test_it_starts_and_reaches_nothing(evil: ChildReader, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for what in ("start", "fork", "thread", "connect", "kill", "trace", "memory"):
            said = await told(evil, tmp_path, what, port)
            assert "DONE" not in said, f"{what}: {said}"
        server.settimeout(0.1)
        with pytest.raises(TimeoutError):
            await asyncio.to_thread(server.accept)


async def test_it_is_given_nothing(evil: ChildReader, tmp_path: Path) -> None:
    """Neither the parent's variables, nor its open files, nor root."""
    with (tmp_path / "open").open("wb") as file:
        os.set_inheritable(file.fileno(), True)
        assert "empty" in await told(evil, tmp_path, "environ")
        assert "alone" in await told(evil, tmp_path, "handles")
    assert "nobody" in await told(evil, tmp_path, "root")


async def test_what_holds_here_is_known(evil: ChildReader) -> None:
    assert await evil.breaches() == ()


async def test_what_does_not_hold_is_named(evil: ChildReader, tmp_path: Path) -> None:
    """As on a kernel without Landlock, without a filter of calls and without a limit of memory."""
    with (tmp_path / "code" / "evil.py").open("a") as code:
        code.write("child.leave_files = child.leave_calls = lambda: None\n")
        code.write("child.bind = lambda limits: None\n")
    assert await evil.breaches() == ("files", "writing", "programs", "network", "memory")


async def test_confined_parsers_read_as_unconfined_ones_do(tmp_path: Path) -> None:
    """What parsers load late they must have loaded by then; nothing can be loaded afterwards."""
    files = {
        "a.txt": "Été à la plage, çà et là. Un café noisette.\n".encode("cp1252"),
        "b.txt": "오늘 회의는 오후 세 시에 시작합니다. 자료를 준비해 주세요.\n".encode("cp949"),
        "c.txt": "会議は午後三時に始まります。資料を用意してください。\n".encode("shift_jis"),
        "d.txt": "Mail\nDate: Tue, 3 Mar 2020 10:00:00 +0100\nFrom: a\n\nWords.".encode("utf-16"),
        "e.html": "<meta charset=euc-jp><p>会議は三時</p>".encode("euc-jp"),
        "f.html": b"<html><head><meta property='article:published_time' content='2020-01-02'>"
        b"</head><body><h1>A</h1><ul><li>one<li>two</ul><table><tr><td>c</table><pre>x\ny</pre>",
        "g.pdf": pdf(["Words.", "More."], title="A report"),
        "h.pdf": encrypted(pdf(["Words."]), ""),
        "i.csv": b"id,text,updated,n\n1,one,3 March 2020,1.5\n2,two,2020-01-02T10:00:00Z,\n",
        "j.json": b'[{"text": "x", "updated": "2020-01-02", "n": {"a": [1, null]}}]',
        "k.md": b"---\ntitle: T\ndate: 2020-01-02\ntags: [a, b]\n---\n# H\n\n```py\nx\n```\n",
        "l.py": b"import os\n\n\ndef f():\n    return 1\n",
        "m.rst": b":Author: A\n\nTitle\n=====\n\nWords.\n",
    }
    reader = ChildReader()
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
        found = await reader.read(tmp_path / name)
        free = parse_alone(RawFile(data=data, name=name))
        assert (found.reason, list(found.records)) == ("", free.records), name
    await reader.close()


async def test_confined_parsers_read_documents_of_other_programs() -> None:
    reader = ChildReader()
    kinds = set()
    for path in sorted(DOCUMENTS.iterdir()):
        found = await reader.read(path)
        if found.status is FileStatus.READ:
            kinds.add(path.suffix)
            assert list(found.records) == parsed_at(path).records, path.name
        else:
            assert found.status is FileStatus.UNSUPPORTED, (path.name, found.reason)
    await reader.close()
    assert {".docx", ".xlsx", ".pptx", ".odt", ".epub", ".rtf", ".parquet", ".ttl"} <= kinds


async def test_confined_parsers_read_what_is_in_archives_and_mails(tmp_path: Path) -> None:
    rows = (DOCUMENTS / "piles.duckdb.parquet").read_bytes()
    report = (DOCUMENTS / "report_ko.libreoffice.docx").read_bytes()
    with zipfile.ZipFile(tmp_path / "in.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("report.docx", report)
    mail = EmailMessage()
    mail["Subject"] = "Piles"
    mail.set_content("See below. 아래를 보세요.", cte="base64")
    mail.add_attachment(rows, maintype="application", subtype="octet-stream", filename="a.parquet")
    zipped = (tmp_path / "in.zip").read_bytes()
    mail.add_attachment(zipped, maintype="application", subtype="zip", filename="in.zip")
    (tmp_path / "m.eml").write_bytes(mail.as_bytes())
    reader = ChildReader()
    for inside in ((), ("a.parquet",), ("in.zip",), ("in.zip", "report.docx")):
        found = await reader.read(tmp_path / "m.eml", inside)
        free = parsed_at(tmp_path / "m.eml", *inside)
        assert (found.status, found.reason) == (FileStatus.READ, ""), inside
        assert (list(found.records), list(found.members)) == (free.records, free.members), inside
    await reader.close()


# A filter's steps on a processor that is not this one: run by hand.
@pytest.mark.parametrize(
    ("machine", "architecture", "read", "refused"),
    [
        # open, socket, clone, execve, openat, ptrace, and x86_64's second set of numbers
        ("x86_64", 0xC000003E, 0, (2, 41, 56, 59, 257, 101, 0x4000_0000)),
        ("aarch64", 0xC00000B7, 63, (198, 220, 221, 56, 117, 38)),
    ],
)
def test_the_filter_on_each_processor(
    machine: str, architecture: int, read: int, refused: tuple[int, ...]
) -> None:
    steps = program(machine, own=7)
    kill = 62 if machine == "x86_64" else 129
    assert judged(steps, read, architecture) == 0x7FFF_0000
    assert judged(steps, kill, architecture, first=7) == 0x7FFF_0000
    for number in (*refused, kill):
        assert judged(steps, number, architecture, first=8) == 0x0005_0000 | errno.EPERM
    assert judged(steps, read, architecture ^ 1) == 0x8000_0000


def judged(steps: bytes, number: int, architecture: int, *, first: int = 0) -> int:
    """Return what a filter says of a call."""
    words = {0: number, 4: architecture, 16: first}
    rows = list(struct.iter_unpack("=HBBI", steps))
    at, word = 0, 0
    while True:
        code, yes, no, value = rows[at]
        at += 1
        if code == 0x20:
            word = words[value]
        elif code == 0x06:
            return int(value)
        else:
            at += yes if (word == value if code == 0x15 else word >= value) else no
