"""Korean particles: which there are, what role they give, and whether one may end a name."""

from __future__ import annotations

from collections.abc import Mapping

from weft.language.hangul import is_closed, is_syllable

# Never the end of a name; where one ends with another, the longer one comes first.
LONG = (
    "에서는", "에게서", "으로서", "으로써", "이라는", "이라고", "에서", "에게", "께서",
    "으로", "라는", "라고", "까지", "부터", "처럼", "에는",
)  # fmt: skip
# Of one syllable, and the copula: a name may end so too.
SHORT = ("이다", "은", "는", "이", "가", "을", "를", "과", "와", "의", "에", "로", "도", "만")
ROLES: Mapping[str, tuple[str, ...]] = {
    "subject": ("이", "가", "께서"),
    "topic": ("은", "는"),
    "object": ("을", "를"),
    "genitive": ("의",),
    "place": ("에", "에서", "에는", "에서는"),
    "toward": ("로", "으로", "로서", "으로서", "로써", "으로써"),
    "with": ("와", "과", "하고", "이랑", "랑"),
    "from": ("부터", "에게서", "한테서", "로부터", "으로부터"),
    "goal": ("까지", "에게", "께", "한테"),
    "also": ("도",),
    "only": ("만", "뿐", "밖에"),
}
# What a noun of two syllables or more becomes, or is said with: 완료된, 진행중인, 서울이랑.
_BEHIND_NOUNS = tuple(
    "된 되는 됐던 되었던 한 하는 했던 하던 중인 들 들의 들은 들이 에게 한테 께 이랑 랑 하고 이나 나"
    " 이면 인가 인가요 이야 이에요 예요".split()
)
_WORKED_OUT = ("평균", "합계", "총합", "총액", "전체", "누적")
_AFTER_CLOSED, _AFTER_OPEN = "은이을과", "는가를와"
_OBJECT = ROLES["object"]


def strip_particle(word: str) -> str:
    """Return a Korean word without a particle that cannot belong to a name, else the word."""
    for particle in LONG:
        if word.endswith(particle) and len(word) >= len(particle) + 2:
            return word[: -len(particle)]
    # These agree with the sound before them, which tells them from a name's last syllable.
    if len(word) >= 3 and agrees(word[:-1], word[-1]) and word[-1] in _OBJECT:
        return word[:-1]
    return word


def agrees(stem: str, particle: str) -> bool:
    """Tell whether a one-syllable Korean particle may follow the sound that a stem ends with."""
    if not stem or not is_syllable(stem[-1]):
        return True
    closed = is_closed(stem[-1])
    if particle in _AFTER_CLOSED:
        return closed
    return not closed if particle in _AFTER_OPEN else True


def nouns_of(word: str) -> list[str]:
    """Return the nouns of two syllables or more that a Korean word may be made of or end behind.

    What is worked out may be written with it: 평균연봉, 매출합계.
    """
    found = [
        word.removesuffix(end)
        for end in _BEHIND_NOUNS
        if word.endswith(end) and len(word) > len(end) + 1
    ]
    plain = [word.removesuffix(end) for end in SHORT if word.endswith(end)]
    for one in (word, *plain):
        found += [
            one.removeprefix(part).removesuffix(part)
            for part in _WORKED_OUT
            if one.startswith(part) is not one.endswith(part) and len(one) > len(part) + 1
        ]
    return found
