"""A small folder of mixed files, and edits of it that give the next run something of every kind."""

from __future__ import annotations

import json
from pathlib import Path

from unit.adapters.reader.samples import pdf

PEOPLE = ("Ada Lovelace", "Grace Hopper", "Li Wei", "김철수", "Alan Turing")
TOWNS = ("Seoul", "London", "Oslo", "Lima", "Quito")
ACL = "default: ['tenant:*']\npaths:\n  'notes/*': ['user:owner', '{group}']\n"


def make(root: Path) -> None:
    """Write 25 files: text, Markdown, HTML, PDF, CSV, JSON and one that cannot be read."""
    (root / "notes").mkdir(parents=True)
    for number in range(7):
        write_note(root, f"note{number}", number)
    for number in range(6):
        (root / f"plain{number}.txt").write_text(_story(number) + "\n\n" + _story(number + 1))
    for number in range(3):
        write_table(root, number, 0)
        (root / f"page{number}.html").write_text(_page(number), encoding="utf-8")
        items = [{"id": f"i{n}", "title": f"Item {n}", "text": _story(n)} for n in range(3)]
        (root / f"items{number}.json").write_text(json.dumps(items))
    for number in range(2):
        (root / f"paper{number}.pdf").write_bytes(pdf([_plain(number), _plain(number + 2)]))
    (root / "broken.pdf").write_bytes(b"%PDF-1.4\n this is no PDF")


def edit(root: Path, turn: int) -> None:
    """Change one note, one row of a table and one ACL; remove a file and bring in another."""
    write_note(root, f"note{turn % 4}", turn + 100)
    write_table(root, turn % 3, turn)
    group = f"group:g{turn % 3}"
    (root / "weft.acl.yaml").write_text(ACL.format(group=group))
    for old in root.glob("extra*.txt"):
        old.unlink()
    (root / f"extra{turn}.txt").write_text(f"Edit {turn}. {_story(turn)}")


def write_note(root: Path, name: str, seed: int) -> None:
    """Write a note of three sections that mentions an issue of another one."""
    sections = [f"## Part {part}\n\n{_story(seed + part)} See PAY-{part}." for part in range(3)]
    text = "\n\n".join([f"# {name} {seed}", *sections])
    (root / "notes" / f"{name}.md").write_text(text, encoding="utf-8")


def write_table(root: Path, number: int, turn: int) -> None:
    """Write a table of five rows, of which the second tells the turn."""
    rows = [f"r{n},Row {n},{_story(n)},{TOWNS[n]}" for n in range(5)]
    rows[1] = f"r1,Row 1,Written in turn {turn} of table {number}.,Oslo"
    (root / f"table{number}.csv").write_text("\n".join(["id,title,text,town", *rows]) + "\n")


def _story(seed: int) -> str:
    person, town = PEOPLE[seed % len(PEOPLE)], TOWNS[(seed * 3) % len(TOWNS)]
    return (
        f"{person} founded the Bureau {seed} in {town} in {1900 + seed}. "
        f"The outage of Apollo {seed} began on 3 March {2000 + seed % 24}. "
        f"{person} leads the Payments team."
    )


def _plain(seed: int) -> str:
    return f"Paper {seed}. Ada Lovelace wrote program {seed} in London."


def _page(seed: int) -> str:
    body = "".join(f"<p>{_story(seed + n)}</p>" for n in range(3))
    head = f"<head><title>Page {seed}</title></head>"
    return f"<html>{head}<body><article>{body}</article></body></html>"
