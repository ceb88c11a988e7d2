"""Tables told to whoever plans over them: their columns, and what a question has of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from weft.domain.errors import WeftError
from weft.language.cell_words import are_figured
from weft.language.hangul import has_hangul
from weft.language.names import are_people
from weft.language.terms import stem
from weft.ports.embedder import Embedder
from weft.retrieval.tables.kinship import kin_of_columns, kin_of_values, missing_names
from weft.retrieval.tables.links import (
    QuestionWord,
    ValueIndex,
    column_links,
    content_words,
    is_year,
    number_links,
    value_links,
    value_words,
    words_of,
)
from weft.retrieval.tables.naming import spelt_name
from weft.retrieval.tables.references import References
from weft.retrieval.tables.stretches import period_links
from weft.retrieval.tables.table import ColumnKind, TypedTable

MOST_TABLES = 12
_COMPARED = 6
_MOST_COLUMNS = 40
_MOST_SAID = 90
_EXAMPLES = 3
_LEAST_ALIKE = 0.4
# Of each word or two the columns that they are nearest to, however little: a plan weighs them.
_NEAREST, _NEARLY, _MOST_PHRASES = 4, 0.2, 24
_PART = 0.6
_PART_OF_NAME = 0.5
_KEPT_NAMES, _LONGEST_CARD = 20_000, 400
_PART_OF_COMPOUND = 2
_PARTICLES = frozenset({"out", "up", "off", "down", "away", "back"})


class Describer:
    """Tells tables, with the likeness of words where there is an embedder."""

    def __init__(self) -> None:
        """Begin with no names compared yet."""
        self._indexes: WeakKeyDictionary[TypedTable, ValueIndex] = WeakKeyDictionary()
        self._references = References()
        self._names: dict[str, Any] = {}
        # What a card says of rows goes with its table.
        self._cards: WeakKeyDictionary[TypedTable, Any] = WeakKeyDictionary()

    async def described(
        self, question: str, tables: Sequence[TypedTable], *, embedder: Embedder | None
    ) -> list[dict[str, Any]]:
        """Return the tables that share most words with a question, those first, as plain data."""
        words = words_of(question)
        items = [self._item(question, words, table=table) for table in tables]
        order = sorted(range(len(items)), key=lambda at: -_shared(items[at]))[:MOST_TABLES]
        if embedder is not None:
            for at in order[:_COMPARED]:
                await self._compare(items[at], words, embedder=embedder)
            await self._compare_cards(
                question, [(items[at], tables[at]) for at in order[:_COMPARED]], embedder
            )
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
            *period_links(question, table),
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
        said += _kin(words, table, index=self._index(table), said=said)
        around = {
            stem(word) for word in value_words(f"{table.title} {table.around}".replace("_", " "))
        }
        own = [w.start for w in content_words(words) if _is_among(w.keys, around)]
        own += [w.start for w in words if is_year(w.text) and w.text in around]
        linked = [(one["start"], one["end"]) for one in said] + [(at, at + 1) for at in own]
        told = _told(table, said)
        names = {table.columns[at].name for at in told}
        return {
            "knowledge_base": table.knowledge_base,
            "name": table.name,
            "title": table.title,
            "rows": len(table.rows),
            "as_of": table.as_of.isoformat() if table.as_of else "",
            "key": table.columns[table.key].name,
            "called": table.columns[table.called].name if table.called in told else "",
            "counts": table.columns[table.counts].name if table.counts is not None else "",
            "columns": [_column(table, at) for at in told],
            "said": _surest([one for one in said if one["column"] in names]),
            "own": own,
            "missing": missing_names(words, table, linked=linked),
            "nearest_columns": [],
            "card": 0.0,
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
        embedder: Embedder,
    ) -> None:
        """Enter how alike the words that stand nowhere in a table are to what it has."""
        free = _unknown(item, words)
        phrases = _phrases(words)
        names = [column["name"] for column in item["columns"]]
        spelt = [spelt_name(name) for name in names]
        try:
            said = [word.text.casefold() for word in (*free, *phrases)]
            await self._learn([*said, *spelt], embedder)
        except WeftError:
            return  # without its vectors words are compared by their letters alone
        theirs = np.stack([self._names[one] for one in spelt])
        for phrase in phrases:
            alike = theirs @ self._names[phrase.text.casefold()]
            for best in np.argsort(-alike)[:_NEAREST]:
                if alike[best] >= _NEARLY:
                    score = round(float(alike[best]), 3)
                    item["nearest_columns"].append([phrase.start, phrase.end, names[best], score])
        for word in free:
            alike = theirs @ self._names[word.text.casefold()]
            best = int(np.argmax(alike))
            if alike[best] >= _LEAST_ALIKE:
                item["said"].append(
                    {
                        "start": word.start,
                        "end": word.end,
                        "column": names[best],
                        "score": round(float(alike[best]), 4),
                        "alike": True,
                    }
                )

    async def _compare_cards(
        self,
        question: str,
        told: Sequence[tuple[dict[str, Any], TypedTable]],
        embedder: Embedder,
    ) -> None:
        """Enter how alike a question is to what each table is about, from 0 to 1."""
        if not question.isascii() or not told:
            return
        new = [table for _, table in told if table not in self._cards]
        try:
            vectors = await embedder.queries([question[:_LONGEST_CARD], *map(_card, new)])
        except WeftError:
            return
        self._cards.update(zip(new, vectors[1:], strict=True))
        for item, table in told:
            item["card"] = round(max(0.0, float(self._cards[table] @ vectors[0])), 3)

    async def _learn(self, texts: Sequence[str], embedder: Embedder) -> None:
        new = [one for one in dict.fromkeys(texts) if one not in self._names]
        if new:
            if len(self._names) > _KEPT_NAMES:
                self._names.clear()
                new = list(dict.fromkeys(texts))
            vectors = await embedder.queries(new)
            self._names |= dict(zip(new, vectors, strict=True))


def _is_among(keys: Sequence[str], words: Set[str]) -> bool:
    """Tell whether a word is one of some, or in Korean begins or ends one: 직원 in 직원명부."""
    said = [key for key in keys if len(key) >= _PART_OF_COMPOUND and has_hangul(key)]
    return bool({stem(key) for key in keys} & words) or any(
        word.startswith(key) or word.endswith(key) for key in said for word in words
    )


def _unknown(item: Mapping[str, Any], words: Sequence[QuestionWord]) -> list[QuestionWord]:
    """Return the words of which nothing surer is known than how alike they are.

    A plain word that is one value may be the name of what is measured as well.
    """
    single = {(word.start, word.end) for word in words}
    linked = [
        (one["start"], one["end"])
        for one in item["said"]
        if one["score"] >= _PART_OF_NAME
        and not one.get("kin")
        and not (one.get("values") and (one["start"], one["end"]) in single)
    ]
    return [
        word
        for word in _spoken(content_words(words), words)
        if word.start not in item["own"]
        and not any(start <= word.start < end for start, end in linked)
        and word.text.isascii()
    ]


def _card(table: TypedTable) -> str:
    """Return what a table is about in a line: its names, and what some of its rows are called."""
    names = ", ".join(spelt_name(column.name) for column in table.columns[:_MOST_COLUMNS])
    rows = ", ".join(row.cells[table.key] for row in table.rows[:_EXAMPLES])
    return f"{table.title}: {names}. {rows}"[:_LONGEST_CARD]


def _phrases(words: Sequence[QuestionWord]) -> list[QuestionWord]:
    """Return the words that say something, and each two of them side by side."""
    single = [one for one in content_words(words) if one.text.isascii()][:_MOST_PHRASES]
    double = [
        QuestionWord(start=one.start, end=two.end, text=f"{one.text} {two.text}", keys=())
        for one, two in pairwise(words)
        if one in single and two in single
    ]
    return [*single, *double]


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


def _kin(
    words: Sequence[QuestionWord],
    table: TypedTable,
    *,
    index: ValueIndex,
    said: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Return what words mean of a table that they do not say; none of a value that they are."""
    exact = [(one["start"], one["end"]) for one in said if one.get("values") and one["score"] >= 1]
    values = [
        one
        for one in kin_of_values(words, table, index=index)
        if not any(start < one.end and one.start < end for start, end in exact)
    ]
    return [
        {
            "start": one.start,
            "end": one.end,
            "column": one.column,
            "score": round(one.score, 3),
            "kin": True,
            **({"values": list(one.values)} if one.values else {}),
        }
        for one in (*values, *kin_of_columns(words, table))
    ]


def _shared(item: Mapping[str, Any]) -> float:
    """Return how many words of a question a table has."""
    surest = sorted(item["said"], key=_sure)
    own = {one["start"]: _sure(one) for one in surest}
    return float(sum(own.values())) + len(item["own"])


def _told(table: TypedTable, said: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the columns that are told, in their order: of too many the key and what is asked of.

    Whatever else is told of a table is of these columns alone.
    """
    every = range(len(table.columns))
    if len(every) <= _MOST_COLUMNS:
        return list(every)
    best: dict[str, float] = {}
    for one in said:
        best[one["column"]] = max(best.get(one["column"], 0.0), _sure(one))
    asked = sorted(every, key=lambda at: (at != table.key, -best.get(table.columns[at].name, 0.0)))
    return sorted(asked[:_MOST_COLUMNS])


def _surest(said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return links as they stand, of too many those that say most."""
    if len(said) <= _MOST_SAID:
        return said
    kept = sorted(range(len(said)), key=lambda at: -_sure(said[at]))[:_MOST_SAID]
    return [said[at] for at in sorted(kept)]


def _sure(one: Mapping[str, Any]) -> float:
    """Return how much a link counts: half where only its meaning speaks for it."""
    return float(one["score"]) * (0.5 if one.get("kin") else 1.0)


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
        "lacking": at in table.lacking,
        "unique": 0 < filled >= len(table.rows),
        "low": column.low,
        "high": column.high,
        "people": are_people(texts),
        "figured": are_figured(texts),
        "examples": list(texts)[:_EXAMPLES],
    }
