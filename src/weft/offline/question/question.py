"""The words of a question, what may stand for them, and whether it goes over several things."""

from __future__ import annotations

import re
from functools import lru_cache

from weft.domain.outside.shipped import shipped_text
from weft.language.hangul import SYLLABLES
from weft.language.particles import strip_particle
from weft.language.patterns import korean_pattern, needing_pattern, pattern
from weft.language.terms import STOP_WORDS, plain, stem, word_terms, words

_CHOICE = needing_pattern(
    r"^(?:which|whose|who|what)\b[^?]*,\s[^?]*\bor\b", ",", flags=re.IGNORECASE
)
_ASKING = frozenset(
    """what which who whom whose when where why how much many often tell give show list
    name explain describe define find please kind sort type does mean say says mention mentions
    happen happens use uses used using have has get gets
still already yet anymore really actually exactly currently nowadays""".split()
)  # fmt: skip
_COMPARES = needing_pattern(
    r"\bor\b|\bboth\b|\bsame\b|\bbetween\b.*\band\b|^(?:are|were|do|did)\b.*\band\b",
    *("or", "both", "same", "and"),
    flags=re.IGNORECASE,
)
# "... the city where X is", "X's owner's ...", "the A of the B of C".
_COMPOUND = needing_pattern(
    r"\w\s+(?:that|which|who|whose|whom|where|in which|of which)\s+\w|['’]s\s.*['’]s\s|"
    r"\bof\s.*\bof\s|\bof\s.*['’]s\s|의 .*의 ",
    *("that", "wh", "'", "’", "of", "의"),
    flags=re.IGNORECASE,
)
_OPENING = needing_pattern(
    r"^(?:in|on|at|to|from|by|for|with|under|into|of|until|since) (?=(?:which|what|whom)\b)|"
    r"\bthe names? of\b",
    *("which", "what", "whom", "name"),
    flags=re.IGNORECASE,
)
_MANY_WORDS = 8
# "(a parody of Gary Beltman)": what is told in passing need not stand in the documents.
_ASIDE = needing_pattern(r"(?<=\s)\([^()]*\)", "(")
_KOREAN_ASKING = korean_pattern(
    "^(?:무엇|무슨|뭐|뭔|누구|누가|언제|어디|왜|어떻게|얼마|몇|어떤|어느|알려|있나|인가)"
)
# What makes a Korean verb a question, and the small words around it.
_ENDING = korean_pattern(
    f"(?<=[{SYLLABLES}])(?:이었나요|였나요|인가요|했나요|하나요|되나요|됐나요|나요|을까요|까요|습니까|입니까|ㅂ니까|"
    "니까|는가요|은가요|가요|어요|아요|세요|하는|되는|하려면|할|한)$"
)
_KOREAN_SMALL = frozenset(
    """수 것 때 등 및 있 하 되 해 할 한 몇 며칠 사람 이름 대 명 번 일 월 년 게 건 좀 더 다 중 총
    내 제 저 나 주 것은 것을 것이 수가 있는 있던 있는데 있으면 없는 하는 하고 해서 위해 위한
    대한 대해 관한 관해 통해 따라 때문 가운데 동안 모두 전부 각각 합쳐서 우리 저희 제가 가장
    제일 지금 현재 요즘 알려 싶은 싶은데""".split()
)
_CONTRACTED = needing_pattern("['’](?:ll|re|ve|d|m|t)$", "'", "’", flags=re.IGNORECASE)
_PARTICLE = korean_pattern(f"(?<=[{SYLLABLES}]{{2}})(?:은|는|이|가|을|를|의|에|로|와|과|도)$")


# One spelling for all of a word: color, organis, licens. Shorter stems are spelt one way.
_SPELLINGS = (
    (pattern(r"our(?=$|[a-z])"), "or"),
    (pattern(r"yz(?=$|e)"), "ys"),
    (pattern(r"iz"), "is"),
    (pattern(r"enc$"), "ens"),
    (pattern(r"tre?$"), "ter"),
    (pattern(r"ogu$"), "og"),
    (pattern(r"ll$"), "l"),
)
_SPELT = 5


def is_choice(text: str) -> bool:
    """Tell whether a question asks which of some things, as "Who is older, A or B?" does."""
    return _CHOICE.search(text.strip()) is not None


@lru_cache(maxsize=64)
def compares(text: str) -> bool:
    """Tell whether a question sets two things side by side, each with its own documents."""
    return len(_names(text)) > 1 and _COMPARES.search(text) is not None


@lru_cache(maxsize=64)
def goes_over_several(text: str) -> bool:
    """Tell whether a question goes over several things, each with documents of its own.

    It compares them, or describes what it asks about by way of something else.
    """
    described = _COMPOUND.search(_OPENING.sub("", text)) is not None
    return described or len(asked_words(text)) >= _MANY_WORDS or compares(text)


def asked_words(text: str) -> tuple[str, ...]:
    """Return the words of a question that say what it is about, Korean ones without particles."""
    kept = (
        w
        for w in words(text)
        if plain(w) not in _ASKING and not _KOREAN_ASKING.match(w) and not _is_contracted(w)
    )
    bare = (_PARTICLE.sub("", strip_particle(_ENDING.sub("", w))) for w in kept if word_terms(w))
    return tuple(word for word in bare if word_terms(word) and plain(word) not in _KOREAN_SMALL)


def is_verb_form(word: str) -> bool:
    """Tell whether a word ends as a Korean verb does in a question."""
    return bool(_ENDING.search(word))


def _is_contracted(word: str) -> bool:
    """Tell whether a word is two small ones: "it'll", "don't"."""
    bare = _CONTRACTED.sub("", word)
    return bare != word and (plain(bare) in STOP_WORDS or bare.endswith("n"))


@lru_cache(maxsize=65536)
def spelt(word_stem: str) -> str:
    """Return a stem in the one spelling that stands for all of its word."""
    if len(word_stem) >= _SPELT:
        for written, other in _SPELLINGS:
            word_stem = written.sub(other, word_stem)
    return word_stem


def occurs(word_stem: str, stems: frozenset[str]) -> bool:
    """Tell whether a stem, one that may stand for it, or another spelling of it is among others."""
    if not alike(word_stem).isdisjoint(stems):
        return True
    own = spelt(word_stem)
    return any(spelt(one) == own for one in stems)


@lru_cache(maxsize=4096)
def alike(word_stem: str) -> frozenset[str]:
    """Return the stems that may stand for a stem, itself included."""
    return _groups().get(word_stem, frozenset()) | {word_stem}


def _names(text: str) -> tuple[str, ...]:
    found: list[str] = []
    for place, word in enumerate(words(_ASIDE.sub(" ", text))):
        if plain(word) in STOP_WORDS | _ASKING:
            continue
        # The first word has a capital whatever it is.
        capital = word[0].isupper() and (place > 0 or not word[1:].islower())
        if len(word) == 1 or _CONTRACTED.search(word):
            continue
        if capital or any(char.isdigit() for char in word):
            found.append(word)
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=1)
def _groups() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    text = shipped_text("weft.offline.question", "synonyms.txt")
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        group = frozenset(stem(plain(word)) for word in line.split())
        for one in group:
            found[one] = found.get(one, frozenset()) | group
    return found
