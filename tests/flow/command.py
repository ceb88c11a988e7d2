"""The command line as people use it: a process of its own, a workspace of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SETTINGS = ("WEFT_", "OPENAI_", "AZURE_OPENAI_", "OLLAMA_", "EMBEDDING_", "NEO4J_")
DOCUMENTS = {
    "harbour.md": """# Harbour works

## Cranes

The harbour committee met on 3 March 2024. It decided to replace the north crane in June.
The new crane lifts 120 tonnes.

## Dredging

Dredging of the inner basin costs 4.2 million euros and is done by Nordwerk Marine.
""",
    "회의록.txt": "서울 항만 회의록\n\n위원회는 2024년 3월에 북쪽 크레인을 교체하기로 결정했다. "
    "새 크레인의 최대 하중은 120톤이다. 담당자는 김민수 과장이다.\n",
    "people/staff.csv": "name,role,city\nAda Novak,harbour pilot,Gdansk\n"
    "Jun Ito,crane operator,Osaka\n",
    "tides.html": "<html><head><title>Tides</title></head><body><p>The highest tide of the year is "
    "expected on 21 September, at 6.8 metres above chart datum.</p></body></html>",
    "notes.json": '[{"id": "n1", "title": "Lighthouse", '
    '"content": "The lighthouse keeper is Berta Lind."}]',
}


def value_refuses(value: object) -> bool:
    """Tell whether what was printed is an answer that refuses."""
    return isinstance(value, dict) and value.get("refused") is True


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """How a call ended and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Return the value on standard output of a call that went well, or found no answer."""
        assert self.code in (0, 1), self.err or self.out
        value = json.loads(self.out)
        assert (self.code == 0) is not value_refuses(value), self.err or self.out
        return value

    @property
    def error(self) -> Any:
        """Return the error that a call with `--json` ended with."""
        assert self.code != 0, self.out
        return json.loads(self.out)["error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """`weft`, or another `program`, with a workspace, from a folder; `before` is what runs it."""

    home: Path
    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    program: tuple[str, ...] = ()

    def __call__(self, *words: str, told: str | None = None, **settings: str) -> Said:
        done = subprocess.run(
            [*self.before, *(self.program or command_words()), *words],
            cwd=self.folder,
            env=environment(self, {"COLUMNS": "200", **settings}),
            capture_output=True,
            input=told,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Said(code=done.returncode, out=done.stdout, err=done.stderr)


def environment(
    command: Command, settings: Mapping[str, str], *, without: tuple[str, ...] = ()
) -> dict[str, str]:
    """Return the variables of a call: those of here but what would change its ways, then its own.

    Names that begin as one of `without` are left out too.
    """
    # Bytecode is kept, as where Weft is installed: compiling takes longer than most calls.
    out = (*SETTINGS, "PYTHONDONTWRITEBYTECODE", *without)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(out)}
    return kept | {"WEFT_HOME": str(command.home), **command.settings, **settings}


def command_words() -> list[str]:
    """Return the words that call the command line."""
    beside = shutil.which("weft", path=str(Path(sys.executable).parent))
    return [beside] if beside else [sys.executable, "-c", "from weft.cli.main import main; main()"]


def launched(home: Path, script: str) -> Command:
    """Return the command line that a script starts, which may import what the tests do."""
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    settings = {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    program = (sys.executable, "-c", script)
    return Command(home=home, folder=home, settings=settings, program=program)


def write(folder: Path, documents: Mapping[str, str | bytes] = DOCUMENTS) -> Path:
    """Write documents into a folder and return it."""
    for name, content in documents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def citations(answer: Mapping[str, Any]) -> list[Any]:
    """Return the citations of an answer in JSON, in the order of the sentences."""
    return [one for sentence in answer["sentences"] for one in sentence["citations"]]
