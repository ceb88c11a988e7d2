from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.domain.answer import Tier
from weft.domain.document import Span
from weft.language.sentences import sentences
from weft.verification.quotation import normalise
from weft.verification.support import assess, enclosing, find_quotation, locate
from weft.verification.wording import WordKind, read_words

CORPUS = [
    "Marie Curie discovered polonium together with Pierre Curie in 1898.",
    "The Harbour Bridge was opened to traffic by Ada Lindqvist on 14 March 1932.",
    "Requests does not support Python 2 since version 2.28.0.",
    "Anna Berg founded Nordlys in Bergen before Ole Dahl joined the company in 2011.",
    "The parser reads 12 files per second on a machine with 4 cores.",
    "The service was acquired by Halden Group for 30 million dollars in 2019.",
    "No data leaves the machine unless the operator enables export.",
    "Packages must be signed before Karlsen uploads them to the Oslo mirror.",
    "Revenue grew from 40 million in 2020 to 65 million in 2023.",
    "Lake Vesna lies above the town and feeds the river Mirna.",
]
TEXT = " ".join(CORPUS)
sentence = st.sampled_from(CORPUS)


@given(said=sentence)
def test_a_verbatim_quotation_is_always_a_quote(said: str) -> None:
    assert assess(said, TEXT).tier is Tier.QUOTE


@given(said=sentence, data=st.data())
def test_spaces_and_kinds_of_quotes_do_not_matter(said: str, data: st.DataObject) -> None:
    wrapped = "".join(
        data.draw(st.sampled_from(["\n", "  ", " \t"])) if char == " " else char for char in said
    )
    assert assess(said, wrapped).tier is Tier.QUOTE
    assert assess(f"She said “{said}”", f'She said "{wrapped}"').tier is Tier.QUOTE


@given(said=sentence.filter(lambda s: bool(re.search(r"\d", s))), data=st.data())
def test_a_changed_number_is_never_supported(said: str, data: st.DataObject) -> None:
    numbers = list(re.finditer(r"\d+", said))
    at = data.draw(st.sampled_from(numbers))
    other = data.draw(st.integers(0, 9999).map(str).filter(lambda n: n != at.group()))
    changed = said[: at.start()] + other + said[at.end() :]
    assert not assess(changed, said).holds


@given(said=sentence, data=st.data())
def test_a_changed_name_is_never_supported(said: str, data: st.DataObject) -> None:
    names = [m for m in re.finditer(r"\b[A-Z][a-z]+\b", said) if m.start()]
    if not names:
        return
    at = data.draw(st.sampled_from(names))
    other = data.draw(st.sampled_from(["Halden", "Quentin", "Vesna", "Python", "Bergen"]))
    if other in said:
        return
    changed = said[: at.start()] + other + said[at.end() :]
    assert not assess(changed, said).holds
    assert not assess(changed, TEXT).holds


@given(said=sentence)
def test_a_changed_negation_is_never_supported(said: str) -> None:
    if "No data" in said:
        changed = said.replace("No data", "data")
    elif "does not support" in said:
        changed = said.replace("does not support", "does support")
    else:
        changed = re.sub(r"\b(was|must|lies|grew|reads|founded|discovered)\b", r"\1 not", said)
    assert changed != said
    assert not assess(changed, said).holds


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("data leaves the machine unless the operator enables export.", CORPUS[6]),
        ("all keys are kept", "Not all keys are kept."),
        ("Pierre Curie discovered polonium together with Marie Curie in 1898.", CORPUS[0]),
        (
            "Ole Dahl founded Nordlys in Bergen before Anna Berg joined the company in 2011.",
            CORPUS[3],
        ),
        ("Halden Group was acquired by the service for 30 million dollars in 2019.", CORPUS[5]),
        ("The service acquired Halden Group for 30 million dollars in 2019.", CORPUS[5]),
        ("Revenue grew from 65 million in 2023 to 40 million in 2020.", CORPUS[8]),
        ("Revenue shrank from 40 million in 2020 to 65 million in 2023.", CORPUS[8]),
        ("Lake Vesna lies below the town and feeds the river Mirna.", CORPUS[9]),
        ("No data leaves the machine unless the operator disables export.", CORPUS[6]),
        ("Packages may be signed before Karlsen uploads them to the Oslo mirror.", CORPUS[7]),
        ("Packages must be signed after Karlsen uploads them to the Oslo mirror.", CORPUS[7]),
        ("It needs Python >=3.9", "It needs Python <=3.9"),
        ("It needs Python 3", "It needs Python 3.9 or newer."),
        ("The rate is 5", "The rate is 5% a year."),
        ("Requests does not support Python 2 since version 2.28.1.", CORPUS[2]),
        ("The moon is made of cheese.", CORPUS[0]),
        ("", CORPUS[0]),
        ("...", CORPUS[0]),
    ],
)
def test_what_the_text_does_not_say_is_not_supported(said: str, stands: str) -> None:
    assert not assess(said, stands).holds


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("Marie Curie discovered polonium with Pierre Curie in 1898.", CORPUS[0]),
        ("The parser reads twelve files per second on a machine with four cores.", CORPUS[4]),
        ("The Harbour Bridge was opened by Ada Lindqvist on 14 March 1932.", CORPUS[1]),
        ("The company has 1,200 employees in Oslo.", "The company has 1200 employees in Oslo."),
    ],
)
def test_a_close_paraphrase_is_supported(said: str, stands: str) -> None:
    assert assess(said, stands).tier is Tier.CLOSE


def test_what_is_missing_is_named_in_the_sentences_words() -> None:
    found = assess("Marie Curie discovered polonium together with Pierre Curie in 1903.", CORPUS[0])
    assert found.tier is Tier.PARTLY
    assert found.missing == ("1903",)
    far = assess("Volcanoes erupt rarely in Chile.", CORPUS[0])
    assert far.tier is Tier.NO
    assert "Chile" in far.missing


def test_idf_weighs_what_must_be_covered() -> None:
    said = "The quick quiet parser reads files."
    stands = "The parser reads files."
    assert not assess(said, stands).only_wording
    weighed = assess(said, stands, idf={"quick": 0.1, "quiet": 0.1})
    assert weighed.only_wording
    assert not weighed.holds


@given(said=sentence, before=st.text(max_size=30), after=st.text(max_size=30))
def test_a_quotation_is_found_where_it_stands(said: str, before: str, after: str) -> None:
    text = f"{before}\n\n{said}\n\n{after}"
    span = find_quotation(said, text)
    assert span is not None
    assert normalise(text[span.start : span.end])[0] == normalise(said)[0]


def test_a_quotation_never_begins_inside_a_number() -> None:
    assert find_quotation("9 or newer", "Python 3.9 or newer") is None
    assert find_quotation("Python 3", "Python 3.9") is None
    assert find_quotation("version 3.9", "version 3.9.") == Span(start=0, end=11)


def test_the_best_sentence_is_located() -> None:
    span = locate("Who opened the bridge? Ada Lindqvist opened it.", TEXT)
    assert span is not None
    assert TEXT[span.start : span.end] == CORPUS[1]
    assert locate("Zebras zigzag.", TEXT) is None


def test_a_span_grows_to_whole_sentences() -> None:
    at = TEXT.index("not support")
    whole = enclosing(TEXT, Span(start=at, end=at + 11))
    assert TEXT[whole.start : whole.end] == CORPUS[2]


@given(text=st.text())
def test_sentences_are_spans_of_the_text_in_order(text: str) -> None:
    spans = sentences(text)
    at = 0
    for span in spans:
        assert at <= span.start < span.end <= len(text)
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        at = span.end


@given(text=st.text())
def test_normalising_keeps_every_place(text: str) -> None:
    plain, places = normalise(text)
    assert len(places) == len(plain) + 1
    assert places == sorted(places)
    assert normalise(plain)[0] == plain


def test_words_are_canonical() -> None:
    keys = [w.key for w in read_words("Twenty-one of 1,200 came on 3rd May, not in may be March 5")]
    assert keys[:3] == ["21", "of", "1200"]
    assert "month:5" in keys
    assert "month:3" in keys
    assert [w.kind for w in read_words("It doesn't")][-1] is WordKind.NEGATION


@pytest.mark.parametrize("cited", ["", "```", "---\n\nA dog barked.", "· · ·\n\n![](x.png)"])
def test_a_text_without_words_bears_nothing_out(cited: str) -> None:
    assert assess("The bridge was opened in summer.", cited).tier is Tier.NO
