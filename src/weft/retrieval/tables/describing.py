"""Tables told to whoever plans over them: their columns, and what a question has of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from weft.domain.errors import WeftError
from weft.language.terms import STOP_WORDS, stem
from weft.ports.embedder import Embedder
from weft.retrieval.tables.links import (
    QuestionWord,
    ValueIndex,
    column_links,
    content_words,
    name_words,
    number_links,
    value_links,
    value_words,
    words_of,
)
from weft.retrieval.tables.references import References
from weft.retrieval.tables.table import ColumnKind, TypedTable

MOST_TABLES = 12
_COMPARED = 6
_MOST_COLUMNS = 40
_MOST_SAID = 60
_EXAMPLES = 3
_LEAST_ALIKE = 0.4
_PART = 0.6
_PART_OF_NAME = 0.5
_KEPT_NAMES = 20_000
_PARTICLES = frozenset({"out", "up", "off", "down", "away", "back"})


class Describer:
    """Tells tables, with the likeness of words where there is an embedder."""

    def __init__(self) -> None:
        """Begin with no names compared yet."""
        self._indexes: WeakKeyDictionary[TypedTable, ValueIndex] = WeakKeyDictionary()
        self._references = References()
        self._names: dict[str, Any] = {}

    async def described(
        self, question: str, tables: Sequence[TypedTable], *, embedder: Embedder | None
    ) -> list[dict[str, Any]]:
        """Return the tables that share most words with a question, those first, as plain data."""
        words = words_of(question)
        items = [self._item(question, words, table=table) for table in tables]
        order = sorted(range(len(items)), key=lambda at: -_shared(items[at]))[:MOST_TABLES]
        if embedder is not None:
            for at in order[:_COMPARED]:
                await self._compare(items[at], words, table=tables[at], embedder=embedder)
        chosen = [tables[at] for at in order]
        for at in order:
            refers = self._references.of(tables[at], chosen)
            items[at]["refers"] = [
                {"column": one.column, "table": one.table, "key": one.key} for one in refers
            ]
        return [items[at] for at in order]

    def _item(
        self, question: str, words: Sequence[QuestionWord], *, table: TypedTable
    ) -> dict[str, Any]:
        values = (
            *value_links(words, table, index=self._index(table)),
            *number_links(question, table),
        )
        said: list[dict[str, Any]] = [
            {
                "start": value.start,
                "end": value.end,
                "column": value.column,
                "values": list(value.values),
                "score": 1.0 if value.exact else _PART,
                "mixed": value.mixed,
            }
            for value in values
        ]
        said += [
            {"start": one.start, "end": one.end, "column": one.column, "score": one.score}
            for one in column_links(words, table)
        ]
        around = {
            stem(word) for word in value_words(f"{table.title} {table.around}".replace("_", " "))
        }
        own = [w.start for w in content_words(words) if {stem(key) for key in w.keys} & around]
        return {
            "knowledge_base": table.knowledge_base,
            "name": table.name,
            "title": table.title,
            "rows": len(table.rows),
            "as_of": table.as_of.isoformat() if table.as_of else "",
            "key": table.columns[table.key].name,
            "columns": [_column(table, at) for at in range(min(len(table.columns), _MOST_COLUMNS))],
            "said": said[:_MOST_SAID],
            "own": own,
            "likeness": [],
        }

    def _index(self, table: TypedTable) -> ValueIndex:
        held = self._indexes.get(table)
        if held is None:
            held = self._indexes[table] = ValueIndex(table)
        return held

    async def _compare(
        self,
        item: dict[str, Any],
        words: Sequence[QuestionWord],
        *,
        table: TypedTable,
        embedder: Embedder,
    ) -> None:
        """Enter how alike the words that stand nowhere in a table are to what it has."""
        free = _unknown(item, words)
        names = [column.name for column in table.columns[:_MOST_COLUMNS]]
        spelt = [_spelt(name) for name in names]
        if not free:
            return
        try:
            await self._learn(
                [*(word.text.casefold() for word in free), *spelt, table.title], embedder
            )
        except WeftError:
            return  # without its vectors words are compared by their letters alone
        theirs = np.stack([self._names[one] for one in (*spelt, table.title)])
        for word in free:
            alike = theirs @ self._names[word.text.casefold()]
            best = int(np.argmax(alike[:-1]))
            apart = float(alike[best] - max(np.delete(alike[:-1], best), default=0.0))
            if alike[best] >= _LEAST_ALIKE:
                item["said"].append(
                    {
                        "start": word.start,
                        "end": word.end,
                        "column": names[best],
                        "score": round(float(alike[best]), 4),
                        "alike": True,
                        "apart": round(apart, 4),
                    }
                )
            item["likeness"].append([word.start, round(float(alike.max()), 4)])

    async def _learn(self, texts: Sequence[str], embedder: Embedder) -> None:
        new = [one for one in dict.fromkeys(texts) if one not in self._names]
        if new:
            if len(self._names) > _KEPT_NAMES:
                self._names.clear()
                new = list(dict.fromkeys(texts))
            vectors = await embedder.queries(new)
            self._names |= dict(zip(new, vectors, strict=True))


def _unknown(item: Mapping[str, Any], words: Sequence[QuestionWord]) -> list[QuestionWord]:
    """Return the words of which nothing surer is known than how alike they are.

    A plain word that is one value may be the name of what is measured as well.
    """
    single = {(word.start, word.end) for word in words}
    linked = [
        (one["start"], one["end"])
        for one in item["said"]
        if one["score"] >= _PART_OF_NAME
        and not (one.get("values") and (one["start"], one["end"]) in single)
    ]
    return [
        word
        for word in _spoken(content_words(words), words)
        if word.start not in item["own"]
        and not any(start <= word.start < end for start, end in linked)
        and word.text.isascii()
    ]


def _spoken(some: Sequence[QuestionWord], words: Sequence[QuestionWord]) -> list[QuestionWord]:
    """Return words, each with the particle behind it: "came out" says more than "came"."""
    following = {one.start: two for one, two in pairwise(words)}
    return [
        QuestionWord(
            start=word.start, end=after.end, text=f"{word.text} {after.text}", keys=word.keys
        )
        if (after := following.get(word.start)) and after.text in _PARTICLES
        else word
        for word in some
    ]


def _spelt(name: str) -> str:
    """Return a column's name as it is compared: without the words that any name may have."""
    words = [word for word in name_words(name) if word not in STOP_WORDS]
    return " ".join(words) or name


def _shared(item: Mapping[str, Any]) -> float:
    """Return how many words of a question a table has."""
    own = {one["start"]: one["score"] for one in sorted(item["said"], key=lambda one: one["score"])}
    return float(sum(own.values())) + len(item["own"])


def _column(table: TypedTable, at: int) -> dict[str, Any]:
    column = table.columns[at]
    filled = column.distinct if column.kind is not ColumnKind.TRUTH else 0
    texts = dict.fromkeys(row.cells[at][:80] for row in table.rows[:20] if row.cells[at])
    return {
        "name": column.name,
        "kind": column.kind.value,
        "unit": column.unit,
        "distinct": column.distinct,
        "dirty": column.dirty,
        "unique": 0 < filled >= len(table.rows),
        "low": column.low,
        "high": column.high,
        "examples": list(texts)[:_EXAMPLES],
    }
