"""Sentences that disagree, and names that several bear: shown side by side, and told apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from weft.agents.asking import Plan, language_of
from weft.agents.chains import Desktop
from weft.agents.coverage import occurs
from weft.agents.names import key_of, keys_of_title
from weft.agents.passage import Candidate, is_row, stems_of
from weft.agents.picking import MOST_SENTENCES, Scored
from weft.agents.question import asked_words
from weft.agents.values import dates
from weft.domain.terms import plain, word_terms

# Two sentences with as large a share of their words in common say the same of the same thing.
ALIKE = 0.6
_HEAD = 3
_FIGURE = re.compile(r"\d[\d,.]*\d|\d")


def contradicting(
    best: Candidate, scored: Sequence[Scored], *, compares: bool = False
) -> Candidate | None:
    """Return a sentence of another document that gives other figures for the same, or None.

    Rows of one table are of two things and contradict nothing; a question that compares things
    wants both (`compares`).
    """
    own, words = _figures(best.text), _words(best)
    if not own:
        return None
    for one in scored:
        other = one.candidate
        if _document(other) == _document(best) or (not compares and _are_rows(other, best)):
            continue
        theirs, said = _figures(other.text), _words(other)
        common = len(words & said) / max(1, min(len(words), len(said)))
        if theirs and not theirs & own and common >= ALIKE and min(len(words), len(said)) >= 3:
            return other
    return None


def _are_rows(left: Candidate, right: Candidate) -> bool:
    """Tell whether two sentences are rows of one table."""
    same = left.hit.evidence.uri == right.hit.evidence.uri
    return same and is_row(left.hit) and is_row(right.hit)


def side_by_side(left: Candidate, right: Candidate) -> tuple[Candidate, Candidate]:
    """Return two sentences that disagree, that of the later document first."""
    ordered = sorted((left, right), key=lambda one: (_day(one), _document(one)), reverse=True)
    return ordered[0], ordered[1]


def contradiction_note(question: str, pair: Sequence[Candidate]) -> str:
    """Return in the question's language that two documents disagree, each with its date."""
    named = " · ".join(f"{one.hit.evidence.title} ({_day(one)})" for one in pair)
    if language_of(question) == "ko":
        return f"문서마다 값이 다릅니다. 최근 문서부터: {named}."
    return f"The documents disagree; the later one first: {named}."


def namesakes(plan: Plan, desk: Desktop) -> dict[str, tuple[str, ...]]:
    """Return the names of a question that several documents bear, by title or by the head of a row.

    Values are the ids of their passages.
    """
    found: dict[str, tuple[str, ...]] = {}
    keys = dict.fromkeys([*(way.key for way in plan.ways), *map(key_of, plan.beside)])
    for key in keys:
        ids = [one for one in desk.known.get(key, ()) if one in desk.by_id]
        bearing = [one for one in ids if key in keys_of_title(desk.title(one))]
        bearing += [one for one in _rows_of(key, desk) if one not in bearing]
        if len({desk.by_id[one].document for one in bearing}) > 1:
            found[key] = tuple(bearing)
    return found


def keep_apart(
    plan: Plan, desk: Desktop, *, chosen: Sequence[Candidate]
) -> tuple[list[Candidate], str]:
    """Return sentences of one bearer of a name alone, and a note that names the others.

    Whom the rest of the question fits best is meant, else whom the best sentence is of; where it
    fits several rows alike, these are shown.
    """
    for key, ids in namesakes(plan, desk).items():
        bearers = list(dict.fromkeys(desk.by_id[one].document for one in ids))
        fitting = _fitting(plan, desk, key, ids)
        rows = [one for one in ids if is_row(desk.by_id[one].hit)]
        if len(fitting) > 1 and len(rows) == len(ids) and _asks_all(plan, key, chosen, rows, desk):
            shown = [desk.sentences(one)[0] for one in ids if desk.by_id[one].document in fitting]
            return shown[:MOST_SENTENCES], _all_note(plan, key, map(desk.title, ids))
        among = fitting if len(fitting) == 1 else bearers
        meant = next((_document(one) for one in chosen if _document(one) in among), None)
        if meant is None:
            continue
        others = set(bearers) - {meant}
        kept = [one for one in chosen if _document(one) not in others]
        titles = dict.fromkeys(desk.title(one) for one in ids if desk.by_id[one].document in others)
        return kept, _namesake_note(plan, key, _title(meant, ids, desk), titles)
    return list(chosen), ""


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


def _asks_all(
    plan: Plan, key: str, chosen: Sequence[Candidate], rows: Sequence[str], desk: Desktop
) -> bool:
    """Tell whether a question asks for a name alone, or what is best is of some bearer."""
    bearers = {desk.by_id[one].document for one in rows}
    own = frozenset(key.split())
    return all(plain(word) in own for word in asked_words(plan.text)) or (
        bool(chosen) and _document(chosen[0]) in bearers
    )


def _fitting(plan: Plan, desk: Desktop, key: str, ids: Sequence[str]) -> list[tuple[str, str]]:
    """Return the documents of a name's bearers that hold most of the rest of a question."""
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
    if language_of(plan.text) == "ko":
        return f"이름이 “{name}”인 것이 여럿 있습니다: {listed}."
    return f"Several are called {name}: {listed}."


def _named(plan: Plan, key: str) -> str:
    names = (*(way.name for way in plan.ways), *plan.beside)
    return next((name for name in names if key_of(name) == key), key)


def _namesake_note(plan: Plan, key: str, meant: str, others: Iterable[str]) -> str:
    name = _named(plan, key)
    listed = ", ".join(others)
    if language_of(plan.text) == "ko":
        return f"이름이 “{name}”인 것이 여럿 있습니다. 여기서는 {meant}. 그 밖에: {listed}."
    return f"Several things are called {name}: this is about {meant}; there is also {listed}."


def _title(document: tuple[str, str], ids: Iterable[str], desk: Desktop) -> str:
    return next(desk.title(one) for one in ids if desk.by_id[one].document == document)


def _figures(text: str) -> frozenset[str]:
    """Return the figures of a text, dates as (year, month, day)."""
    said = dates(text)
    inside = [(one.start, one.end) for one in said]
    plain = (
        match.group().replace(",", "")
        for match in _FIGURE.finditer(text)
        if not any(start <= match.start() < end for start, end in inside)
    )
    return frozenset([*plain, *("-".join(map(str, one.date)) for one in said)])


def _words(candidate: Candidate) -> frozenset[str]:
    return frozenset(
        stem for stem in stems_of(candidate.text) if not any(char.isdigit() for char in stem)
    )


def _document(candidate: Candidate) -> tuple[str, str]:
    evidence = candidate.hit.evidence
    return evidence.knowledge_base, evidence.document_id


def _day(candidate: Candidate) -> str:
    """Return the date that a document's name gives, else that of its last change."""
    evidence = candidate.hit.evidence
    named = dates(f"{evidence.title} {key_of(evidence.uri.rsplit('/', 1)[-1])}")
    if named:
        return "-".join(f"{part:02}" for part in named[0].date if part)
    updated: datetime | None = evidence.updated
    return updated.date().isoformat() if updated else "?"
