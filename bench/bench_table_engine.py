"""What the engine of tables takes beside pyarrow and DuckDB, over the same million rows.

`bench_table_engine.py [--rows 1000000] [--rounds 15]`: each engine has a process of its own, is
given the same orders and customers as texts, and works out a filtered sum, a group, the top ten
and a join. Prints seconds to read and load, the median and the 95th percentile of each when warm,
and how much memory the process came to hold. DuckDB takes part where it can be imported.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from weft.domain.ids import ChunkId, DocumentId
from weft.domain.outside.limits import reader_of
from weft.retrieval.tables.engine import TableDatabase
from weft.retrieval.tables.plan import TablePlan
from weft.retrieval.tables.table import RowPlace, TableRow, TypedTable, typed_columns

SEED = 18
CUSTOMERS = 10_000
CITIES = tuple(f"City {number}" for number in range(200))
STATES = ("paid", "open", "void")
SEGMENTS = ("home", "trade", "public")
ORDERS = ("number", "city", "status", "amount", "day", "customer")
WORKS = ("filter", "group", "top", "join")

Rows = list[tuple[str, ...]]
Works = Mapping[str, Callable[[], Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """An engine with its data in it: what it can work out, and the seconds that this took."""

    works: Works
    reading: float
    loading: float


def orders(count: int) -> Rows:
    """Return orders as they stand in a file."""
    made = random.Random(SEED)
    return [
        (
            f"O-{number}",
            made.choice(CITIES),
            made.choice(STATES),
            f"{made.randrange(100, 900_000) / 100:,.2f}",
            f"20{made.randrange(10, 25)}-{made.randrange(1, 13):02}-{made.randrange(1, 29):02}",
            f"C-{made.randrange(CUSTOMERS)}",
        )
        for number in range(count)
    ]


def customers() -> Rows:
    """Return the customers that the orders name."""
    made = random.Random(SEED)
    return [(f"C-{number}", made.choice(SEGMENTS)) for number in range(CUSTOMERS)]


def _typed(name: str, columns: tuple[str, ...], rows: Rows) -> TypedTable:
    held = tuple(
        TableRow(
            cells=row,
            place=RowPlace(
                document_id=DocumentId(f"record:{name}#{number}"),
                chunk_id=ChunkId(f"{name}-{number}"),
                start=0,
                end=1,
            ),
        )
        for number, row in enumerate(rows)
    )
    return TypedTable(
        knowledge_base="base",
        name=name,
        title=name,
        around="",
        columns=typed_columns(columns, held),
        rows=held,
    )


def weft(rows: Rows) -> Engine:
    """Return the engine of tables."""
    began = time.perf_counter()
    tables = [
        _typed("orders", ORDERS, rows),
        _typed("customers", ("customer", "segment"), customers()),
    ]
    read = time.perf_counter()
    one, both = TableDatabase(tables[:1]), TableDatabase(tables)
    kept = [
        {"column": "city", "op": "=", "value": CITIES[7]},
        {"column": "status", "op": "=", "value": "paid"},
    ]
    total = [{"function": "sum", "column": "amount"}]
    plans = {
        "filter": {"filters": kept, "aggregates": total},
        "group": {"filters": kept[1:], "group_by": ["city"], "aggregates": total},
        "top": {
            "columns": ["number", "amount"],
            "order_by": [{"column": "amount", "descending": True}],
            "limit": 10,
        },
        "join": {
            "tables": ["orders", "customers"],
            "joins": [{"left": "orders.customer", "right": "customers.customer"}],
            "group_by": ["segment"],
            "aggregates": total,
        },
    }
    made = {
        name: reader_of(TablePlan).validate_python({"tables": ["orders"], **plan})
        for name, plan in plans.items()
    }

    def work(name: str) -> Callable[[], Any]:
        base = both if name == "join" else one
        return lambda: base.run(made[name], seconds=60).figures

    works = {name: work(name) for name in WORKS}
    return Engine(works=works, reading=read - began, loading=time.perf_counter() - read)


def _arrow(rows: Rows) -> tuple[pa.Table, pa.Table]:
    """Return the same with the types that a file would have to be told to have."""
    columns = dict(zip(ORDERS, map(list, zip(*rows, strict=True)), strict=True))
    table = pa.table(columns)
    amounts = pc.cast(pc.replace_substring(table["amount"], ",", ""), pa.float64())
    table = table.set_column(ORDERS.index("amount"), "amount", amounts)
    table = table.set_column(ORDERS.index("day"), "day", pc.cast(table["day"], pa.date32()))
    named = dict(
        zip(("customer", "segment"), map(list, zip(*customers(), strict=True)), strict=True)
    )
    return table, pa.table(named)


def arrow(rows: Rows) -> Engine:
    """Return pyarrow's compute over tables of its own."""
    began = time.perf_counter()
    table, others = _arrow(rows)
    read = time.perf_counter()

    def kept() -> pa.Table:
        in_city = pc.equal(table["city"], CITIES[7])
        return table.filter(pc.and_(in_city, pc.equal(table["status"], "paid")))

    works: Works = {
        "filter": lambda: pc.sum(kept()["amount"]).as_py(),
        "group": lambda: (
            table.filter(pc.equal(table["status"], "paid"))
            .group_by("city")
            .aggregate([("amount", "sum")])
        ),
        "top": lambda: table.take(
            pc.select_k_unstable(table, k=10, sort_keys=[("amount", "descending")])
        ),
        "join": lambda: (
            table.join(others, "customer").group_by("segment").aggregate([("amount", "sum")])
        ),
    }
    return Engine(works=works, reading=read - began, loading=0.0)


def duckdb(rows: Rows) -> Engine:
    """Return DuckDB with the same tables loaded into it."""
    base = importlib.import_module("duckdb").connect()
    began = time.perf_counter()
    table, others = _arrow(rows)
    read = time.perf_counter()
    base.register("given", table)
    base.register("named", others)
    base.execute("create table orders as select * from given")
    base.execute("create table customers as select * from named")
    said = f"where city = '{CITIES[7]}' and status = 'paid'"
    queries = {
        "filter": f"select sum(amount) from orders {said}",
        "group": "select city, sum(amount) from orders where status = 'paid' group by city",
        "top": "select number, amount from orders order by amount desc limit 10",
        "join": "select segment, sum(amount) from orders join customers using (customer)"
        " group by segment",
    }

    def work(name: str) -> Callable[[], Any]:
        return lambda: base.execute(queries[name]).fetchall()

    works = {name: work(name) for name in WORKS}
    return Engine(works=works, reading=read - began, loading=time.perf_counter() - read)


ENGINES: Mapping[str, Callable[[Rows], Engine]] = {"weft": weft, "pyarrow": arrow, "duckdb": duckdb}


def measured(name: str, *, count: int, rounds: int) -> dict[str, float]:
    """Return what an engine takes, in this process alone."""
    rows = orders(count)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    engine = ENGINES[name](rows)
    found = {"reading": engine.reading, "loading": engine.loading}
    for work, run in engine.works.items():
        run()
        times = sorted(_seconds(run) * 1000 for _ in range(rounds))
        found[f"{work} p50"] = statistics.median(times)
        found[f"{work} p95"] = times[min(len(times) - 1, int(len(times) * 0.95))]
    found["MB"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return found


def _seconds(run: Callable[[], Any]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def main() -> int:
    """Run each engine in a process of its own and print what they took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--engine", choices=ENGINES, help="measure one, here, and print JSON")
    wanted = parser.parse_args()
    if wanted.engine:
        print(json.dumps(measured(wanted.engine, count=wanted.rows, rounds=wanted.rounds)))
        return 0
    found: dict[str, dict[str, float]] = {}
    amounts = ["--rows", str(wanted.rows), "--rounds", str(wanted.rounds)]
    for name in ENGINES:
        if name == "duckdb" and importlib.util.find_spec(name) is None:
            print("duckdb is not installed", file=sys.stderr)
            continue
        told = subprocess.run(
            [sys.executable, __file__, "--engine", name, *amounts],
            check=True,
            capture_output=True,
            text=True,
        )
        found[name] = json.loads(told.stdout)
    print(f"{wanted.rows} rows{'':14}" + "".join(f"{name:>12}" for name in found))
    for what in next(iter(found.values())):
        unit = "s" if what in ("reading", "loading") else "" if what == "MB" else "ms"
        line = "".join(f"{each[what]:12.{2 if unit == 's' else 0}f}" for each in found.values())
        print(f"{f'{what} {unit}':25}{line}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
