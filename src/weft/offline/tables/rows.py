"""Tables from what stands beside a passage: rows of a file, heads of a folder's pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from weft.domain.evidence import Evidence
from weft.language.hangul import SYLLABLES
from weft.language.patterns import pattern
from weft.language.sentences import whole_sentences
from weft.language.terms import plain
from weft.offline.evidence.found import FamilyEntries, FoundEvidence
from weft.offline.question.names import bare_title
from weft.offline.tables.listings import listings
from weft.offline.tables.records import Field, Quote, Table, TableRecord, forms_of, name_words
from weft.offline.units.blocks import label_of
from weft.retrieval.families import FamilyKind
from weft.retrieval.hits import Hit

_BETWEEN = pattern(r"\s+[·|]\s+")
_MARKED = pattern(r"\*\*|__")
_BULLET = pattern(r"^(?:[-*+•>]\s+|\d{1,3}[.)]\s+)+")
_VALUE = pattern(r"^[^:=]*?[:=]\s+(.*)$")
_LABELLED = pattern(rf"^\s*([A-Z{SYLLABLES}][\w -]{{1,30}}?):\s+(\S.*)$")
_COUNTED = pattern(rf"(?<![\w.,-])(\d[\d,]*(?:\.\d+)?)\s?([A-Za-z]{{3,}}|[{SYLLABLES}]+)(?![\w-])")
_UNTOLD = frozenset({"title", "slug", "layout", "permalink"})
# Pages that lead to the others.
_INDEX = frozenset({"index", "readme", "overview", "_index", "contents"})
# A title that says more behind a colon is called by what stands before.
_CALLED = 4


def is_of_a_table(evidence: Evidence) -> bool:
    """Tell whether a passage is a row, or has fields at its head as a page of a folder may."""
    if evidence.document_id.startswith("record:"):
        return True
    return next(head_fields(_head(evidence.text), ""), None) is not None


def tables_of(book: FoundEvidence) -> Iterator[Table]:
    """Yield the tables that stand beside the passages of a book."""
    for beside in book.tables:
        if beside.kind is FamilyKind.DOCUMENT:
            yield from listings(beside)
            continue
        read = rows_table if beside.kind is FamilyKind.ROWS else pages_table
        table = read(beside)
        if table is not None:
            yield table


def rows_table(beside: FamilyEntries) -> Table | None:
    """Return the rows of one file as a table; rows in prose give what they label and count."""
    found = _named_alike([_row(name, hit) for name, hit in beside.entries])
    if not found:
        return None
    file = beside.key.rpartition("/")[2]
    return Table(
        title=file,
        names=forms_of(file.rpartition(".")[0] or file),
        near=_around(beside.key),
        records=found,
    )


def pages_table(beside: FamilyEntries) -> Table | None:
    """Return the pages of one folder by the fields at their heads; pages without are left out.

    Only fields that more than one page has are those of a table.
    """
    pages: dict[str, list[tuple[str, Hit]]] = {}
    for name, hit in beside.entries:
        pages.setdefault(hit.evidence.document_id, []).append((name, hit))
    records = [_page(own) for own in pages.values()]
    records = list(_named_alike(records))
    counts = Counter(one.name for row in records for one in row.fields)
    records = [
        replace(row, fields=tuple(one for one in row.fields if counts[one.name] > 1))
        for row in records
    ]
    found = tuple(row for row in records if row.fields)
    if len(found) < 2:
        return None
    folder = beside.key.rpartition("/")[2]
    return Table(
        title=f"{folder}/",
        names=forms_of(folder),
        near=_around(beside.key),
        records=found,
        is_partial=any(not _is_index(row) for row in records if not row.fields),
    )


def _is_index(page: TableRecord) -> bool:
    return not _INDEX.isdisjoint(map(plain, page.aliases))


def _named_alike(records: Sequence[TableRecord]) -> tuple[TableRecord, ...]:
    names = _alike(records)
    return tuple(
        replace(row, fields=tuple(replace(one, name=names[one.name]) for one in row.fields))
        for row in records
    )


def _alike(records: Sequence[TableRecord]) -> dict[str, str]:
    """Return for each field what it is called on most pages, where others say it in other words.

    A page in Korean has 담당 팀 where the others have an owner; no page has both.
    """
    pages: dict[str, set[int]] = {}
    for number, row in enumerate(records):
        for one in row.fields:
            pages.setdefault(one.name, set()).add(number)
    names = sorted(pages, key=lambda name: -len(pages[name]))
    found: dict[str, str] = {}
    for name in names:
        words = name_words(name)
        same = (
            other
            for other in dict.fromkeys(found.values())
            if name and pages[other].isdisjoint(pages[name])
            if _mean_one(words, name_words(other))
        )
        found[name] = next(same, name)
    return found


def _mean_one(left: Sequence[frozenset[str]], right: Sequence[frozenset[str]]) -> bool:
    return len(left) == len(right) and all(
        not one.isdisjoint(other) for one, other in zip(left, right, strict=True)
    )


def called(title: str) -> str:
    """Return what a page is called: its title up to a colon, without what is in parentheses."""
    first = bare_title(title.partition(":")[0])
    return first if 0 < len(first.split()) <= _CALLED else title


def head_fields(text: str, evidence_id: str) -> Iterator[Field]:
    """Yield the fields of the lines of a text, `**Owner:** Data · **Tier:** 3` among them."""
    for line in text.splitlines():
        said = _BULLET.sub("", line.strip())
        pieces = [_MARKED.sub("", piece).strip() for piece in _BETWEEN.split(said)]
        names = [label_of(piece) for piece in pieces]
        if not all(names):
            continue
        quote = Quote(evidence_id=evidence_id, text=said)
        for name, piece in zip(names, pieces, strict=True):
            value = _VALUE.match(piece)
            if value:
                yield Field(name=name, value=_unquoted(value[1]), quote=quote)


def _unquoted(value: str) -> str:
    text = value.strip()
    marked = len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]
    return text[1:-1] if marked else text


def _around(key: str) -> frozenset[str]:
    folders = key.split("/")[1:-1]
    return forms_of(" ".join(folders[-2:]))


def _row(evidence_id: str, hit: Hit) -> TableRecord:
    text = hit.evidence.text.strip()
    whole = Quote(evidence_id=evidence_id, text=text)
    fields = [replace(one, quote=whole) for one in head_fields(text, evidence_id)]
    lines = [line for line in text.splitlines() if line.strip()]
    title = hit.evidence.title
    if len(lines) > 1 and len(fields) == len(lines):
        return TableRecord(name="", fields=tuple(fields))
    aliases = (title.rpartition("/")[2], hit.evidence.document_id.rpartition("#")[2])
    return TableRecord(
        name=title, fields=tuple(_told(text, evidence_id, title=title)), aliases=aliases
    )


def _told(text: str, evidence_id: str, *, title: str) -> Iterator[Field]:
    """Yield what short prose labels ("Maintainers: A, B.") and counts ("73,000 lines")."""
    counted: list[Field] = []
    told = [text[span.start : span.end] for span in whole_sentences(text)]
    whole = Quote(evidence_id=evidence_id, text=told[0] if told else text)
    yield Field(name="", value=title, quote=whole)
    for said in told:
        quote = Quote(evidence_id=evidence_id, text=said)
        label = _LABELLED.match(said)
        if label:
            yield Field(name=label[1], value=label[2], quote=quote)
            continue
        counted += [
            Field(name=figure[2], value=figure[1], quote=quote)
            for figure in _COUNTED.finditer(said)
        ]
    several = Counter(one.name for one in counted)
    yield from (one for one in counted if several[one.name] == 1)


def _page(own: Sequence[tuple[str, Hit]]) -> TableRecord:
    first = own[0][1].evidence
    fields = [
        one
        for name, hit in own
        for one in head_fields(_head(hit.evidence.text), name)
        if plain(one.name) not in _UNTOLD
    ]
    file = first.document_id.rpartition("/")[2].partition(".")[0]
    return TableRecord(name=called(first.title), fields=tuple(fields), aliases=(first.title, file))


def _head(text: str) -> str:
    """Return a text up to its second heading: what stands below is no longer about the whole."""
    headings = [match.start() for match in re.finditer(r"(?m)^#{1,6} ", text)]
    first = 1 if text.lstrip("-\n").lstrip().startswith("#") else 0
    later = [at for at in headings if at > 0][first if headings and headings[0] == 0 else 1 :]
    return text[: later[0]] if later else text
