"""Words about words stand once, in `language`: months, numerals, Hangul, surnames, sentences."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from house.source import WEFT, lines, place, trees
from weft.language.months import NUMBERS
from weft.language.numerals import KOREAN, VALUES
from weft.language.surnames import TITLED

LANGUAGE = WEFT / "language"
# So many words of one table, written in one place, are the table again.
MANY = 3
MANY_KOREAN = 5
MANY_SURNAMES = 10
DATA = (".yaml", ".yml", ".txt")
_WORD = re.compile(r"[a-z]+")
_HANGUL_RANGE = re.compile(r"가-|\uac00-|-힣|AC00", re.IGNORECASE)
# What ends a sentence, and the white space behind it: a splitter.
_SPLITTER = re.compile(r"\(\?<=\[[^]]*[.][^]]*[!?][^]]*\]\)(?!\$)\S*?(?:\\s|\[\\s)|\[\^\.!\?\]\+")


def _texts(tree: ast.Module) -> Iterator[tuple[ast.expr, str]]:
    """Yield what is written in a module: strings, joined ones whole, and rows of strings."""
    docs = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node, node.value
        if isinstance(node, ast.JoinedStr):
            yield node, _joined(node.values)
        if isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict):
            members = node.keys if isinstance(node, ast.Dict) else node.elts
            yield node, _joined([one for one in members if one is not None])


def _joined(parts: list[ast.expr]) -> str:
    kept = [one.value for one in parts if isinstance(one, ast.Constant)]
    return " ".join(one for one in kept if isinstance(one, str))


def _is_table(text: str) -> bool:
    """Tell whether a text holds months, numerals or surnames enough to be their table."""
    said = set(_WORD.findall(text.casefold()))
    hangul = re.findall("[가-힣]+", text)
    return (
        len(said & (NUMBERS.keys() - {"may", "march"})) >= MANY
        or len(said & VALUES.keys()) >= MANY
        or len(set(hangul) & set(KOREAN)) >= MANY_KOREAN
        or any(len(run) >= MANY_SURNAMES and set(run) <= TITLED | {"나"} for run in hangul)
    )


def _outside() -> Iterator[tuple[Path, ast.Module]]:
    for path, tree in trees().items():
        if LANGUAGE not in path.parents:
            yield path, tree


def test_no_module_writes_a_table_of_words_again() -> None:
    wrong = [
        place(path, node)
        for path, tree in _outside()
        for node, text in _texts(tree)
        if _is_table(text)
    ]
    assert not wrong, lines(wrong)


def test_no_table_of_data_holds_months_or_numerals() -> None:
    wrong = [
        f"{place(path)}:{number}"
        for path in sorted(WEFT.rglob("*"))
        if path.suffix in DATA and LANGUAGE not in path.parents
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if _is_table(text)
    ]
    assert not wrong, lines(wrong)


def test_the_range_of_hangul_is_written_once() -> None:
    wrong = [
        place(path, node)
        for path, tree in _outside()
        for node, text in _texts(tree)
        if _HANGUL_RANGE.search(text)
    ]
    assert not wrong, lines(wrong)


def test_one_module_splits_sentences() -> None:
    wrong = [
        place(path, node)
        for path, tree in _outside()
        for node, text in _texts(tree)
        if _SPLITTER.search(text)
    ]
    assert not wrong, lines(wrong)


def test_a_second_table_would_be_seen() -> None:
    [(_, months)] = list(_texts(ast.parse('X = rf"(?:jan|feb|mar)[a-z]*{Y}"')))[:1]
    assert _is_table(months)
    assert _is_table("one|two|three")
    assert _is_table("김이박최정강조윤장임")
    assert not _is_table("march on, you may; one of two")
    assert _HANGUL_RANGE.search("(?<![가-힣])")
    assert _SPLITTER.search(r"(?<=[.!?])[\"']*\s+(?=[A-Z])")
    assert _SPLITTER.search(r"(?<=[.!?…])\s+")
