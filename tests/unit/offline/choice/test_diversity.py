from __future__ import annotations

from dataclasses import replace

import pytest

from hopping_world import book, hit
from weft.offline.chains.hops import lay_out
from weft.offline.choice.diversity import spread
from weft.offline.evidence.found import FoundEvidence
from weft.offline.evidence.passages import Candidate, ReadPassage, candidates

FIRST = "Gull is a ferry.\nGull sails for Coast Lines.\nGull is white.\nGull is slow."
SECOND = "Coast Lines was founded by Ada Moe.\nIts office is in Oslo."


def laid_out(*, second: float) -> tuple[list[Candidate], list[ReadPassage]]:
    """Return all sentences, those of the first passage first, and both passages."""
    held = FoundEvidence()
    hits = (hit("Gull", FIRST, score=0.9), hit("Coast Lines", SECOND, score=second))
    for one in hits:
        held.add(one)
    _, desk = lay_out("Who founded the line that Gull sails for?", held)
    passages = list(desk.passages)
    return [one for p in passages for one in desk.sentences(p.evidence_id)], passages


@pytest.mark.parametrize(("second", "is_there"), [(0.8, True), (0.4, True), (0.39, False)])
def test_the_second_passage_has_a_say_if_it_was_found_surely(
    second: float, *, is_there: bool
) -> None:
    ranked, passages = laid_out(second=second)
    kept = spread(ranked[:3], ranked, passages=passages, bridged=None, most=3)
    assert kept[:2] == ranked[:2]
    assert (kept[2].text == "Coast Lines was founded by Ada Moe.") is is_there
    assert len(kept) == 3


def test_nothing_is_taken_away_where_there_is_room() -> None:
    ranked, passages = laid_out(second=0.8)
    kept = spread(ranked[:1], ranked, passages=passages, bridged=None, most=3)
    assert [one.text for one in kept] == ["Gull is a ferry.", "Coast Lines was founded by Ada Moe."]


def test_a_plain_question_hears_only_what_a_bridge_leads_to() -> None:
    ranked, passages = laid_out(second=0.8)
    assert spread(ranked[:3], ranked, passages=passages, bridged=(), most=3) == ranked[:3]
    second = passages[1].evidence_id
    assert spread(ranked[:3], ranked, passages=passages, bridged={second}, most=3) != ranked[:3]


def test_a_sentence_that_is_alone_of_its_document_stays() -> None:
    ranked, passages = laid_out(second=0.8)
    alone = [ranked[0], ranked[-1]]
    assert spread(alone, ranked, passages=passages, bridged=None, most=2) == alone


def test_what_is_of_no_best_document_makes_room() -> None:
    _, passages = laid_out(second=0.8)
    ranked = [one for passage in passages for one in candidates(passage)]
    elsewhere = replace(ranked[-1], hit=hit("Gulls of the coast", SECOND, score=0.2))
    picked = [ranked[0], elsewhere]
    kept = spread(picked, ranked, passages=passages, bridged=None, most=2)
    assert [one.hit.evidence.title for one in kept] == ["Gull", "Coast Lines"]


def test_what_a_copy_says_is_not_shown_again() -> None:
    ranked, passages = laid_out(second=0.8)
    copy = replace(ranked[0], hit=hit("Coast Lines", FIRST, score=0.8))
    kept = spread(ranked[:3], [*ranked[:4], copy], passages=passages, bridged=None, most=3)
    assert kept == ranked[:3]


def test_nothing_found_has_nothing_to_say() -> None:
    _, desk = lay_out("Who founded it?", book())
    assert spread([], [], passages=desk.passages, bridged=None, most=3) == []
