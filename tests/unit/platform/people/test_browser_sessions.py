"""What a browser keeps: whose it is, how long it is good for, how it ends."""

from __future__ import annotations

from pathlib import Path

from weft.platform.people.browser_sessions import (
    LIFE_SECONDS,
    LONGEST_SECONDS,
    BrowserSessions,
    end_all,
)


class _Clock:
    def __init__(self) -> None:
        self.seconds = 1_000_000.0

    def __call__(self) -> float:
        return self.seconds


def test_each_service_has_a_name_and_a_signature_of_its_own(tmp_path: Path) -> None:
    here, there = BrowserSessions(tmp_path, "a"), BrowserSessions(tmp_path, "b")
    assert len({here.name(1), here.name(2), there.name(1), there.name(2)}) == 4
    kept = here.begin(1)
    assert here.read(kept, 1) is not None
    assert here.read(kept, 2) is None
    assert there.read(kept, 1) is None


def test_no_change_of_a_session_is_believed(tmp_path: Path) -> None:
    here = BrowserSessions(tmp_path, "a")
    kept = here.begin(1)
    for place in range(len(kept)):
        changed = kept[:place] + ("1" if kept[place] != "1" else "2") + kept[place + 1 :]
        assert here.read(changed, 1) is None
    for value in ("", ".", "...", "....", kept + "0", "é.é.é.é", f"{'9' * 5000}.1.a.b"):
        assert here.read(value, 1) is None


def test_a_session_goes_on_while_it_is_used_and_not_for_ever(tmp_path: Path) -> None:
    clock = _Clock()
    here = BrowserSessions(tmp_path, "a", now=clock)
    kept = here.begin(1)
    began = clock.seconds
    while (session := here.read(kept, 1)) is not None:
        kept = here.renewed(session, 1) or kept
        clock.seconds += LIFE_SECONDS / 2
    assert LONGEST_SECONDS <= clock.seconds - began < LONGEST_SECONDS + LIFE_SECONDS
    kept = here.begin(1)
    clock.seconds += LIFE_SECONDS + 1
    assert here.read(kept, 1) is None


def test_what_is_ended_stays_so_when_it_was_renewed(tmp_path: Path) -> None:
    clock = _Clock()
    here = BrowserSessions(tmp_path, "a", now=clock)
    first, other = here.begin(1), here.begin(1)
    session = here.read(first, 1)
    assert session is not None
    clock.seconds += LIFE_SECONDS / 2
    second = here.renewed(session, 1)
    assert second is not None
    here.end(session)
    assert [here.read(one, 1) is None for one in (first, second, other)] == [True, True, False]
    end_all(tmp_path)
    assert here.read(other, 1) is None
    assert here.read(here.begin(1), 1) is not None
