"""What one may not read changes nothing that one is answered: a world with it and one without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from flow.http_world import served
from flow.people_world import PeopleWorld
from flow.reading_world import READERS, Draft, add_people, answers, build, clear, drawn, hidden
from weft.domain.target import EMBEDDED

WORLDS, CHAOS, WHOLE = 20, 1000, 20
# A world is looked at by its people, who ask so much of all that can be asked: each thing in some
# five of forty-five worlds. What no two worlds share shows more than all of one world.
SHARE = 0.1
UNLIMITED = "embedder: none\nrate_tenant: 0\nrate_user: 0\nrate_key: 0\n"


@contextmanager
def service(home: Path) -> Iterator[PeopleWorld]:
    """Serve one workspace: a tenant with whole worlds, and one for each reader's part of them."""
    (home / "weft.yaml").write_text(UNLIMITED)
    with served(home) as client:
        world = PeopleWorld(client=client, keys={})
        for tenant in ("whole", *READERS):
            add_people(world, tenant)
        yield world


def differences(
    world: PeopleWorld,
    draft: Draft,
    count: Counter[str],
    *,
    store: str = EMBEDDED,
    share: float = 1.0,
    names: Iterable[str] = READERS,
) -> list[str]:
    """Return where a reader is answered otherwise, or told of what it may not read."""
    build(world, "whole", draft, store=store)
    told = {name: answers(world, f"whole/{name}", draft, share=share) for name in names}
    clear(world, "whole", draft)
    wrong = []
    for name, whole in told.items():
        part = draft.without(name)
        build(world, name, part, store=store)
        less = answers(world, f"{name}/{name}", draft, share=share)
        clear(world, name, part)
        count["replies"] += len(whole)
        count["hidden documents"] += len(hidden(draft, name))
        wrong += [
            f"{name}: {label}: {first_difference(whole.get(label), less.get(label))}"
            for label in {**whole, **less}
            if whole.get(label) != less.get(label)
        ]
        # What one asks for oneself comes back in questions, titles of conversations and errors.
        asked = draft.papers[-1].canary
        wrong += [
            f"{name}: {label} names {canary}\n  {reply}"
            for label, reply in whole.items()
            for canary in hidden(draft, name)
            if canary != asked and canary in str(reply)
        ]
    return wrong


def first_difference(one: Any, other: Any, place: str = "") -> str:
    """Return where two replies begin to differ, with what stands there."""
    if isinstance(one, dict) and isinstance(other, dict):
        pairs = [(key, one.get(key), other.get(key)) for key in {**one, **other}]
    elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
        pairs = [(str(n), *each) for n, each in enumerate(zip_longest(one, other))]
    else:
        return f"{place}: {str(one)[:300]} != {str(other)[:300]}"
    key, left, right = next(each for each in pairs if each[1] != each[2])
    return first_difference(left, right, f"{place}/{key}")


def checked(
    home: Path,
    seeds: range,
    *,
    store: str = EMBEDDED,
    shelves: int = 3,
    share: float = 1.0,
    all_people: bool = True,
) -> None:
    """Compare worlds as all of their people see them, or one of them in turn."""
    count: Counter[str] = Counter()
    everybody = list(READERS)
    with service(home) as world:
        for seed in seeds:
            draft = drawn(seed, shelves=shelves)
            names = everybody if all_people else [everybody[seed % len(everybody)]]
            wrong = differences(world, draft, count, store=store, share=share, names=names)
            assert not wrong, f"world {seed}: {len(wrong)} differences\n" + "\n".join(wrong[:5])
            count["worlds"] += 1
    assert count["hidden documents"] >= count["worlds"]
    print(f"\n{dict(count)}: 0 differences, 0 canaries")


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_what_one_may_not_read_changes_nothing(tmp_path: Path) -> None:
    checked(tmp_path, range(WORLDS), share=SHARE, shelves=2, all_people=False)


@pytest.mark.chaos
@pytest.mark.timeout(3 * 3600)
def test_a_thousand_worlds(tmp_path: Path) -> None:
    checked(tmp_path, range(100, 100 + CHAOS), share=SHARE)


@pytest.mark.chaos
@pytest.mark.timeout(3600)
def test_all_that_can_be_asked(tmp_path: Path) -> None:
    checked(tmp_path, range(2000, 2000 + WHOLE))
