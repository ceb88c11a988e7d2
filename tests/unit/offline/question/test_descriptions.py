from __future__ import annotations

import pytest

from weft.offline.question.descriptions import innermost, put


def parts(question: str, *known: str) -> tuple[str, str, str, str]:
    """Return what is described, the noun's kind, the name in it, and the question without it."""
    found = innermost(question, known=known)
    assert found is not None
    kind = found.kind.name if found.kind else ""
    return question[found.start : found.end], kind, found.name, put(question, found, name="X")


@pytest.mark.parametrize(
    ("question", "phrase", "kind", "plainer"),
    [
        (
            "Who leads the team that owns the service which FOG-1 broke?",
            "the service which FOG-1 broke",
            "service",
            "Who leads the team that owns X?",
        ),
        (
            "In which town does the team sit whose crane fell over?",
            "the team sit whose crane fell over",
            "team",
            "In which town does X sit?",
        ),
        (
            "In which town does the team that owns lighthouse sit?",
            "the team that owns lighthouse",
            "team",
            "In which town does X sit?",
        ),
        (
            "When did the person who paints the old ships join the company?",
            "the person who paints the old ships",
            "person",
            "When did X join the company?",
        ),
        (
            "In which language is the service of Ann Oak's team written?",
            "Ann Oak's team",
            "team",
            "In which language is the service of X written?",
        ),
        (
            "When was the ticket opened that blocks FOG-1?",
            "the ticket opened that blocks FOG-1",
            "ticket",
            "When was X opened?",
        ),
        (
            "Who made the change that caused the long fog?",
            "the change that caused the long fog",
            "",
            "Who made X?",
        ),
        (
            "안개를 알리는 서비스를 맡은 팀의 팀장은 누구인가요?",
            "안개를 알리는 서비스",
            "service",
            "X를 맡은 팀의 팀장은 누구인가요?",
        ),
    ],
)
def test_the_innermost_description_is_found_and_a_name_put_in_its_place(
    question: str, phrase: str, kind: str, plainer: str
) -> None:
    said, of, _, rest = parts(question)
    assert (said, of, rest) == (phrase, kind, plainer)


@pytest.mark.parametrize(
    ("question", "known", "name"),
    [
        ("Who leads the team that owns lighthouse?", (), "lighthouse"),
        ("Who leads the team behind lighthouse?", ("lighthouse",), "lighthouse"),
        ("What is the tier of the service in ticket FOG-1?", (), "FOG-1"),
        ("lighthouse를 맡은 팀은 어디에 있나요?", (), "lighthouse"),
    ],
)
def test_a_description_by_a_name_gives_the_name(
    question: str, known: tuple[str, ...], name: str
) -> None:
    assert parts(question, *known)[2] == name


def test_a_bearer_of_a_name_is_told_apart_by_a_clause() -> None:
    english = innermost("Where does the Ann Oak work who paints ships?")
    korean = innermost("배를 칠하는 김하나는 어디에서 일하나요?")
    assert english is not None
    assert (english.bearer, english.said) == ("Ann Oak", "paints ships")
    assert korean is not None
    assert (korean.bearer, korean.said) == ("김하나", "배를 칠하는")


@pytest.mark.parametrize(
    "question",
    [
        "Who leads Coast?",
        "How many ships does lighthouse warn a day?",
        "Which is older, the team that paints or the team that sails?",
        "Red Tide has the actress who played which part?",
        "To whom does the successor of Ann Oak report?",
        "Who runs the office in Aarhus?",
        "Which service of Coast is the oldest?",
        "등대팀은 부산에 있나요?",
    ],
)
def test_plain_questions_describe_nothing(question: str) -> None:
    assert innermost(question) is None
