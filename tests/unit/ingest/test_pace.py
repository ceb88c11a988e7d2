"""How long it will still take, by a clock that the test sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.ingest.pace import Pace, Piece, Rate

_A_CHUNK = 0.02
_A_FILE = 0.02
_REPORTED = 64
# The rest of a file's time passes after its vectors are made, and nothing is heard meanwhile.
_EMBEDDING = 0.8


@dataclass(frozen=True, kw_only=True)
class Scripted:
    """A file, the chunks it turns out to have, and the seconds until its first one is there."""

    kind: str
    size: int
    chunks: int
    parsing: float = 0.0

    @property
    def seconds(self) -> float:
        return _A_FILE + self.parsing + self.chunks * _A_CHUNK


def told(files: Sequence[Scripted]) -> Iterator[tuple[float, float, float | None]]:
    """Work through files; yield the time, what is truly left and the estimate, a second apart."""
    names = {str(number): file for number, file in enumerate(files)}
    pieces = {name: Piece(kind=file.kind, size=file.size) for name, file in names.items()}
    pace, now, due = Pace(pieces, 0.0), 0.0, 1.0
    whole = sum(file.seconds for file in files)
    for name, file in names.items():
        pace.begin(name, now=now)
        steps = [(_A_FILE + file.parsing, 0)]
        while steps[-1][1] < file.chunks:
            more = min(_REPORTED, file.chunks - steps[-1][1])
            steps.append((more * _A_CHUNK * _EMBEDDING, steps[-1][1] + more))
        steps.append((file.chunks * _A_CHUNK * (1 - _EMBEDDING), file.chunks))
        for seconds, done in steps:
            while due < now + seconds:
                yield due, whole - due, pace.seconds_left(due)
                due += 1.0
            now += seconds
            if file.chunks:
                share = _EMBEDDING * done / file.chunks
                pace.reach(name, share, chunks=_EMBEDDING * done, now=now)
        pace.reach(name, 1.0, chunks=file.chunks, now=now)
    assert pace.seconds_left(now) == 0.0


NOTES = [Scripted(kind=".md", size=900, chunks=1)] * 300
BOOK = Scripted(kind=".md", size=4_000_000, chunks=4_500)
TABLE = Scripted(kind=".csv", size=1_800_000, chunks=9_000)
SCAN = Scripted(kind=".pdf", size=40_000_000, chunks=400, parsing=20.0)


@pytest.mark.parametrize(
    "files",
    [
        pytest.param([*NOTES, BOOK], id="small ones first"),
        pytest.param([BOOK, *NOTES], id="a large one first"),
        pytest.param([*NOTES, TABLE], id="a kind that comes last and is dearer"),
        pytest.param([TABLE, *NOTES, TABLE, BOOK], id="mixed"),
    ],
)
def test_what_is_left_is_foretold_within_a_factor_of_two(files: list[Scripted]) -> None:
    seen = [one for one in told(files) if one[0] > 3.0 and one[1] > 5.0]
    assert len(seen) > 20
    wrong = [one for one in seen if one[2] is None or not one[1] / 2 < one[2] < one[1] * 2]
    assert not wrong, wrong[:5]


MIXED = [
    each
    for _ in range(40)
    for each in (
        *[Scripted(kind=".md", size=4_000, chunks=5)] * 6,
        Scripted(kind=".csv", size=60_000, chunks=300),
        Scripted(kind=".html", size=90_000, chunks=8, parsing=0.3),
        Scripted(kind=".pdf", size=1_200_000, chunks=60, parsing=2.0),
    )
]


@pytest.mark.parametrize("seed", range(5))
def test_of_a_mixed_folder_the_estimate_settles(seed: int) -> None:
    """From a quarter of the way on it is at most a twentieth off."""
    files = [*MIXED]
    Random(seed).shuffle(files)
    whole = sum(file.seconds for file in files)
    wrong = {
        share: next(
            abs(said - left) / left
            for at, left, said in told(files)
            if at >= share * whole and said is not None
        )
        for share in (0.25, 0.5)
    }
    assert max(wrong.values()) <= 0.05, wrong


def test_a_few_seconds_is_never_said_while_minutes_are_left() -> None:
    files = [*NOTES, *[Scripted(kind=".txt", size=300, chunks=1)] * 500, BOOK, TABLE]
    said_too_little = [one for one in told(files) if one[1] > 60 and one[2] and one[2] < 30]
    assert not said_too_little, said_too_little[:5]


def test_an_estimate_grows_while_nothing_is_heard_of_a_file() -> None:
    """A scan is parsed for long and gives little: what was foretold does not stand still at 0."""
    while_parsed = [said for at, _, said in told([*NOTES, SCAN]) if 14.0 < at < 30.0]
    assert while_parsed
    assert all(said is not None and said > 5.0 for said in while_parsed), while_parsed


def test_what_was_measured_of_a_kind_counts_for_the_rest_of_it() -> None:
    """Pages that are mostly markup: once some are done, the others are known to be as poor."""
    poor = Scripted(kind=".html", size=60_000, chunks=2)
    seen = [one for one in told([poor] * 200) if one[0] > 4.0 and one[1] > 2.0]
    assert seen
    assert all(said and left * 0.7 < said < left * 1.4 for _, left, said in seen), seen[:3]


@given(
    st.lists(
        st.builds(
            Scripted,
            kind=st.sampled_from([".md", ".pdf", ""]),
            size=st.integers(0, 10**7),
            chunks=st.integers(0, 500),
        ),
        max_size=12,
    )
)
def test_it_is_never_below_nothing_and_ends_with_nothing(files: list[Scripted]) -> None:
    assert all(said is None or said >= 0.0 for _, _, said in told(files))


def test_an_unknown_file_changes_nothing() -> None:
    pace = Pace({"a": Piece(kind=".md", size=1000)}, 0.0)
    pace.reach("b", 1.0, chunks=9, now=2.0)
    assert pace.seconds_left(2.0) is None


def test_a_rate_follows_what_happens_now() -> None:
    rate = Rate(0.0)
    for second in range(1, 100):
        rate.add(10, float(second))
    for second in range(100, 200):
        rate.add(1, float(second))
    assert 1.0 <= rate.per_second(199.0) < 1.5
    assert rate.per_second(299.0) < 0.3  # time in which nothing is done counts too
