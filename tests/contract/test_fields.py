"""Documents, phrases and names are found alike on every backend, in any script and field."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from contract.stores import BACKENDS, Opener, Store
from weft.domain.document import Document, Value
from weft.domain.ids import DocumentId
from weft.domain.patch import Patch
from weft.ports.knowledge import DocumentFilter
from worlds import OPEN, WRITER, Draft, patch_of, scope_of

pytestmark = pytest.mark.anyio
opener = pytest.mark.parametrize("opener", BACKENDS.values(), ids=BACKENDS.keys())

MARCH = datetime(2024, 3, 1, tzinfo=UTC)
FIELDS: dict[str, dict[str, Value]] = {
    "a": {"status": "Open", "count": 3, "ratio": 1.5, "done": True},
    "b": {"status": "열림", "count": 1, "none": None, "title": "beside"},
    "c": {"status": 'O"pen', "Größe": "ÉCOLE", "count": "3"},
    "\U0001f642": {"status": "open"},
    "\uff5e": {"status": "open"},
}


def patches() -> list[Patch]:
    """Return documents that differ in their fields and times."""
    made = []
    for number, (name, metadata) in enumerate(FIELDS.items()):
        patch = patch_of(Draft(name, OPEN, ((number,), (7,))))
        zone = timezone(timedelta(hours=9)) if number % 2 else UTC
        updated = (MARCH + timedelta(hours=number)).astimezone(zone)
        document = replace(
            patch.document,
            type="Datei" if number == 2 else "file",
            title=f"{name} ÜBERSICHT 서울",
            metadata=metadata,
            updated=None if name == "c" else updated,
            created=MARCH,
        )
        made.append(replace(patch, document=document))
    return made


async def fill(store: Store) -> list[Document]:
    fence = await store.publishing.issue_fence(WRITER, "world")
    for patch in reversed(patches()):
        await store.publishing.publish(WRITER, patch, expected_version=None, fence=fence)
    return [patch.document for patch in patches()]


def key(name: str) -> DocumentId:
    return DocumentId(f"file:world/{name}")


@opener
async def test_documents_come_back_whole_and_ordered_by_code_points(opener: Opener) -> None:
    async with opener() as store:
        documents = await fill(store)
        found = await store.knowledge.find(
            WRITER, DocumentFilter(sources=frozenset({"WORLD"})), 100
        )
        assert [each.id for each in found] == sorted(each.id for each in documents)
        assert {each.id: each for each in found} == {each.id: each for each in documents}
        first = await store.knowledge.find(WRITER, DocumentFilter(sources=frozenset({"world"})), 4)
        assert first == found[:4]


CASES: list[tuple[DocumentFilter, str]] = [
    (DocumentFilter(exact={"status": "Open"}), "a"),
    (DocumentFilter(exact={"status": "열림"}), "b"),
    (DocumentFilter(exact={"status": 'O"pen'}), "c"),
    (DocumentFilter(exact={"count": 3}), "a"),
    (DocumentFilter(exact={"count": 3.0}), "a"),
    (DocumentFilter(exact={"count": "3"}), "c"),
    (DocumentFilter(exact={"ratio": 1.5}), "a"),
    (DocumentFilter(exact={"done": True}), "a"),
    (DocumentFilter(exact={"done": 1}), "a"),
    (DocumentFilter(exact={"none": None}), ""),
    (DocumentFilter(exact={"absent": "x"}), ""),
    (DocumentFilter(exact={"status": "Open", "count": 1}), ""),
    (DocumentFilter(contains={"status": "OPEN"}), "a\U0001f642\uff5e"),
    (DocumentFilter(contains={"title": "übersicht 서"}), "abc\U0001f642\uff5e"),
    (DocumentFilter(contains={"title": "BESIDE"}), "b"),
    (DocumentFilter(contains={"uri": "WORLD/A"}), "a"),
    (DocumentFilter(contains={"Größe": "éco"}), "c"),
    (DocumentFilter(contains={"count": "3"}), "ac"),
    (DocumentFilter(contains={"ratio": "1.5"}), "a"),
    (DocumentFilter(contains={"none": ""}), ""),
    (DocumentFilter(contains={"status": "' OR 1=1 //"}), ""),
    (DocumentFilter(types=frozenset({"DATEI"})), "c"),
    (DocumentFilter(types=frozenset({"datei"}), exact={"count": "3"}), "c"),
    (
        DocumentFilter(since=MARCH + timedelta(hours=1), until=MARCH + timedelta(hours=3)),
        "b\U0001f642",
    ),
    (DocumentFilter(until=MARCH), "a"),
]


@opener
async def test_every_condition_means_the_same(opener: Opener) -> None:
    async with opener() as store:
        await fill(store)
        for wanted, names in CASES:
            found = await store.knowledge.find(WRITER, wanted, 100)
            assert [each.id for each in found] == sorted(map(key, names)), wanted
            one = await store.knowledge.find(WRITER, wanted, 1)
            assert one == found[:1], wanted
            assert await store.knowledge.find(scope_of(), wanted, 100) == found


@opener
async def test_phrases_in_any_script_are_found_case_apart(opener: Opener) -> None:
    texts = ("Straße ÉCOLE 서울 100%_x", "école straße", "ΟΔΥΣΣΕΥΣ Москва")
    async with opener() as store:
        fence = await store.publishing.issue_fence(WRITER, "world")
        for number, text in enumerate(texts):
            patch = patch_of(Draft(f"d{number}", OPEN, ((0,),)))
            (passage,) = patch.passages
            chunk = replace(passage.chunk, text=text, end=len(text), sentences=())
            changed = replace(patch, text=text, passages=(replace(passage, chunk=chunk),))
            await store.publishing.publish(WRITER, changed, expected_version=None, fence=fence)
        for phrase, count in (
            ("ÉCOLE", 2),
            ("école", 2),
            ("é", 2),
            ("STRAßE", 2),
            ("서울", 1),
            ("서", 1),
            ("МОСКВА", 1),
            ("москва", 1),
            ("0%_X", 1),
            ("0%%", 0),
            ("é_ole", 0),
            ("e_ole", 0),
        ):
            found = await store.knowledge.containing(WRITER, phrase, 9)
            assert len(found) == count, phrase
            assert await store.knowledge.containing(WRITER, phrase, 1) == found[:1]
