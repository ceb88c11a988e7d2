"""Korean particles agree with the sound before them, and are told from the end of a name."""

from __future__ import annotations

import pytest

from weft.language.hangul import has_hangul, is_closed, is_syllable
from weft.language.particles import LONG, ROLES, SHORT, agrees, strip_particle


def test_particles_agree_with_the_sound_before_them() -> None:
    assert agrees("서울", "은")
    assert not agrees("서울", "는")
    assert agrees("제주", "는")
    assert agrees("Weft", "는")
    assert strip_particle("서울을") == "서울"
    assert strip_particle("가을") == "가을"


@pytest.mark.parametrize("listed", [LONG, SHORT, tuple(f for row in ROLES.values() for f in row)])
def test_no_particle_is_listed_twice(listed: tuple[str, ...]) -> None:
    assert len(set(listed)) == len(listed)


def test_a_longer_particle_is_tried_before_the_one_it_ends_with() -> None:
    for at, particle in enumerate(LONG):
        assert not any(later.endswith(particle) for later in LONG[at + 1 :])


def test_syllables_are_told_from_other_signs() -> None:
    assert is_syllable("가")
    assert is_syllable("힣")
    assert not is_syllable("ㅋ")
    assert not is_syllable("")
    assert is_closed("울")
    assert not is_closed("주")
    assert has_hangul("Weft는")
    assert not has_hangul("Weft ㅋㅋ が")
