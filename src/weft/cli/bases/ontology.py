"""`weft ontology`: ontologies listed, checked, shown, brought in, and their hints kept."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from weft.cli.invocation import refusal, show_json
from weft.cli.screen import screen
from weft.cli.terminal.tables import figures, say, show_table, words
from weft.cli.terminal.units import counted
from weft.domain.errors import BadInput, WeftError
from weft.ontology.collection import NAME, SUFFIX, Ontologies
from weft.ontology.shipped import BASELINE
from weft.ports.files.rdf import RdfStatement

if TYPE_CHECKING:
    from weft.ontology.importing import Imported
    from weft.ontology.schema import Mode, Ontology

T = TypeVar("T")
app = typer.Typer(
    help="Ontologies: which classes and relations documents are read by.", no_args_is_help=True
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Which = Annotated[str, typer.Argument(metavar="NAME|FILE", help="By name, or a file.")]
Several = Annotated[
    list[str] | None, typer.Argument(metavar="[NAME|FILE]…", help="By name, or files.")
]
Called = Annotated[str, typer.Option(help="What it is called; the first file's name.")]
Extends = Annotated[str, typer.Option(help="The ontology that it adds to, or none.")]
Binding = Annotated[str, typer.Option(help="open, guided or strict.")]
Output = Annotated[Path | None, typer.Option("-o", help="Write to this file.")]
_NONE = "none"


@app.command("list")
def list_ontologies(as_json: Json = False) -> None:
    """List the ontologies: those of the workspace and the shipped ones."""

    def listed(known: Ontologies) -> list[dict[str, object]]:
        return [_summary(known, name) for name in known.names()]

    rows = _done(listed, as_json=as_json)
    if as_json:
        show_json(rows)
        return
    columns = [words("ontology"), words("from"), words("mode"), figures("classes")]
    shown = [
        [str(row[key]) for key in ("name", "from", "mode", "classes", "relations", "error")]
        for row in rows
    ]
    show_table(
        screen(highlight=False), [*columns, figures("relations"), words("problem")], rows=shown
    )


def _summary(known: Ontologies, name: str) -> dict[str, object]:
    origin = "workspace" if known.is_own(name) else "shipped"
    blank: dict[str, object] = dict.fromkeys(("mode", "classes", "relations", "version"), "")
    try:
        ontology = known.named(name)
    except BadInput as error:
        return {"name": name, "from": origin, **blank, "error": error.message}
    return {
        "name": name,
        "from": origin,
        "mode": ontology.mode.value,
        "classes": len(ontology.classes),
        "relations": len(ontology.relations),
        "version": known.reference(name).partition("@")[2],
        "error": "",
    }


@app.command()
def check(which: Several = None, as_json: Json = False) -> None:
    """Check ontologies, all of them where none is named; ends with 2 where one cannot be used."""

    def checked(known: Ontologies) -> list[dict[str, object]]:
        return [_checked(known, each) for each in which or known.names()]

    rows = _done(checked, as_json=as_json)
    if as_json:
        show_json({"ontologies": rows, "ok": all(row["ok"] for row in rows)})
    else:
        console = screen(highlight=False)
        for row in rows:
            if row["ok"]:
                sizes = f"{row['classes']} classes, {row['relations']} relations"
                say(console, f"ok      {row['name']}: {sizes}")
            else:
                say(console, f"failed  {row['error']}", style="red")
            doubts = row["doubts"]
            assert isinstance(doubts, list)
            for doubt in doubts:
                say(console, f"        {doubt}", style="dim")
    if not all(row["ok"] for row in rows):
        raise typer.Exit(BadInput.exit_code)


def _checked(known: Ontologies, which: str) -> dict[str, object]:
    from weft.ontology.checking import doubts

    try:
        ontology = _meant(known, which)
    except BadInput as error:
        none: list[str] = []
        said = error.message
        return {"name": which, "ok": False, "error": said, "doubts": none}
    return {
        "name": which,
        "ok": True,
        "error": "",
        "mode": ontology.mode.value,
        "classes": len(ontology.classes),
        "relations": len(ontology.relations),
        "doubts": doubts(ontology),
    }


@app.command()
def show(which: Which, as_json: Json = False) -> None:
    """Show what an ontology lets a document say: its classes and relations, in words."""
    ontology = _done(lambda known: _meant(known, which), as_json=as_json)
    if not as_json:
        sys.stdout.write(f"{ontology.extraction_context().text}\n")
        return
    show_json(
        {
            "name": ontology.name,
            "mode": ontology.mode.value,
            "version": ontology.fingerprint,
            "classes": [
                {
                    "name": each.name,
                    "description": each.description,
                    "parents": list(each.parents),
                    "aliases": list(each.aliases),
                    "literal": each.literal,
                }
                for each in ontology.classes
            ],
            "relations": [
                {
                    "name": each.name,
                    "description": each.description,
                    "domain": sorted(each.stated[0]),
                    "range": sorted(each.stated[1]),
                    "datatype": each.datatype,
                    "cardinality": each.cardinality,
                    "functional": each.functional,
                    "aliases": list(each.aliases),
                }
                for each in ontology.relations
            ],
        }
    )


@app.command()
def hints(
    which: Which,
    output: Output = None,
) -> None:
    """Write the words that speak for classes, to weigh candidates by: aliases, label_keywords."""
    from weft.ontology.hints import hints_of

    found = _done(lambda known: hints_of(_meant(known, which))).as_json()
    text = json.dumps(found, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    if output is None:
        sys.stdout.write(text)
        return
    _done(lambda known: _write(output, text))
    say(screen(), f"{counted(len(text.splitlines()), 'line')} → {output}")


@app.command("import")
def import_files(
    files: Annotated[list[Path], typer.Argument(help="OWL, RDFS or SKOS files.")],
    *,
    name: Called = "",
    extends: Extends = BASELINE,
    mode: Binding = "open",
    output: Output = None,
    as_json: Json = False,
) -> None:
    """Bring in OWL, RDFS or SKOS (Turtle, RDF/XML, JSON-LD, N-Triples) as one ontology.

    It is written as YAML into the workspace's ontologies/, to be edited. Nothing is fetched:
    what files import must be among the files.
    """
    called = name or files[0].stem
    base = "" if extends == _NONE else extends

    def action(known: Ontologies) -> tuple[Imported, Path]:
        made = _imported(known, files, name=called, extends=base, mode=mode)
        path = output or _place(known, called)
        _write(path, made.text)
        return made, path

    made, path = _done(action, as_json=as_json)
    sizes = {
        "classes": made.classes,
        "properties": made.properties,
        "relations": made.relations,
    }
    if as_json:
        show_json({"name": called, "path": str(path), **sizes, "missing": list(made.missing)})
        return
    console = screen(highlight=False)
    told = ", ".join(f"{number} {what}" for what, number in sizes.items())
    say(console, f"{called}: {told} → {path}")
    if made.missing:
        say(console, f"Not among the files: {', '.join(made.missing)}", style="yellow")


def _imported(
    known: Ontologies, files: Sequence[Path], *, name: str, extends: str, mode: str
) -> Imported:
    from weft.bootstrap.ontologies import rdf_files
    from weft.ontology.catalog import parse, whole
    from weft.ontology.importing import ImportRequest, imported

    if not NAME.fullmatch(name):
        raise BadInput(f"'{name}' is no name of an ontology: letters, digits, - and _.", name=name)
    reader, statements = rdf_files(), list[RdfStatement]()
    for path in files:
        statements += reader.statements(_bytes(path), path.name)
    base = whole(known.text(extends), name=extends, of=known.text) if extends else None
    wanted = ImportRequest(name=name, mode=_mode(mode), extends=extends, base=base)
    made = imported(statements, wanted)
    parse(made.text, name=name, of=known.text)
    return made


def _mode(given: str) -> Mode:
    from weft.ontology.schema import Mode

    try:
        return Mode(given)
    except ValueError:
        raise BadInput(f"The mode is open, guided or strict, not '{given[:40]}'.") from None


def _place(known: Ontologies, name: str) -> Path:
    """Return where the workspace keeps an ontology; one that is there is not written over."""
    path = known.path(name)
    if path is None:
        raise BadInput("There is no workspace to keep it in.")
    if path.exists():
        raise BadInput(f"There is an ontology '{name}' already: {path}. Remove it, or use --name.")
    return path


def _meant(known: Ontologies, which: str) -> Ontology:
    """Return the ontology of a name, or of a file: YAML of ours, or RDF as it is brought in."""
    from weft.bootstrap.ontologies import SUFFIXES
    from weft.ontology.catalog import parse

    path = Path(which)
    suffix = path.suffix.casefold()
    if suffix in SUFFIXES:
        name = path.stem if NAME.fullmatch(path.stem) else "file"
        made = _imported(known, [path], name=name, extends="", mode="open")
        return parse(made.text, name=path.name, of=known.text)
    if suffix in (SUFFIX, ".yml"):
        text = _bytes(path).decode("utf-8", "replace")
        return parse(text, name=path.name, of=known.text)
    return known.named(which)


def _bytes(path: Path) -> bytes:
    from weft.bootstrap.ontologies import MAX_BYTES

    try:
        if path.stat().st_size > MAX_BYTES:
            raise BadInput(f"{path} has more than {MAX_BYTES} bytes.", file=str(path))
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}", file=str(path)) from error


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from error


def _done(action: Callable[[Ontologies], T], *, as_json: bool = False) -> T:
    """Do something with the ontologies of the workspace; an error ends the process."""
    from weft.bootstrap.ontologies import known_ontologies, load_settings

    try:
        return action(known_ontologies(load_settings()))
    except WeftError as error:
        raise refusal(error, as_json=as_json) from error
