"""Sentences that disagree, and names that several bear: shown side by side, and told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from urllib.parse import unquote

from weft.domain.notes import note
from weft.language.patterns import pattern
from weft.language.terms import plain, word_terms
from weft.language.terms import words as words_in
from weft.offline.chains.chains import Desktop
from weft.offline.evidence.passages import MOST_SENTENCES, Candidate, read_passage, stems_of
from weft.offline.evidence.values import dates
from weft.offline.question.names import key_of, keys_of_title
from weft.offline.question.question import asked_words, occurs
from weft.offline.question.roles import Plan, language_of
from weft.offline.units.read_unit import is_row
from weft.retrieval.hits import Hit

# Two sentences with as large a share of their words in common say the same of the same thing.
ALIKE = 0.6
_HEAD = 3
# Sentences with fewer words in common are of different things.
_SHARED, _OF_ONE = 2, 3
_FIGURE = pattern(r"\d[\d,.]*\d|\d")


def contradicting(
    best: Candidate, others: Sequence[Candidate], *, question: str = "", compares: bool = False
) -> Candidate | None:
    """Return a sentence of another document that gives other figures for the same, or None.

    Its passage has all the words of the `question` that the best one has: how long another thing is
    contradicts nothing.
    Rows of one table are of two things and contradict nothing, nor do rows of two tables that are
    not of one thing, nor the fields at the head of two pages; a question that compares things wants
    both (`compares`).
    """
    asked = _stems_asked(question)
    wanted = [stem for stem in asked if occurs(stem, best.stems)]
    # What is asked of something that neither of them has is no matter of theirs.
    fewest = _SHARED if len(wanted) == len(asked) else _OF_ONE
    for other in others:
        if _document(other) == _document(best) or (not compares and _are_rows(other, best)):
            continue
        is_of_one = len(_words(other) & _words(best)) >= fewest
        if is_of_one and not _are_fields(other, best) and _give_other_figures(other, best):
            near = read_passage(other.hit, evidence_id=other.evidence_id).stems
            if compares or all(occurs(stem, near) for stem in wanted):
                return other
    return None


def rows_beside(question: str, best: Candidate, *, others: Sequence[Candidate]) -> list[Candidate]:
    """Return rows of other tables that answer a question as well as the best one does.

    They are alike but for their figures and what they are about, and have all the words of the
    question that the best one has: it asks for none of them by name.
    """
    wanted = [stem for stem in _stems_asked(question) if occurs(stem, best.stems)]
    return [
        other
        for other in others
        if other.hit.evidence.uri != best.hit.evidence.uri
        and _are_rows(other, best)
        and _give_other_figures(other, best)
        and all(occurs(stem, other.stems) for stem in wanted)
    ]


def _stems_asked(question: str) -> frozenset[str]:
    return frozenset(stem for word in asked_words(question) for stem in word_terms(word))


def _give_other_figures(left: Candidate, right: Candidate) -> bool:
    """Tell whether two sentences say much the same in words, with no figure in common."""
    mine, theirs = _figures(left.text), _figures(right.text)
    words, said = _words(left), _words(right)
    fewest = min(len(words), len(said))
    common = len(words & said) / max(1, fewest)
    return bool(mine and theirs) and not _agree(mine, theirs) and common >= ALIKE and fewest >= 3


def differ(left: str, right: str) -> bool:
    """Tell whether two sentences say of the same another figure, date or name.

    All that stands in one of them alone must be figures or names, on both sides: where one merely
    says more, or says something else, nothing contradicts.
    """
    mine, theirs = _figures(left), _figures(right)
    words, said = _content(left), _content(right)
    common = words.keys() & said.keys()
    if len(common) < _SHARED:
        return False
    own = [words[stem] for stem in words.keys() - common]
    other = [said[stem] for stem in said.keys() - common]
    if mine and theirs and not _agree(mine, theirs):
        return len(common) >= ALIKE * min(len(words), len(said))
    return bool(own) and bool(other) and all(map(_is_named, (*own, *other))) and mine == theirs


def _content(text: str) -> dict[str, str]:
    """Return the words of a text that say something, without figures, by their stems."""
    return {
        stem: word
        for word in words_in(text)
        for stem in word_terms(word)
        if not any(char.isdigit() for char in stem)
    }


def _is_named(word: str) -> bool:
    return word[:1].isupper()


def _are_rows(left: Candidate, right: Candidate) -> bool:
    """Tell whether two sentences are rows about two things: of one table, or of two."""
    if not (is_row(left.hit) and is_row(right.hit)):
        return False
    same = left.hit.evidence.uri == right.hit.evidence.uri
    return same or not _are_of_one(left.hit, right.hit)


def _are_of_one(left: Hit, right: Hit) -> bool:
    """Tell whether rows of two tables are about one thing.

    They bear one name, or what both say in words of the same columns is the same.
    """
    mine, theirs = _fields(left), _fields(right)
    name = key_of(left.evidence.title)
    if name == key_of(right.evidence.title) and name in mine.values() and name in theirs.values():
        return True
    both = [
        label
        for label in mine.keys() & theirs.keys()
        if not _FIGURE.search(f"{mine[label]} {theirs[label]}")
    ]
    return bool(both) and all(mine[label] == theirs[label] for label in both)


def _fields(row: Hit) -> dict[str, str]:
    """Return what a row says of its columns, both as they are compared."""
    parts = (line.partition(":") for line in row.evidence.text.splitlines())
    return {key_of(label): key_of(value) for label, sign, value in parts if sign and value.strip()}


def _are_fields(left: Candidate, right: Candidate) -> bool:
    """Tell whether two sentences are `Key: value` lines of pages about different things."""
    titles = {key_of(one.hit.evidence.title) for one in (left, right)}
    return bool(left.field and right.field) and len(titles) > 1


def side_by_side(left: Candidate, right: Candidate) -> tuple[Candidate, Candidate]:
    """Return two sentences that disagree, that of the later document first."""
    ordered = sorted((left, right), key=lambda one: (_day(one), _document(one)), reverse=True)
    return ordered[0], ordered[1]


def contradiction_note(question: str, pair: Sequence[Candidate]) -> str:
    """Return in the question's language that two documents disagree, each with its date if any."""
    days = [_day(one) for one in pair]
    called = _told_apart([one.hit for one in pair])
    named = [f"{name} ({day})" if day else name for name, day in zip(called, days, strict=True)]
    code = "disagree" if all(days) else "disagree_undated"
    return note(code, language=language_of(question), titles=" · ".join(named))


def _told_apart(hits: Sequence[Hit]) -> list[str]:
    """Return the titles of some passages, those that several have with the end of the address."""
    keys = Counter(key_of(hit.evidence.title) for hit in hits)
    return [
        hit.evidence.title
        if keys[key_of(hit.evidence.title)] == 1
        else f"{hit.evidence.title}, {_end_of(hit)}"
        for hit in hits
    ]


def _end_of(hit: Hit) -> str:
    """Return the file of a passage with its folder, and the row where it is one."""
    evidence = hit.evidence
    row = evidence.document_id.rpartition("#")
    place = "/".join(unquote(evidence.uri).split("/")[-2:])
    return f"{place}#{row[2]}" if row[1] and "#" not in place else place


def namesakes(plan: Plan, desk: Desktop) -> dict[str, tuple[str, ...]]:
    """Return the names of a question that several documents bear, by title or by the head of a row.

    Values are the ids of their passages.
    """
    found: dict[str, tuple[str, ...]] = {}
    keys = dict.fromkeys([*(way.key for way in plan.ways), *map(key_of, plan.beside)])
    for key in keys:
        ids = [one for one in desk.known.get(key, ()) if one in desk.by_id]
        bearing = [
            one
            for one in ids
            if key in keys_of_title(desk.title(one)) and not _is_file_name(desk.by_id[one].hit)
        ]
        bearing += [one for one in _rows_of(key, desk) if one not in bearing]
        if len({desk.by_id[one].document for one in bearing}) > 1:
            found[key] = tuple(bearing)
    return found


def keep_apart(
    plan: Plan, desk: Desktop, *, chosen: Sequence[Candidate]
) -> tuple[list[Candidate], str]:
    """Return sentences of one namesake alone, and a note that names the others.

    Whom the rest of the question fits best is meant, else whom the best sentence is of; where it
    fits several rows alike, these are shown.
    """
    for key, ids in namesakes(plan, desk).items():
        documents = list(dict.fromkeys(desk.by_id[one].document for one in ids))
        fitting = _fitting(plan, desk, key, ids)
        rows = [one for one in ids if is_row(desk.by_id[one].hit)]
        is_of_row = any(_document(one) in documents for one in chosen[:1])
        if len(fitting) > 1 and len(rows) == len(ids) and is_of_row:
            shown = [desk.sentences(one)[0] for one in ids if desk.by_id[one].document in fitting]
            return shown[:MOST_SENTENCES], _all_note(plan, key, _names_of(ids, desk))
        among = fitting if len(fitting) == 1 else documents
        meant = next((_document(one) for one in chosen if _document(one) in among), None)
        if meant is None:
            continue
        others = set(documents) - {meant}
        kept = [one for one in chosen if _document(one) not in others]
        called = dict(zip(documents, _names_of(ids, desk), strict=True))
        titles = [called[one] for one in documents if one in others]
        return kept, _namesake_note(plan, key, called[meant], titles)
    return list(chosen), ""


def rows_asked_for(plan: Plan, desk: Desktop) -> list[Candidate]:
    """Return the rows of namesakes where a question asks for nothing but the name."""
    for key, ids in namesakes(plan, desk).items():
        own = frozenset(key.split())
        is_alone = all(plain(word) in own for word in asked_words(plan.text))
        if is_alone and all(is_row(desk.by_id[one].hit) for one in ids):
            return [desk.sentences(one)[0] for one in ids][:MOST_SENTENCES]
    return []


def _rows_of(key: str, desk: Desktop) -> Iterator[str]:
    """Yield the ids of the rows that a name heads, where it heads several of one table.

    One row of it and a page of that title are two documents about one thing.
    """
    headed: dict[str, list[str]] = {}
    for passage in desk.passages:
        lines = passage.hit.evidence.text.splitlines()[:_HEAD]
        named = any(key_of(line.partition(":")[2]) == key for line in lines)
        if named and is_row(passage.hit):
            headed.setdefault(passage.hit.evidence.uri, []).append(passage.evidence_id)
    return (one for ids in headed.values() if len(ids) > 1 for one in ids)


def _fitting(plan: Plan, desk: Desktop, key: str, ids: Sequence[str]) -> list[tuple[str, str]]:
    """Return the documents of namesakes that hold most of the rest of a question."""
    own = frozenset(key.split())
    wanted = {s for w in asked_words(plan.text) if plain(w) not in own for s in word_terms(w)}
    held: dict[tuple[str, str], int] = {}
    for one in ids:
        passage = desk.by_id[one]
        said = sum(occurs(stem, passage.stems) for stem in wanted)
        held[passage.document] = max(held.get(passage.document, 0), said)
    return [document for document, said in held.items() if said == max(held.values())]


def _all_note(plan: Plan, key: str, titles: Iterable[str]) -> str:
    listed = "; ".join(dict.fromkeys(titles))
    name = _named(plan, key)
    return note("namesakes", language=language_of(plan.text), name=name, titles=listed)


def _named(plan: Plan, key: str) -> str:
    names = (*(way.name for way in plan.ways), *plan.beside)
    return next((name for name in names if key_of(name) == key), key)


def _namesake_note(plan: Plan, key: str, meant: str, others: Iterable[str]) -> str:
    name, said = _named(plan, key), language_of(plan.text)
    return note("namesake_meant", language=said, name=name, title=meant, titles=", ".join(others))


def _names_of(ids: Iterable[str], desk: Desktop) -> list[str]:
    """Return what the documents of some passages are called, each once and told apart."""
    first: dict[tuple[str, str], Hit] = {}
    for one in ids:
        first.setdefault(desk.by_id[one].document, desk.by_id[one].hit)
    return _told_apart(list(first.values()))


def _is_file_name(hit: Hit) -> bool:
    """Tell whether a title is but the name of a file: many files are called LICENSE."""
    return hit.evidence.title == unquote(hit.evidence.uri).rpartition("/")[2]


def _figures(text: str) -> frozenset[str]:
    """Return the figures of a text, dates as (year, month, day)."""
    said = dates(text)
    inside = [(one.start, one.end) for one in said]
    plain = (
        match.group().replace(",", "")
        for match in _FIGURE.finditer(text)
        if not any(start <= match.start() < end for start, end in inside)
    )
    return frozenset([*plain, *("-".join(str(part) for part in one.date if part) for one in said)])


def _agree(left: frozenset[str], right: frozenset[str]) -> bool:
    """Tell whether two texts share a figure, or one has the month or year of the other's date."""
    return any(
        one == other or f"{one}-".startswith(f"{other}-") or f"{other}-".startswith(f"{one}-")
        for one in left
        for other in right
    )


def _words(candidate: Candidate) -> frozenset[str]:
    return frozenset(
        stem for stem in stems_of(candidate.text) if not any(char.isdigit() for char in stem)
    )


def _document(candidate: Candidate) -> tuple[str, str]:
    evidence = candidate.hit.evidence
    return evidence.knowledge_base, evidence.document_id


def _day(candidate: Candidate) -> str:
    """Return the date in a document's name, else that of its last change; empty without one."""
    evidence = candidate.hit.evidence
    named = dates(f"{evidence.title} {key_of(evidence.uri.rsplit('/', 1)[-1])}")
    if named:
        return "-".join(f"{part:02}" for part in named[0].date if part)
    updated: datetime | None = evidence.updated
    return updated.date().isoformat() if updated else ""
