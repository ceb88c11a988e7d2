from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import pytest

from hopping_world import hit
from weft.agents.toolbox import Toolbox
from weft.domain.frozen import dataclass
from weft.offline.answering import answer_from
from weft.offline.chains.fields import asking_part, follow_fields, pairs_of, values_of
from weft.offline.chains.reach import DocumentKey, Reach, key_of_hit
from weft.offline.evidence.found import FollowedFields, FoundEvidence
from weft.offline.evidence.passages import stems_of
from weft.offline.question.names import key_of
from weft.retrieval.hits import Hit

pytestmark = pytest.mark.anyio


@dataclass(frozen=True, slots=True)
class Documents(Reach):
    """Documents of one passage each, in place of a run's tools."""

    hits: tuple[Hit, ...] = ()

    async def lookup(
        self, names: Sequence[str], *, spelt: Mapping[str, str], near: str = ""
    ) -> Mapping[str, Sequence[Hit]]:
        del spelt, near
        return {
            name: [one for one in self.hits if key_of(one.evidence.title.split(":")[0]) == name]
            for name in names
        }

    async def of_issue(self, issue: str) -> list[DocumentKey]:
        return [key_of_hit(one) for one in self.hits if one.evidence.title.startswith(f"{issue}:")]

    async def pages(self, documents: Sequence[DocumentKey]) -> list[Hit]:
        return [one for one in self.hits if key_of_hit(one) in documents]

    async def within(self, question: str, documents: Sequence[DocumentKey]) -> list[Hit]:
        asked = stems_of(question)
        found = await self.pages(documents)
        return sorted(found, key=lambda one: -len(asked & stems_of(one.evidence.text)))


def document(uri: str, title: str, text: str) -> Hit:
    made = hit(title, text, score=0.9)
    return replace(made, evidence=replace(made.evidence, uri=uri))


HARBOUR = Documents(
    cast(Toolbox, None),
    until=math.inf,
    hits=(
        document(
            "docs/tickets/FOG-1.md",
            "FOG-1: Lamps stayed dark",
            "**Reporter:** Cy Fir · **Assignee:** Bo Elm · **Component:** lighthouse\n\n"
            "All lamps of the coast stayed dark for a night. Blocked by FOG-2.",
        ),
        document(
            "docs/tickets/FOG-2.md",
            "FOG-2: The mast fell over",
            "**Reporter:** Di Ash · **Component:** mast\n\nThe mast fell over in a storm.",
        ),
        document(
            "docs/services/lighthouse.md",
            "lighthouse",
            "lighthouse warns ships of fog.\n\n**Owner:** Coast · **Tier:** 2",
        ),
        document(
            "docs/services/mast.md",
            "mast",
            "mast carries the wires.\n\n**Owner:** Wires · **Tier:** 1",
        ),
        document(
            "docs/teams/coast.md",
            "Coast: charter",
            "- **Lead:** Ann Oak\n- **Where:** Aarhus\n\nBo Elm is the deputy.",
        ),
        document(
            "docs/teams/wires.md",
            "Wires: charter",
            "- **Lead:** Ed Yew\n- **Where:** Bergen",
        ),
    ),
)


async def followed(question: str) -> FollowedFields | None:
    found = FoundEvidence()
    asked = stems_of(question)
    near = sorted(HARBOUR.hits, key=lambda one: -len(asked & stems_of(one.evidence.text)))
    for one in near[:2]:
        found.add(one)
    return await follow_fields(question, found, reach=HARBOUR)


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("Who leads the team that owns the service which FOG-1 broke?", "Coast: charter"),
        ("Who leads the team behind the service that blocks FOG-1?", "Wires: charter"),
        ("In which town does the team work whose lamps stayed dark?", "Coast: charter"),
        ("FOG-1을 일으킨 서비스를 맡은 팀의 팀장은 누구인가요?", "Coast: charter"),
    ],
)
async def test_fields_and_keys_lead_to_what_is_described(question: str, title: str) -> None:
    found = await followed(question)
    assert found is not None
    assert title in {hit.evidence.title for _, hit in found.entries}


@pytest.mark.parametrize(
    "question", ["Who leads Coast?", "Who leads the team that owns the service which FOG-9 broke?"]
)
async def test_nothing_is_followed_where_nothing_is_described_or_known(question: str) -> None:
    library = replace(HARBOUR, hits=HARBOUR.hits[3:4])
    assert await follow_fields(question, FoundEvidence(), reach=library) is None


async def test_where_the_fields_lead_is_shown_behind_the_first() -> None:
    question = "Who is the lead of the coast team that owns the service which FOG-1 broke?"
    found = FoundEvidence()
    found.add(HARBOUR.hits[0])
    said = answer_from(question, found)
    before = [one.text for one in (*said.sentences, *said.nearest)]
    found.followed = await follow_fields(question, found, reach=HARBOUR)
    said = answer_from(question, found)
    after = [one.text for one in (*said.sentences, *said.nearest)]
    assert not any("Ann Oak" in one for one in before)
    assert any("Ann Oak" in one for one in after[:3]), after


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Who leads the team that owns FOG-1?", "Who leads the team?"),
        ("In which town does the team work whose lamp broke?", "In which town does the team work?"),
        ("Who leads Coast?", "Who leads Coast?"),
        ("Which lamp broke?", "Which lamp broke?"),
        ("등대를 맡은 팀의 팀장은 누구인가요?", "팀의 팀장은 누구인가요?"),
    ],
)
def test_what_is_asked_stands_before_what_is_described(question: str, asked: str) -> None:
    assert asking_part(question) == asked


def test_fields_are_read_from_lines_and_rows() -> None:
    assert list(pairs_of("**Owner:** Coast (before: Data) · **Tier:** 2")) == [
        ("Owner", "Coast (before: Data)"),
        ("Tier", "2"),
    ]
    assert list(pairs_of("- **담당 팀:** 등대팀")) == [("담당 팀", "등대팀")]
    assert list(pairs_of("It runs on two sites.")) == []
    assert values_of("Coast (before: Data)") == ("Coast",)
    assert values_of("lighthouse, buoy") == ("lighthouse", "buoy")
