"""Entities are a view: pure, independent of order, and blind to what is not there."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from weft.domain.claim import Link, LinkKind, LocalEntity
from weft.domain.entity import Sighting, entities
from weft.domain.ids import DocumentId


def local(document: str, name: str, entity_class: str = "person") -> LocalEntity:
    return LocalEntity(document_id=DocumentId(document), name=name, entity_class=entity_class)


def link(left: LocalEntity, right: LocalEntity, kind: LinkKind, score: float = 1.0) -> Link:
    return Link(
        left=left, right=right, kind=kind, method="person" if score == 1.0 else "model",
        score=score, reason="", author="user:ann",
    )  # fmt: skip


MEMBERS = [local(f"file:s/{d}", name) for d in "abc" for name in ("li wei", "wei li", "kim")]
members = st.sampled_from(MEMBERS)
sightings = st.lists(
    st.builds(Sighting, entity=members, surface=st.sampled_from(["Li Wei", "Kim", "LI"])),
    max_size=14,
)
links = st.lists(
    st.builds(
        link, members, members, st.sampled_from(list(LinkKind)), st.sampled_from([0.5, 0.9, 1.0])
    ),
    max_size=8,
)


def test_equal_name_and_class_are_one() -> None:
    seen = [
        Sighting(entity=local("a", "weft"), surface="Weft", count=2),
        Sighting(entity=local("b", "weft"), surface="WEFT"),
        Sighting(entity=local("b", "weft", "product"), surface="weft"),
    ]
    found = entities(seen, [])
    assert [(each.id, each.name, each.aliases) for each in found] == [
        ("a#person:weft", "Weft", ("WEFT",)),
        ("b#product:weft", "weft", ()),
    ]


def test_two_people_with_one_name_stay_two() -> None:
    one, other, third = (local(document, "li wei") for document in "abc")
    seen = [Sighting(entity=each, surface="Li Wei") for each in (one, other, third)]
    found = entities(seen, [link(one, other, LinkKind.NOT_SAME_AS)])
    assert [each.members for each in found] == [(one, third), (other,)]
    said = [link(one, other, LinkKind.NOT_SAME_AS), link(other, third, LinkKind.SAME_AS)]
    assert [each.members for each in entities(seen, said)] == [(one,), (other, third)]


def test_the_better_score_joins_first() -> None:
    one, other, third = local("a", "x"), local("b", "y"), local("c", "z")
    seen = [Sighting(entity=each, surface=each.name) for each in (one, other, third)]
    said = [
        link(one, other, LinkKind.NOT_SAME_AS),
        link(one, third, LinkKind.SAME_AS, 0.5),
        link(other, third, LinkKind.SAME_AS, 0.9),
    ]
    assert [each.members for each in entities(seen, said)] == [(one,), (other, third)]


@given(sightings, links, st.randoms(use_true_random=False))
def test_order_does_not_matter(seen: list[Sighting], said: list[Link], shuffled: Random) -> None:
    expected = entities(seen, said)
    shuffled.shuffle(seen)
    shuffled.shuffle(said)
    assert entities(seen, said) == expected


@given(sightings, links, members)
def test_a_member_taken_away_was_never_there(
    seen: list[Sighting], said: list[Link], gone: LocalEntity
) -> None:
    rest = [each for each in seen if each.entity != gone]
    without = [each for each in said if gone not in (each.left, each.right)]
    assert entities(rest, said) == entities(rest, without)


@given(sightings, links)
def test_every_member_is_in_one_entity_and_no_pair_is_joined_against_a_link(
    seen: list[Sighting], said: list[Link]
) -> None:
    found = entities(seen, said)
    assert sorted(member for each in found for member in each.members) == sorted(
        {each.entity for each in seen}
    )
    apart = [each for each in said if each.kind is LinkKind.NOT_SAME_AS and each.left != each.right]
    for each in found:
        assert all(not {pair.left, pair.right} <= set(each.members) for pair in apart)
