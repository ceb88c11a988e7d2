"""What a column's name says: its words, in full, without units and brackets."""

from __future__ import annotations

from functools import lru_cache

from weft.language import months
from weft.language.patterns import pattern
from weft.language.shortened import spelt_out
from weft.language.terms import STOP_WORDS, plain

BRACKETS = pattern(r"\s*[(\[][^)\]]*[)\]]")
_WORD = pattern(r"[^\W_]+(?:['’][^\W\d_]+)?")
_CAMEL = pattern(r"(?<=[a-z0-9])(?=[A-Z])")
_SHORTEST = 4
# Units at the end of a column's name, which a question seldom says.
_UNITS = frozenset(
    "mm cm km kg lb lbs in ft eur usd gbp krw pct ms sec secs min mins hr hrs gb mb kb".split()
)
# What stands in the brackets of a name and is a unit of its numbers.
_UNIT_IN_BRACKETS = pattern(r"[(\[]\s*(?:in\s+|단위\s?[:：]?\s*)?([^)\]]{1,12}?)\s*[)\]]\s*$")
_WRITTEN_UNITS = _UNITS.union(
    "m yd mi nm mg g t oz ml cl dl l gal mm² cm² m² km² ha m³ l/s km/h mph kn s h kw mw kwh mwh hz"
    " khz mhz ghz °c °f bar pa hpa db tb kib mib gib kcal kj cal % ‰ € $ £ ¥ ₩ ₹ jpy chf cad aud"
    " cny inr sek nok dkk pln czk hours days weeks months years minutes seconds pages persons"
    " people".split()
)

# The same in Korean: amounts of money in some size, and what things are counted by.
_KOREAN_UNIT = pattern(
    r"[십백천만억조]{0,2}\s?(?:원|달러|불|엔|유로)|(?:백|천|만|십만|백만|천만|억)\s?(?:개|명|톤|대|건)?"
    r"|[개명인건대회장권매병통면석실동평톤점배곳부쪽분초년주월일]|시간|개월|개소|박스|세트|켤레|가구|세대"
    r"|마리|페이지|%p|ea|box",
    2,
)

# What is a unit as well where it ends a name without brackets: "Length hl", "Paid £".
_LAST_UNITS = frozenset(
    "mm cm km kg hl ml cl dl ha kwh mwh gwh gb mb tb eur usd gbp krw chf cad aud jpy litres liters"
    " hectolitres kilos tonnes m² km² m³ l/s km/h mph % ‰ °c °f € $ £ ¥ ₩ ₹".split()
)


@lru_cache(maxsize=4096)
def named_unit(name: str) -> str:
    """Return the unit that a column's name has at its end, as it is written; empty for none."""
    found = _UNIT_IN_BRACKETS.search(name)
    if found:
        is_unit = found[1].casefold() in _WRITTEN_UNITS or _KOREAN_UNIT.fullmatch(found[1])
        return found[1] if is_unit else ""
    _, space, last = name.strip().rpartition(" ")
    return last if space and last.casefold() in _LAST_UNITS else ""


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """Return a plain word as one of its kind: offices and officers stay apart, unlike by stems."""
    if not word.isascii() or len(word) < _SHORTEST or word.endswith(("ss", "us", "is")):
        return word
    for ending, other in (("ies", "y"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("s", "")):
        if word.endswith(ending):
            return word.removesuffix(ending) + other
    return word


@lru_cache(maxsize=4096)
def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a column's name, without what stands in brackets."""
    bare = BRACKETS.sub("", name) or name
    parts = _CAMEL.sub(" ", bare).replace("_", " ")
    words = [singular(plain(match.group())) for match in _WORD.finditer(parts)]
    bare_words = [word for word in words if word not in _UNITS]
    return tuple(bare_words or words)


@lru_cache(maxsize=4096)
def name_meanings(name: str) -> tuple[frozenset[str], ...]:
    """Return for each word of a name what it may be called by: as it is written, and in full."""
    found: list[frozenset[str]] = []
    words = name_words(name)
    is_month = all(word in months.NUMBERS or word.isdecimal() for word in words)
    for at, word in enumerate(words):
        # "mar" alone or beside a year is March, "mar status" is none.
        of_month = is_month and not word.isdecimal()
        if word == "no" and at == len(words) - 1:
            word = "number"  # "Key no."
        full = (months.MONTHS[months.NUMBERS[word] - 1],) if of_month else spelt_out(word)
        # What is written together is several words, any of which may be said alone.
        found += [frozenset({word, one}) if len(full) == 1 else frozenset({one}) for one in full]
    return tuple(found)


@lru_cache(maxsize=4096)
def spelt_name(name: str) -> str:
    """Return a column's name in full, without the words that any name may have."""
    full = [one for word in name_words(name) for one in spelt_out(word)]
    words = [word for word in full if word not in STOP_WORDS]
    return " ".join(words) or name
