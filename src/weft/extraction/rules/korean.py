"""Korean proper nouns by the words that follow or frame them, without their particles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from weft.domain.frozen import dataclass
from weft.language.hangul import SYLLABLES
from weft.language.particles import LONG, SHORT, agrees, strip_particle
from weft.language.surnames import TITLED

_WORD = re.compile(f"[{SYLLABLES}]+")
_TITLES = frozenset(
    """
    대표 대표이사 회장 부회장 사장 부사장 교수 대통령 총리 장관 차관 의원 기자 감독
    작가 박사 선수 이사 팀장 과장 부장 차장 대리 씨 님 원장 소장 시장
    지사 판사 검사 변호사 배우 가수 시인 화가 선생 연구원
    """.split()
)
# Longest first: a word that ends so, with two syllables or more before it, names such a thing.
_ENDINGS = (
    (
        "organization",
        """대학교 위원회 연구소 연구원 주식회사 은행 재단 협회 공사 그룹 전자 병원 학회 공단 증권
        보험 중공업 자동차 제약 방송 신문 출판사 법원 경찰청 고등학교""".split(),
    ),
    ("place", "특별시 광역시 자치시 공항 산맥 반도 왕국 공화국".split()),
    ("document", "보고서 계약서 규정 법률 조약 협정".split()),
    ("event", "전쟁 올림픽 월드컵 혁명 대지진 영화제".split()),
)
_FRAMED = re.compile(
    rf"(?:주식회사|㈜|\(주\))\s?([{SYLLABLES}A-Za-z0-9]{{2,20}})"
    rf"|([{SYLLABLES}A-Za-z0-9]{{2,20}}?)\s?(?:㈜|\(주\))"
)
_GLOSSED = re.compile(rf"([{SYLLABLES}]{{2,12}})\s?\(([A-Z][A-Za-z0-9 .&-]{{1,40}})[,)]")


@dataclass(frozen=True, slots=True, kw_only=True)
class KoreanName:
    """A span and the class that its frame speaks for; empty when only its form shows a name."""

    start: int
    end: int
    entity_class: str


def korean_names(text: str, members: Mapping[str, str]) -> list[KoreanName]:
    """Return the Korean names of a text in order, none within another.

    `members` are known names with their classes. A particle is part of no span.
    """
    found = [*_framed(text), *_words(text, members)]
    found.sort(key=lambda each: (each.start, -each.end))
    kept: list[KoreanName] = []
    for each in found:
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return kept


def stems(word: str) -> list[str]:
    """Return a word and what is left of it without each particle it may end with."""
    possible = [word]
    for particle in (*LONG, *SHORT):
        stem = word.removesuffix(particle)
        if stem != word and len(stem) >= 2 and (len(particle) > 1 or agrees(stem, particle)):
            possible.append(stem)
    return possible


def _framed(text: str) -> Iterator[KoreanName]:
    for match in _FRAMED.finditer(text):
        group = 1 if match[1] else 2
        start, word = match.start(group), match[group]
        name = strip_particle(word)
        yield KoreanName(start=start, end=start + len(name), entity_class="organization")
    for match in _GLOSSED.finditer(text):
        yield KoreanName(start=match.start(1), end=match.end(1), entity_class="")


def _words(text: str, members: Mapping[str, str]) -> Iterator[KoreanName]:
    words = list(_WORD.finditer(text))
    for number, match in enumerate(words):
        word, start = match[0], match.start()
        following = words[number + 1] if number + 1 < len(words) else None
        if following and _is_titled(text, match, following):
            yield KoreanName(start=start, end=match.end(), entity_class="person")
            continue
        for stem in stems(word):
            kind = members.get(stem) or _ending(stem)
            if kind:
                yield KoreanName(start=start, end=start + len(stem), entity_class=kind)
                break


def _is_titled(text: str, name: re.Match[str], title: re.Match[str]) -> bool:
    """Tell whether a word is a person's name by the title after it: 김철수 대표."""
    if text[name.end() : title.start()] != " " or not 2 <= len(name[0]) <= 4:
        return False
    return name[0][0] in TITLED and any(
        stem in _TITLES for stem in (*stems(title[0]), title[0][:1])
    )


def _ending(stem: str) -> str:
    for kind, endings in _ENDINGS:
        if any(stem.endswith(ending) and len(stem) >= len(ending) + 2 for ending in endings):
            return kind
    return ""
