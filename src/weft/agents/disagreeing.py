"""Sentences that disagree, and names that several bear: shown side by side, and told apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from weft.agents.asking import Plan, language_of
from weft.agents.chains import Desktop
from weft.agents.names import key_of, keys_of_title
from weft.agents.passage import Candidate, stems_of
from weft.agents.picking import Scored
from weft.agents.values import dates

# Two sentences with as large a share of their words in common say the same of the same thing.
ALIKE = 0.6
_FIGURE = re.compile(r"\d[\d,.]*\d|\d")


def contradicting(best: Candidate, scored: Sequence[Scored]) -> Candidate | None:
    """Return a sentence of another document that gives other figures for the same, or None."""
    own, words = _figures(best.text), _words(best)
    if not own:
        return None
    for one in scored:
        other = one.candidate
        if _document(other) == _document(best):
            continue
        theirs, said = _figures(other.text), _words(other)
        common = len(words & said) / max(1, min(len(words), len(said)))
        if theirs and not theirs & own and common >= ALIKE and min(len(words), len(said)) >= 3:
            return other
    return None


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
    """Return the names of a question that the titles of several documents bear, with their ids."""
    found: dict[str, tuple[str, ...]] = {}
    for way in plan.ways:
        ids = [one for one in desk.known.get(way.key, ()) if one in desk.by_id]
        bearing = [one for one in ids if way.key in keys_of_title(desk.title(one))]
        if len({desk.by_id[one].document for one in bearing}) > 1:
            found[way.key] = tuple(bearing)
    return found


def keep_apart(
    plan: Plan, desk: Desktop, *, chosen: Sequence[Candidate]
) -> tuple[list[Candidate], str]:
    """Return sentences of one bearer of a name alone, and a note that names the others.

    The best sentence decides who is meant; where a question asks for the name and nothing more,
    all bearers are shown.
    """
    for key, ids in namesakes(plan, desk).items():
        bearers = {desk.by_id[one].document for one in ids}
        meant = next((_document(one) for one in chosen if _document(one) in bearers), None)
        if meant is None:
            continue
        others = bearers - {meant}
        kept = [one for one in chosen if _document(one) not in others]
        titles = dict.fromkeys(desk.title(one) for one in ids if desk.by_id[one].document in others)
        return kept, _namesake_note(plan, key, _title(meant, ids, desk), titles)
    return list(chosen), ""


def _namesake_note(plan: Plan, key: str, meant: str, others: Iterable[str]) -> str:
    name = next((way.name for way in plan.ways if way.key == key), key)
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
