"""Write docs/reference from the code: command line, settings, errors, events, HTTP, meters.

Usage: python tools/docs.py [--check]. With --check nothing is written; it fails and names the
pages that are not what the code says.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import Field
from pathlib import Path
from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from weft.api.app import build
from weft.api.edge.metrics import Meters
from weft.api.edge.trail import RouteTrail, trails
from weft.cli.verbs import command_line
from weft.config import CHOICE, ENVIRONMENT, FILE, SECRETS, SETTINGS, load_settings
from weft.domain.errors import WeftError
from weft.domain.event import TERMINAL, EventType
from weft.platform.trail.audited_actions import ACTIONS

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
BAR = r"\|"
Row = tuple[str, ...]
MADE = "<!-- Made from the code by `make docs`; change it there. -->"


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them."""
    made = pages()
    if "--check" in arguments:
        stale = [name for name, text in made.items() if _read(FOLDER / name) != text]
        for name in stale:
            print(f"docs/reference/{name} is not what the code says; run: make docs")
        return 1 if stale else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    return 0


def pages() -> dict[str, str]:
    """Return each page by its file name."""
    made = {
        "cli.md": cli(),
        "settings.md": settings(),
        "errors.md": errors(),
        "events.md": events(),
    }
    with tempfile.TemporaryDirectory() as folder:
        api = build(load_settings(Path(folder)))
    said = api.openapi()
    made["http.md"] = http(said)
    made["metrics.md"] = metrics()
    made["audit.md"] = audit(trails(api))
    pages = {name: f"{MADE}\n\n{text.rstrip()}\n" for name, text in made.items()}
    return {**pages, "openapi.json": json.dumps(said, indent=2, ensure_ascii=False) + "\n"}


def cli() -> str:
    """Return every verb with its arguments and options."""
    root = get_command(command_line())
    assert isinstance(root, TyperGroup)
    lines = [
        "# Command line",
        "",
        f"{root.help}",
        "",
        "Every verb takes `--help`. An error is one line on standard error; with `--json` it is",
        '`{"error": {"code", "message", …}}` on standard output. [errors.md](errors.md) lists the',
        "exit codes. A call that no verb understands ends with 2.",
    ]
    for path, command in _verbs("weft", root):
        lines += ["", *_verb(path, command)]
    return "\n".join(lines)


def _verbs(path: str, group: TyperGroup) -> Iterator[tuple[str, TyperCommand]]:
    for name, inner in group.commands.items():
        if isinstance(inner, TyperGroup):
            yield from _verbs(f"{path} {name}", inner)
        elif isinstance(inner, TyperCommand) and not inner.hidden:
            yield f"{path} {name}", inner


def _verb(path: str, command: TyperCommand) -> list[str]:
    words = [path]
    shown: list[Row] = []
    for parameter in command.params:
        if isinstance(parameter, TyperArgument):
            word = parameter.metavar or (parameter.name or "").upper()
            if not parameter.metavar:
                word += "…" if parameter.nargs == -1 else ""
                word = word if parameter.required else f"[{word}]"
            words.append(word)
            shown.append((f"`{word}`", parameter.help or "", _default(parameter)))
        elif isinstance(parameter, TyperOption):
            names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
            shown.append((names, parameter.help or "", _default(parameter)))
    lines = [f"## {path}", "", (command.help or "").strip(), "", f"    {' '.join(words)} [OPTIONS]"]
    return [*lines, "", *_table(("", "meaning", "default"), shown)] if shown else lines


def _default(parameter: TyperArgument | TyperOption) -> str:
    default = parameter.default
    plain = isinstance(default, str | int) and not isinstance(default, bool) and default != ""
    return f"`{default}`" if plain else ""


def settings() -> str:
    """Return every setting."""
    variables = {field: variable for variable, field in ENVIRONMENT.items()}
    rows = [
        (
            f"`{name}`",
            f"`{variables[name]}`" if name in variables else "",
            str(field.metadata["description"]) + (" Secret." if name in SECRETS else ""),
            _limits(field),
            "" if field.default in (None, "") else f"`{field.default!s}`",
        )
        for name, field in SETTINGS.items()
    ]
    head = ("setting", "variable", "meaning", "values", "default")
    return "\n".join(
        [
            "# Settings",
            "",
            f"Settings stand in `{FILE}` in the workspace (`WEFT_HOME`, `~/.weft` by default);",
            "`weft init` writes it. The environment wins over the file. `weft doctor` shows each",
            "value and where it comes from; of secrets, whether they are set.",
            "",
            *_table(head, rows),
        ]
    )


def _limits(field: Field[object]) -> str:
    found = field.metadata
    if "pattern" in found:
        if not CHOICE.fullmatch(found["pattern"]):
            return ""  # what it has to look like is said in words
        return ", ".join(f"`{one}`" for one in found["pattern"].strip("^$()").split("|"))
    if "ge" in found and "le" in found:
        return f"{found['ge']} to {found['le']}"
    return f"{found['ge']} or more" if "ge" in found else ""


def errors() -> str:
    """Return the tree of errors."""
    rows = [
        (
            f"{'&nbsp;' * 4 * depth}`{case.__name__}`",
            f"`{case.code}`",
            str(case.exit_code),
            _said(case),
        )
        for depth, case in _cases(WeftError, 0)
    ]
    return "\n".join(
        [
            "# Errors",
            "",
            "One tree, in `weft.domain.errors`. `code` is the stable name, in `--json` output and",
            "over HTTP; the last column is the message where no better one is known. The command",
            "line ends with 0 when all went well, else with the error's exit code, and with 130",
            "when it was interrupted. No error ends with 1: with that `weft ask` says that it went",
            "well and nothing answers, and `weft doctor` that something is not well. Where",
            "standard output cannot be written to, that is said on standard error and it ends",
            "with 9; where its reader has gone (`| head`) nothing is said and it ends with 141.",
            "What standard error does not take is lost and changes nothing.",
            "",
            *_table(("error", "code", "exit code", "message"), rows),
        ]
    )


def _cases(case: type[WeftError], depth: int) -> Iterator[tuple[int, type[WeftError]]]:
    yield depth, case
    for inner in case.__subclasses__():
        if inner.__module__ == WeftError.__module__:
            yield from _cases(inner, depth + 1)


def _said(case: type[WeftError]) -> str:
    return (case.__doc__ or "").strip().splitlines()[0]


def events() -> str:
    """Return every kind of event."""
    said = _attribute_docs(EventType)
    rows = [
        (f"`{kind.value}`", said[kind.name], "yes" if kind in TERMINAL else "")
        for kind in EventType
    ]
    return "\n".join(
        [
            "# Events",
            "",
            "A run is a list of events; `weft runs show` prints it. Each has `seq` (from 1), `ts`,",
            "`type`, `node`, `parent`, `sources` and `data`. `data` is JSON with ids of chunks and",
            "documents, never their text. Exactly one event ends a run, and it is the last.",
            "",
            *_table(("type", "meaning", "ends the run"), rows),
        ]
    )


def http(said: Mapping[str, Any]) -> str:
    """Return every route in a line; the whole is in openapi.json."""
    rows = [
        (f"`{method.upper()} {path}`", operation.get("summary", ""), _replies(operation))
        for path, item in said["paths"].items()
        for method, operation in item.items()
    ]
    return "\n".join(
        [
            "# HTTP",
            "",
            "Every route in a line; [openapi.json](openapi.json) says the rest; a service shows",
            "it at `/docs`. Send the token that lies in the workspace as `Authorization: Bearer`.",
            "Errors are problem documents (RFC 9457) with a `code` of [errors.md](errors.md).",
            "",
            *_table(("route", "what it does", "reply"), rows),
        ]
    )


def _replies(operation: Mapping[str, Any]) -> str:
    good = [(status, reply) for status, reply in operation["responses"].items() if status < "300"]
    kinds = [kind for _, reply in good for kind in reply.get("content", {})]
    return ", ".join([status for status, _ in good] + [f"`{kind}`" for kind in kinds])


def audit(said: Mapping[tuple[str, str], RouteTrail | None]) -> str:
    """Return every action of the audit log, and what each route leaves there."""
    actions = [(f"`{name}`", action.says, action.effect.value) for name, action in ACTIONS.items()]
    routes = [
        (
            f"`{method} {path}`",
            f"`{trail.action}`" if trail.action else f"none: {trail.why_nothing}",
        )
        for (method, path), trail in sorted(said.items(), key=lambda item: item[0][::-1])
        if trail is not None
    ]
    return "\n".join(
        [
            "# Audit log",
            "",
            "Every row names an action of this table. An act leaves two rows, its intent before it",
            "is done and its outcome after it; what was refused or observed leaves one, an intent",
            "that is decided already.",
            "",
            *_table(("action", "what happened", "effect"), actions),
            "",
            "What each route leaves, once whoever asks is let in:",
            "",
            *_table(("route", "action"), routes),
        ]
    )


def metrics() -> str:
    """Return every meter."""
    rows = [
        (f"`{family.name}`", family.type, family.documentation)
        for family in Meters().registry.collect()
    ]
    return "\n".join(
        [
            "# Meters",
            "",
            "What `GET /metrics` shows, in the text form that Prometheus reads; counters end in",
            "`_total` there.",
            "",
            *_table(("meter", "kind", "meaning"), rows),
        ]
    )


def _attribute_docs(kind: type) -> Mapping[str, str]:
    """Return the string below each member; raise `KeyError` later where one has none."""
    (found,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(found, ast.ClassDef)
    said: dict[str, str] = {}
    for before, after in zip(found.body, found.body[1:], strict=False):
        if isinstance(before, ast.Assign) and isinstance(after, ast.Expr):
            name, text = before.targets[0], after.value
            assert isinstance(name, ast.Name)
            assert isinstance(text, ast.Constant)
            said[name.id] = str(text.value)
    return said


def _table(head: Row, rows: Sequence[Row]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return lines + [f"| {' | '.join(cell.replace('|', BAR) for cell in row)} |" for row in rows]


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
