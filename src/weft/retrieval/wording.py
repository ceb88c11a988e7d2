"""The words of a sentence as a check of support needs them: numbers, names, negations, relations.

Everything is canonical, so that "Twelve", "12" and "1,200" against "1200" compare as people do.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files

from weft.domain.document import Span
from weft.domain.terms import STOP_WORDS, plain, stem

_TOKEN = re.compile(
    r"(?<![\w.])[-−]?[$€£¥₩]?\d+(?:[.,:/-]\d+)*(?:st|nd|rd|th)?(?![^\W_])%?"
    r"|[^\W_]+(?:['’][^\W\d_]+)?|[<>=!~]=|[<>≤≥%$€£¥₩°]"
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_END = re.compile(
    r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[^\Wa-z_])|(?<=[。！？])\s*|\n\s*\n|\n(?=\s*[-*•#]|[\w-]{2,40}:\s)"
)
_QUOTES = str.maketrans(
    {"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"', "«": '"', "»": '"', "–": "-", "—": "-",
     "−": "-", "‑": "-", "‐": "-", "\u00ad": None, "\u200b": None, "\u200d": None, "\ufeff": None}
)  # fmt: skip


def _listed(words: str) -> list[str]:
    return words.split()


_UNITS = _listed("""
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen""")
_TENS = _listed("twenty thirty forty fifty sixty seventy eighty ninety")
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_MONTHS = _listed("""january february march april may june july august september october november
    december""")
_NUMBERS = {
    **{word: str(value) for value, word in enumerate(_UNITS)},
    **{word: str(value * 10) for value, word in enumerate(_TENS, start=2)},
    **{word: f"{value}th" for value, word in enumerate(_ORDINALS.split(), start=1)},
    "dozen": "12",
    "half": "1/2",
}
_MONTH_NUMBERS = {
    **{word: f"month:{value}" for value, word in enumerate(_MONTHS, start=1)},
    **{word[:3]: f"month:{value}" for value, word in enumerate(_MONTHS, start=1)},
    "sept": "month:9",
}
# Also ordinary words: a month only beside a figure.
_UNSURE_MONTHS = frozenset({"may", "march", "mar", "jan", "dec", "jun", "sep", "second"})
_ORDINAL = re.compile(r"^(\d+)(?:st|nd|rd|th)$")

_NEGATIONS = frozenset(
    _listed("""
    not no never none neither nor nobody nothing nowhere cannot without hardly barely scarcely
    isnt arent wasnt werent dont doesnt didnt cant couldnt wont wouldnt shouldnt hasnt havent hadnt
    mustnt neednt aint unable""")
)
_KOREAN_NEGATION = re.compile("지않|지못|아니|없[^애]|없$|못하|말아|^안$|^못$")
# Small words that say who did what to whom, how much, how surely: none may change unseen.
_RELATIONS = frozenset(
    _listed("""
    by from to before after than until till since under over against above below between more
    less fewer only all every each some most few many any if unless except may might must can could
    should would shall will both either same own while despite because during through per almost
    nearly about around approximately up down off out""")
)
_SIGNS = frozenset("<>≤≥%$€£¥₩°") | {"<=", ">=", "==", "!=", "~="}


# Leaving one of these out of a sentence says more than the sentence does.
QUALIFIERS = frozenset(_listed("if unless except only until without when"))


class Part(StrEnum):
    """What a token is to a check of support."""

    WORD = "word"
    NAME = "name"
    NUMBER = "number"
    NEGATION = "negation"
    RELATION = "relation"
    FILLER = "filler"


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A token: as it stands there, as it is compared, and what part it plays."""

    surface: str
    key: str
    part: Part


def sentences(text: str) -> list[Span]:
    """Return the spans of a text's sentences, in order, without the blanks between them."""
    found: list[Span] = []
    at = 0
    for match in [*_END.finditer(text), None]:
        end = len(text) if match is None else match.start()
        piece = text[at:end]
        if piece.strip():
            start = at + len(piece) - len(piece.lstrip())
            found.append(Span(start=start, end=at + len(piece.rstrip())))
        at = len(text) if match is None else match.end()
    return found


def normalise(text: str) -> tuple[str, list[int]]:
    """Return a text in NFKC with plain quotes and single spaces, and each character's old place.

    The list has one more entry than the text: the place after the last character.
    """
    kept: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        for plainer in unicodedata.normalize("NFKC", char).translate(_QUOTES):
            blank = plainer.isspace()
            if blank and (not kept or kept[-1] == " "):
                continue
            kept.append(" " if blank else plainer)
            places.append(place)
    while kept and kept[-1] == " ":
        kept.pop()
        places.pop()
    places.append(places[-1] + 1 if places else 0)
    return "".join(kept), places


def read_words(sentence: str) -> list[Word]:
    """Return the tokens of a sentence, in order."""
    text = unicodedata.normalize("NFKC", sentence).replace("’", "'")
    surfaces = [match.group() for match in _TOKEN.finditer(text)]
    found: list[Word] = []
    for place, surface in enumerate(surfaces):
        beside = surfaces[max(0, place - 1) : place] + surfaces[place + 1 : place + 2]
        figure = any(other[:1].isdigit() for other in beside)
        found.append(_word(surface, figure=figure))
    return _joined_tens(found)


def opposites(key: str) -> frozenset[str]:
    """Return the stems that mean the opposite of a stem."""
    return _opposites().get(key, frozenset())


def _word(surface: str, *, figure: bool) -> Word:
    folded = plain(surface)
    number = _number(folded, figure=figure)
    if number:
        return Word(surface=surface, key=number, part=Part.NUMBER)
    bare = folded.replace("'", "")
    if bare in _NEGATIONS or folded.endswith("n't") or _KOREAN_NEGATION.search(folded):
        return Word(surface=surface, key=bare, part=Part.NEGATION)
    if folded in _RELATIONS or surface in _SIGNS:
        return Word(surface=surface, key=folded, part=Part.RELATION)
    acronym = len(surface) > 1 and surface.isupper()
    if (folded in STOP_WORDS or bare in STOP_WORDS) and not acronym:
        return Word(surface=surface, key=folded, part=Part.FILLER)
    named = surface[0].isupper() or any(char.isdigit() for char in surface)
    return Word(surface=surface, key=stem(folded), part=Part.NAME if named else Part.WORD)


def _number(folded: str, *, figure: bool) -> str:
    ordinal = _ORDINAL.match(folded)
    if ordinal:
        return f"{ordinal[1]}th"
    if folded.lstrip("-−$€£¥₩")[:1].isdigit() and not folded[-1:].isalpha():
        return _THOUSANDS.sub("", folded.replace("−", "-"))
    if folded in _UNSURE_MONTHS and not figure:
        return ""
    return _NUMBERS.get(folded) or _MONTH_NUMBERS.get(folded, "")


def _joined_tens(found: list[Word]) -> list[Word]:
    joined: list[Word] = []
    for word in found:
        last = joined[-1] if joined else None
        if last and _is_ten(last) and plain(word.surface) in _UNITS[1:10]:
            key = str(int(last.key) + int(word.key))
            surface = f"{last.surface}-{word.surface}"
            joined[-1] = Word(surface=surface, key=key, part=Part.NUMBER)
        else:
            joined.append(word)
    return joined


def _is_ten(word: Word) -> bool:
    return plain(word.surface) in _TENS


@lru_cache(maxsize=1)
def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    text = files("weft.retrieval").joinpath("antonyms.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        left, right = (stem(word) for word in line.split())
        found.setdefault(left, set()).add(right)
        found.setdefault(right, set()).add(left)
    return {key: frozenset(values) for key, values in found.items()}
