from __future__ import annotations

from hopping_world import book
from weft.agents.answering import answer_from


def test_two_documents_that_disagree_are_shown_side_by_side_the_later_first() -> None:
    reply = answer_from(
        "What is the daily meal allowance in Europe?",
        book(
            **{
                "Travel 2023-04-01": "The daily meal allowance in Europe is 55 euro.",
                "Travel 2025-02-01": "The daily meal allowance within Europe is 70 euro.",
            }
        ),
    )
    assert [one.text for one in reply.sentences][:2] == [
        "The daily meal allowance within Europe is 70 euro.",
        "The daily meal allowance in Europe is 55 euro.",
    ]
    assert "disagree" in reply.notes[0]
    assert reply.notes[0].index("2025-02-01") < reply.notes[0].index("2023-04-01")


def test_sentences_that_agree_are_no_contradiction() -> None:
    reply = answer_from(
        "What is the daily meal allowance in Europe?",
        book(
            A="The daily meal allowance in Europe is 70 euro.",
            B="In Europe the daily meal allowance is 70 euro.",
        ),
    )
    assert reply.sentences
    assert reply.notes == ()


def test_two_people_of_one_name_are_not_mixed_and_the_other_is_named() -> None:
    reply = answer_from(
        "When was the painter Ann Oak born?",
        book(
            **{
                "Ann Oak (painter)": "Ann Oak is a painter. Ann Oak was born in 1911 in Aarhus.",
                "Ann Oak (sailor)": "Ann Oak is a sailor. Ann Oak was born in 1954 in Bergen.",
            }
        ),
    )
    assert any("1911" in one.text for one in reply.sentences)
    assert not any("1954" in one.text for one in reply.sentences)
    assert any("Ann Oak (sailor)" in note for note in reply.notes)
