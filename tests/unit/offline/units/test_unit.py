from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weft.language.blocks.lines import LineKind, blocks_of
from weft.language.sentences import sentences
from weft.offline.units.unit import units_of

PAGE = """# Leave

## Parental leave
Parents get 18 weeks. Written by H. P. Lovecraft in 1920. The steps are:

- Ask **your lead** first.
  Then wait.
- Fill in the form.

**Hours.**
Open from 9 to 5. Closed on Sunday.

| Team | Lead |
|------|------|
| Tides | Mika Sand |

Owner: Olga Berg
Tier: 3

Setup
-----
```
pip install tides
```
"""
KOREAN = """# 휴가

## 연차
직원은 매년 15일의 연차를 받습니다. 신청은 팀장에게 합니다.

- 반차는 4시간입니다.
"""
LINES = st.sampled_from(
    [
        "# Title",
        "## Part",
        "- item one",
        "1. first. second.",
        "| a | b |",
        "|---|---|",
        "Key: value",
        "A sentence. Another one here.",
        "H. P. Lovecraft wrote.",
        "```",
        "code()",
        "",
        "   ",
        "=====",
        "**Bold.**",
        "It says:",
        "회사는 서울에 있다. 사람이 많다.",
        "• point",
        "\u2028odd",
        "---",
        "é\r\n",
    ]
)


def said(text: str) -> list[tuple[str, str]]:
    return [(u.kind.value, text[u.start : u.end]) for u in units_of(text)]


def test_a_page_is_read_as_sentences_items_rows_labels_and_code() -> None:
    assert said(PAGE) == [
        ("paragraph", "Parents get 18 weeks."),
        ("paragraph", "Written by H. P. Lovecraft in 1920."),
        ("item", "Ask **your lead** first.\n  Then wait."),
        ("item", "Fill in the form."),
        ("paragraph", "Open from 9 to 5."),
        ("paragraph", "Closed on Sunday."),
        ("row", "| Tides | Mika Sand |"),
        ("field", "Owner: Olga Berg"),
        ("field", "Tier: 3"),
        ("code", "pip install tides"),
    ]


def test_a_unit_knows_what_it_stands_under() -> None:
    heads = {PAGE[u.start : u.end]: u.heads for u in units_of(PAGE)}
    assert heads["Fill in the form."] == ("Leave", "Parental leave", "The steps are:")
    assert heads["Closed on Sunday."] == ("Leave", "Parental leave", "**Hours.**")
    assert heads["| Tides | Mika Sand |"] == ("Leave", "Parental leave", "| Team | Lead |")
    assert heads["pip install tides"][-1] == "Setup"


def test_a_sentence_knows_the_one_before_it() -> None:
    before = {PAGE[u.start : u.end]: u.before for u in units_of(PAGE)}
    assert before["Written by H. P. Lovecraft in 1920."] == "Parents get 18 weeks."
    assert before["Parents get 18 weeks."] == ""


def test_korean_is_read_alike() -> None:
    assert [text for _, text in said(KOREAN)] == [
        "직원은 매년 15일의 연차를 받습니다.",
        "신청은 팀장에게 합니다.",
        "반차는 4시간입니다.",
    ]
    assert units_of(KOREAN)[2].heads == ("휴가", "연차")


def test_a_record_is_one_unit() -> None:
    text = "Name: Harbour\nTide: low\nWarden: Olga Berg\n"
    [unit] = units_of(text, record=True)
    assert text[unit.start : unit.end] == text.strip()
    assert unit.kind is LineKind.ROW


def test_badges_bare_addresses_and_rules_are_no_units() -> None:
    text = (
        "[![Build](https://ci.example/b.svg)](https://ci.example)\n\nhttps://a.example/b\n\n***\n"
    )
    assert units_of(text) == ()


@given(st.lists(LINES).map("\n".join))
def test_a_units_span_stands_in_its_passage_and_no_two_overlap(text: str) -> None:
    end = 0
    for unit in units_of(text, spans=sentences(text)):
        shown = text[unit.start : unit.end]
        assert shown == shown.strip() != ""
        assert unit.start >= end
        end = unit.end


@given(st.text())
def test_any_text_has_blocks_in_order(text: str) -> None:
    end = 0
    for block in blocks_of(text):
        assert end <= block.start <= block.end <= len(text)
        end = block.end


MANUAL = """Fields
~~~~~~

Every field has a name and a type, and most of them have several more options yet.
Tip: fields that are never filled in may be left out, and then nobody is asked for
what stands there.

.. _lengths:

.. class:: Text(most=None)

    A text of any length.

    .. attribute:: Text.most

        How many characters it has at most.

        .. versionadded:: 4.2

        Set it so::

            Text(most=80)

        Else there is no limit.

    Texts are compared without regard to case.

.. note::

    Numbers are another matter.
"""


def test_what_a_manual_describes_stands_above_what_it_says_of_it() -> None:
    found = {MANUAL[one.start : one.end]: one for one in units_of(MANUAL)}
    heads = {" ".join(said.split()): one.heads for said, one in found.items()}
    most = ("Fields", "Text(most=None)", "Text.most")
    assert heads["How many characters it has at most."] == most
    assert heads["versionadded:: 4.2"] == most
    assert heads["Else there is no limit."] == most
    assert heads["A text of any length."] == most[:2]
    assert heads["Texts are compared without regard to case."] == most[:2]
    assert heads["Numbers are another matter."] == most[:1]
    assert found["Text(most=80)"].kind is LineKind.CODE
    assert not any("lengths" in said or "note::" in said for said in heads)


def test_a_line_of_tildes_below_a_title_opens_no_code() -> None:
    kinds = {one.kind for one in units_of(MANUAL) if one.start < MANUAL.index(".. _lengths")}
    assert LineKind.CODE not in kinds
    (code,) = units_of("Run:\n~~~\nmake all of it\n~~~\n")
    assert code.kind is LineKind.CODE


def test_a_label_that_opens_a_wrapped_paragraph_is_not_cut_from_it() -> None:
    (wrapped,) = [one for one in units_of(MANUAL) if MANUAL[one.start :].startswith("Tip:")]
    assert MANUAL[wrapped.start : wrapped.end].endswith("what stands there.")
    fields = "Owner: Olga Berg of the department for everything that floats on water\nTier: 3\n"
    assert len(units_of(fields)) == 2
