"""What words of a question stand for in a table by what they mean: columns, and values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from weft.domain.frozen import dataclass
from weft.language.hangul import has_hangul
from weft.language.kin import kin_of, same_names
from weft.language.terms import STOP_WORDS, stem
from weft.retrieval.tables.links import (
    QuestionWord,
    ValueIndex,
    content_words,
    value_words,
)
from weft.retrieval.tables.naming import name_meanings
from weft.retrieval.tables.table import ColumnKind, TypedTable

_MOST_WORDS, _MOST_VALUES = 3, 5
_FEWEST_LETTERS, _MOSTLY = 4, 0.75
# What Korean names of parts of an organisation end with, and no other word.
_PARTS = tuple(
    "팀 본부 사업부 지부 부서 센터 지점 대리점 영업점 지사 공장 창고 매장 연구소 영업소 사업소"
    " 사업장 그룹 학교 대학 병원 은행 지회 지구대".split()
)
# So many of a column's names end so, at least.
_FEWEST_ALIKE, _ALIKE, _MOST_NAMES = 2, 0.8, 200
# What any part may be that is meant by no name: 각 팀, 우리팀.
_ANY = frozenset(
    "각 우리 저희 이 그 저 본 당 타 전 모든 어느 무슨 어떤 해당 다른 여러 전체".split()
)
# A letter is a code for a thing beside one or two others: `F` beside `M`, not from A to F.
_FEW_CODES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class KinLink:
    """Words of a question that mean what a column is called, or what cells of it say.

    `values` are the cells' texts, empty where the column itself is meant; `score` is how much of
    the name is said.
    """

    start: int
    end: int
    column: str
    values: tuple[str, ...] = ()
    score: float


def kin_of_columns(words: Sequence[QuestionWord], table: TypedTable) -> Iterator[KinLink]:
    """Yield the words that mean what columns are called, in other words than those."""
    spoken = [(word, _meant(word)) for word in content_words(words)]
    stems = {stem(key) for word in words for key in word.keys}
    for column in table.columns:
        meanings = [one for one in name_meanings(column.name) if not one & STOP_WORDS]
        parts = [({stem(one) for one in part}, _all_kin(part)) for part in meanings]
        for word, meant in spoken:
            own = {stem(key) for key in word.keys}
            covered = [bool(kin & meant) or bool(forms & stems) for forms, kin in parts]
            is_kin = any(kin & meant and not forms & own for forms, kin in parts)
            if is_kin and not any(forms & own for forms, _ in parts):
                score = sum(covered) / len(parts)
                yield KinLink(start=word.start, end=word.end, column=column.name, score=score)


def kin_of_values(
    words: Sequence[QuestionWord], table: TypedTable, *, index: ValueIndex
) -> Iterator[KinLink]:
    """Yield the words that name what cells of a table name otherwise: Swedish, women, texans."""
    for size in range(min(_MOST_WORDS, len(words)), 0, -1):
        for first in range(len(words) - size + 1):
            run = words[first : first + size]
            found: dict[int, list[str]] = {}
            for at, text in (
                *_called(run, index, table=table),
                *(_begun(run[0], index) if size == 1 else ()),
            ):
                if text not in found.setdefault(at, []):
                    found[at].append(text)
            for at, texts in found.items():
                if 0 < len(texts) <= _MOST_VALUES:
                    yield KinLink(
                        start=run[0].start,
                        end=run[-1].end,
                        column=table.columns[at].name,
                        values=tuple(texts),
                        score=0.9,
                    )


def _called(
    run: Sequence[QuestionWord], index: ValueIndex, *, table: TypedTable
) -> Iterator[tuple[int, str]]:
    lead = " ".join(word.text for word in run[:-1])
    for last in dict.fromkeys((run[-1].text, *run[-1].keys)):
        for name in same_names(f"{lead} {last}".strip()):
            for at, text in index.whole.get(value_words(name), ()):
                if len(name) == 1 and table.columns[at].distinct > _FEW_CODES:
                    continue
                # A code is one in capitals; a cell of several items is not one of them.
                if text.strip().casefold() == name.casefold() and (
                    not name.isupper() or text.isupper()
                ):
                    yield at, text


def _begun(word: QuestionWord, index: ValueIndex) -> Iterator[tuple[int, str]]:
    """Yield the categories that a word goes on from, or that go on from it: `Prof`, `carni`."""
    key = word.keys[0]
    if len(key) < _FEWEST_LETTERS or not key.isascii() or not key.isalpha():
        return
    for at, text in index.short:
        said = text.casefold()
        same = _same_beginning(key, said)
        if same >= _FEWEST_LETTERS and same >= _MOSTLY * len(said) and said != key:
            yield at, text


def _same_beginning(one: str, other: str) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _meant(word: QuestionWord) -> frozenset[int]:
    return frozenset[int]().union(*(kin_of(key) for key in word.keys))


def _all_kin(part: frozenset[str]) -> frozenset[int]:
    return frozenset[int]().union(*(kin_of(one) for one in part))


def missing_names(
    words: Sequence[QuestionWord], table: TypedTable, *, linked: Sequence[tuple[int, int]]
) -> list[int]:
    """Return where Korean words begin that name one more of what a column names, and none of it.

    Where the departments are 영업팀, 개발팀 and 인사팀, 마케팅팀 is a department that is not there:
    nothing that is worked out over the others answers what is asked of it. `linked` is where words
    stand of which it is known what they mean in the table.
    """
    free = [
        word
        for word in words
        if has_hangul(word.text)
        and not any(start < word.end and word.start < end for start, end in linked)
    ]
    if not free:
        return []
    found: set[int] = set()
    for at, column in enumerate(table.columns):
        if column.kind is not ColumnKind.CATEGORY or column.distinct > _MOST_NAMES:
            continue
        ending = _shared_ending({row.cells[at].strip() for row in table.rows} - {""})
        found |= {word.start for word in free if ending and _ends_so(word, ending)}
    return sorted(found)


def _shared_ending(names: Set[str]) -> str:
    """Return what nearly all of some names end with, each with more before it; empty for none."""
    for ending in _PARTS:
        count = sum(name.endswith(ending) and name != ending for name in names)
        if count >= max(_FEWEST_ALIKE, _ALIKE * len(names)):
            return ending
    return ""


def _ends_so(word: QuestionWord, ending: str) -> bool:
    said = [key.removesuffix(ending) for key in word.keys if key.endswith(ending)]
    return any(one and one not in _ANY for one in said)
