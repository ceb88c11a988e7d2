from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.domain.answer import Tier
from weft.verification.derivation import SupportGate, faults
from weft.verification.support import assess
from weft.verification.wording import read_words

CORPUS = [
    "Marta Quill sold the Ember Mill to Jonas Pike for 12,500 crowns in 1911.",
    "The Tolva Canal, dug between 1874 and 1880, joins Lake Brann to the port of Estrup.",
    "Ilse Brandt taught Pavel Rusk in Lisbon before Rusk moved to Geneva on 3 May 1956.",
    "Version 4.2 of Kestrel writes 30% fewer files than version 3.9 did on Solaris.",
    "The Norrland Ensemble was conducted by Tove Aas from 1982 to 1995.",
    "Denmark defeated Portugal 3-1 in Aarhus on 17 June 2004.",
]
OTHER_NAMES = ["Rosalind", "Okafor", "Tampere", "Vostok"]
sentence = st.sampled_from(CORPUS)


@given(said=sentence, data=st.data())
def test_any_changed_number_is_noticed(said: str, data: st.DataObject) -> None:
    at = data.draw(st.sampled_from(list(re.finditer(r"\d+", said))))
    other = data.draw(st.integers(0, 99_999).map(str).filter(lambda n: int(n) != int(at.group())))
    assert not assess(said[: at.start()] + other + said[at.end() :], " ".join(CORPUS)).holds


@given(said=sentence, data=st.data())
def test_any_two_names_in_each_others_place_are_noticed(said: str, data: st.DataObject) -> None:
    names = [m for m in re.finditer(r"\b[A-Z][a-z]+\b", said) if m.group() not in ("The", "May")]
    first, second = sorted(
        data.draw(st.lists(st.sampled_from(names), min_size=2, max_size=2, unique=True)),
        key=lambda found: found.start(),
    )
    if first.group() == second.group():
        return
    swapped = (
        said[: first.start()]
        + second.group()
        + said[first.end() : second.start()]
        + first.group()
        + said[second.end() :]
    )
    assert not assess(swapped, said).holds


@given(said=sentence, name=st.sampled_from(OTHER_NAMES), data=st.data())
def test_any_word_put_in_another_place_is_noticed(
    said: str, name: str, data: st.DataObject
) -> None:
    words = [m for m in re.finditer(r"\b[A-Za-z]{3,}\b", said) if m.group().lower() != "the"]
    at = data.draw(st.sampled_from(words))
    assert not assess(said[: at.start()] + name + said[at.end() :], said).holds
    plain = data.draw(st.sampled_from(["sailed", "wooden", "quickly", "without", "nobody"]))
    assert not assess(said[: at.start()] + plain + said[at.end() :], said).holds


@given(
    said=sentence, word=st.sampled_from(["not", "never", "allegedly", "might", "only", "nearly"])
)
def test_any_word_that_turns_or_weakens_a_sentence_is_noticed(said: str, word: str) -> None:
    places = [match.start() for match in re.finditer(r" ", said)]
    at = random.Random(said).choice(places)
    changed = f"{said[:at]} {word}{said[at:]}"
    assert not assess(changed, said).holds
    assert not assess(said, changed).holds


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Marta Quill sold the Ember Mill in 1911.", CORPUS[0]),
        ("Marta Quill sold the Ember Mill to Jonas Pike for 12500 crowns.", CORPUS[0]),
        (
            "In 1911 Marta Quill sold the Ember Mill to Jonas Pike.",
            "In 1911, Marta Quill sold the Ember Mill to Jonas Pike, a miller.",
        ),
        ("The Tolva Canal joins Lake Brann to the port of Estrup.", CORPUS[1]),
        ("Tove Aas conducted the Norrland Ensemble from 1982 to 1995.", CORPUS[4]),
        ("Denmark defeated Portugal in June 2004.", "Denmark defeated Portugal on June 17, 2004."),
        ("It closed on 4 May 2011.", "It closed on 2011-05-04."),
        ("It cost $2.5 million.", "It cost 2,500,000 dollars."),
        ("It is 12 kilometres long.", "It is twelve km long."),
        ("She wrote three novels.", "She wrote 3 novels."),
        ("The tests don't write files.", "The tests do not write files."),
        ("They crossed the bridge.", "They crossed the old stone bridge."),
        ("다리는 2024년 3월에 열렸습니다.", "다리는 2024년 3월 14일에 열렸다."),
        ("회사는 직원 35,000명을 고용했다.", "회사는 직원 3만 5천 명을 고용했다."),
        ("세 명이 왔다.", "3명이 왔다."),
        ("매출은 1억 2천만 원이다.", "매출은 120,000,000원이다."),
    ],
)
def test_what_follows_by_leaving_out_or_respelling_is_close(claim: str, source: str) -> None:
    assert assess(claim, source).tier is Tier.CLOSE


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Quill sold the mill.", "The son of Quill sold the mill."),
        ("Quill sold the mill.", "Quill's son sold the mill."),
        ("Quill sold the mill.", "Quill wanted to see who sold the mill."),
        ("Quill sold the mill.", "Pike met Quill and sold the mill."),
        ("Quill sold the mill.", "Quill nearly sold the mill."),
        ("Quill sold the mill.", "Quill or Pike sold the mill."),
        ("Quill sold the mill.", "Quill sold the mill if Pike paid."),
        ("Quill sold the mill.", "According to Pike, Quill sold the mill."),
        ("Quill sold the mill.", "Quill, it is rumoured, sold the mill."),
        ("Quill sold the mill.", "Quill Holding sold the mill."),
        ("Quill sold the mill.", "Quill was sold the mill."),
        ("The mill was sold.", "The mill was expected to be sold."),
        ("The mill has 5 wheels.", "The mill has almost 5 wheels."),
        ("The mill has 5 wheels.", "The mill has 5 thousand wheels."),
        ("Rogers won the cup.", "Roger won the cup."),
        ("World War I ended.", "World War II ended."),
        ("The bear was eating.", "The bear was eaten."),
        ("It opened in the 1930s.", "It opened in 1930."),
        ("The employer paid the fine.", "The employee paid the fine."),
        ("Pike is happier than Quill.", "Pike is happy with Quill."),
        ("Pike beat Quill.", "Pike was beaten by Quill."),
        ("The mayor is a citizen.", "The former mayor is a citizen."),
        ("She began to income tax.", "She began to pay income tax."),
        ("Olga sang the role in 1990 as John wrote.", "Olga sang the role in Elton as John wrote."),
        ("Run in Ohio is Broad Run.", "Cedar Run in Ohio is Broad Run."),
        ("He lost the title.", "He unsuccessfully lost the title."),
        ("It is a building.", "It is an unbuilt building."),
        ("다리는 2024년에 열리지 않았다.", "다리는 2024년에 열렸다."),
        ("김철수가 이영희를 만났다.", "김철수를 이영희가 만났다."),
        ("김철수가 왔다.", "김철수만 왔다."),
        ("인구는 3만 명이다.", "인구는 30만 명이다."),
        ("다리는 2024년 4월에 열렸다.", "다리는 2024년 3월에 열렸다."),
        ("안나가 학교에 갔다.", "안나가 학교에 안 갔다."),
        ("안나가 오슬로에서 살았다.", "만약 안나가 오슬로에서 살았다."),
    ],
)
def test_what_does_not_follow_is_not_supported(claim: str, source: str) -> None:
    assert not assess(claim, source).holds


@pytest.mark.parametrize(
    ("claim", "gate"),
    [
        ("Denmark defeated Portugal in 2005.", SupportGate.NUMBER),
        ("Denmark defeated Spain in 2004.", SupportGate.NAME),
        ("Denmark never defeated Portugal in 2004.", SupportGate.NEGATION),
        ("Denmark may have defeated Portugal in 2004.", SupportGate.RELATION),
        ("Portugal defeated Denmark in 2004.", SupportGate.ORDER),
        ("Denmark thrashed Portugal in 2004.", SupportGate.WORDING),
    ],
)
def test_the_gate_is_named(claim: str, gate: SupportGate) -> None:
    found = faults(read_words(claim), read_words("Denmark defeated Portugal in 2004."))
    assert gate in {fault.gate for fault in found}


def test_only_plain_words_are_left_to_a_judge() -> None:
    source = "The Harbour Bridge in Oslo was opened by Ada Lindqvist on 14 March 1932."
    other = source.replace("opened", "inaugurated")
    assert assess(other, source).only_wording
    for false in (
        other.replace("1932", "1933"),
        other.replace("was", "was not"),
        other.replace("Lindqvist", "Berg"),
        other.replace("14 ", "15 "),
        other.replace("by", "before"),
        "Ada Lindqvist in Oslo was inaugurated by the Harbour Bridge on 14 March 1932.",
        source.replace("opened", "closed"),
    ):
        assert not assess(false, source).only_wording


def test_a_pronoun_stands_for_the_only_name_before_it() -> None:
    safe = "Greta Lund was a painter in Bergen. She moved to Rome in 1901."
    assert assess("Greta Lund moved to Rome in 1901.", safe).tier is Tier.CLOSE
    assert not assess("Greta Berg moved to Rome in 1901.", safe).holds
    unsure = "Greta Lund married Olga Berg. She moved to Rome in 1901."
    assert not assess("Greta Lund moved to Rome in 1901.", unsure).holds
    thing = "Greta Lund bought a house. It burnt down in 1901."
    assert not assess("Greta Lund burnt down in 1901.", thing).holds
    defined = "The Ember Mill is a mill in Estrup. It burnt down in 1901."
    assert assess("The Ember Mill burnt down in 1901.", defined).tier is Tier.CLOSE


def test_each_sentence_of_a_claim_must_be_borne_out() -> None:
    text = "Quill sold the mill to Pike in 1911. Rusk painted the harbour in 1912."
    both = "Quill sold the mill in 1911. Rusk painted the harbour."
    assert assess(both, text).tier is Tier.CLOSE
    assert not assess(both.replace("Rusk", "Pike"), text).holds


def test_the_score_orders_and_does_not_decide() -> None:
    source = "Ilse Brandt taught Pavel Rusk in Lisbon."
    exact, changed = assess(source, source), assess(source.replace("Rusk", "Lund"), source)
    far = assess("Volcanoes erupt rarely.", source)
    assert exact.score == 1.0
    assert 0.0 <= far.score < changed.score <= 0.95
