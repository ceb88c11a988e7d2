"""Numbers and dates in one form: values multiplied out, dates as year, month and day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from weft.language import months, numerals
from weft.language.patterns import pattern
from weft.verification.korean import split_particle
from weft.verification.lexicon import lexicon
from weft.verification.words import Word, WordKind

_PLAIN = pattern(r"^\d+(?:\.\d+)?$")
_YEAR = pattern(r"^[12]\d{3}$")
_DAY = pattern(r"^(\d{1,2})(?:th)?$")
_ISO = pattern(r"^([12]\d{3})[-./](\d{1,2})[-./](\d{1,2})$")
_IN = frozenset({"in", "on"})
_KOREAN_DATE = {"년": "year", "월": "month", "일": "day"}


def canonical(words: Sequence[Word]) -> list[Word]:
    """Return the words with figures multiplied out, units spelt one way and dates in one order."""
    return _placed(_dated(_measured(_multiplied(_added(_native(words))))))


def _native(words: Sequence[Word]) -> list[Word]:
    """Read "세 명" as a three: the numeral only before a counter."""
    known = lexicon()
    found: list[Word] = []
    for place, word in enumerate(words):
        after = words[place + 1].surface if place + 1 < len(words) else ""
        counter = known.has("counters", split_particle(after)[0]) or known.has("counters", after)
        value = str(numerals.KOREAN_VALUES.get(word.surface) or "") if counter else ""
        found.append(replace(word, key=value, form=value, kind=WordKind.NUMBER) if value else word)
    return found


def _added(words: Sequence[Word]) -> list[Word]:
    """Join "twenty" and "one"."""
    found: list[Word] = []
    for word in words:
        last = found[-1] if found else None
        tens = last is not None and last.surface.casefold() in numerals.TENS
        if last and tens and word.surface.casefold() in numerals.UNITS and word.key != "0":
            value = str(int(last.key) + int(word.key)) if len(word.key) == 1 else ""
            if value:
                surface = f"{last.surface}-{word.surface}"
                found[-1] = replace(last, surface=surface, key=value, form=value)
                continue
        found.append(word)
    return found


def _multiplied(words: Sequence[Word]) -> list[Word]:
    """Join "30" and "million", "3" and "만" and "5" and "천"."""
    found: list[Word] = []
    ends = False
    for word in words:
        last = found[-1] if found else None
        scale, role = _magnitude(word)
        if last and scale and last.kind is WordKind.NUMBER and _PLAIN.match(last.key):
            value = _text(Decimal(last.key) * scale)
            surface = f"{last.surface} {word.surface}"
            joined = replace(last, surface=surface, key=value, form=value, role=role)
            found[-1:] = [joined]
            ends = _summed(found, ends) or True
        else:
            found.append(word)
            ends = ends and word.kind is WordKind.NUMBER
    return found


def _summed(found: list[Word], follows: bool) -> bool:
    """Add "3만" and "5천" when the second, smaller one follows the first at once."""
    if not follows or len(found) < 2 or found[-2].kind is not WordKind.NUMBER:
        return False
    left, right = Decimal(found[-2].key), Decimal(found[-1].key)
    if left <= right:
        return False
    value = _text(left + right)
    surface = f"{found[-2].surface} {found[-1].surface}"
    found[-2:] = [replace(found[-1], surface=surface, key=value, form=value)]
    return True


def _magnitude(word: Word) -> tuple[int, str]:
    known = numerals.SCALES
    if word.surface in known:
        return known[word.surface], ""
    if word.form in known and word.kind is WordKind.WORD:
        return known[word.form], word.role
    return known.get(word.form.removesuffix("s"), 0), ""


def _text(value: Decimal) -> str:
    plain = f"{value:f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _measured(words: Sequence[Word]) -> list[Word]:
    """Put a unit behind its figure under its shortest name: "$ 30" and "30 dollars"."""
    found: list[Word] = []
    for word in words:
        last = found[-1] if found else None
        if (
            last
            and word.kind is WordKind.NUMBER
            and last.form in "$€£¥₩"
            and last.surface == last.form
        ):
            unit = replace(last, broken=False, kind=WordKind.WORD)
            found[-1:] = [replace(word, broken=last.broken), unit]
        elif last and last.kind is WordKind.NUMBER and word.form in lexicon().measures:
            name = lexicon().measures[word.form]
            found.append(replace(word, key=name, form=name, kind=WordKind.WORD))
        else:
            found.append(word)
    return found


def _dated(words: Sequence[Word]) -> list[Word]:
    """Put the parts of each date in the order year, month, day."""
    found: list[Word] = []
    place = 0
    while place < len(words):
        parts, used = _iso(words, place)
        parts, used = (parts, used) if used else _korean(words, place)
        parts, used = (parts, used) if used else _spelt(words, place)
        found += parts or [words[place]]
        place += used or 1
    return found


def _iso(words: Sequence[Word], at: int) -> tuple[list[Word], int]:
    match = _ISO.match(words[at].key)
    if match is None or words[at].kind is not WordKind.NUMBER:
        return [], 0
    year, month, day = (int(group) for group in match.groups())
    return _date(words[at], {"year": year, "month": month, "day": day}), 1


def _korean(words: Sequence[Word], at: int) -> tuple[list[Word], int]:
    parts: dict[str, int] = {}
    place, role = at, ""
    while place + 1 < len(words) and words[place].key.isdigit():
        kind, role = _korean_part(words[place + 1])
        if not kind or kind in parts or (kind == "day" and "month" not in parts):
            break
        if kind == "year" and not _YEAR.match(words[place].key):
            break
        parts[kind] = int(words[place].key)
        place += 2
    return (_date(words[at], parts, role=role), place - at) if parts else ([], 0)


def _korean_part(word: Word) -> tuple[str, str]:
    if word.surface in _KOREAN_DATE:
        return _KOREAN_DATE[word.surface], ""
    form, role = split_particle(word.surface)
    return _KOREAN_DATE.get(form, ""), role


def _spelt(words: Sequence[Word], at: int) -> tuple[list[Word], int]:
    """Read "14 March 1932", "March 14, 1932", "14th of March" and "March 1932"."""
    skipped = 1 if at + 1 < len(words) and words[at + 1].form == "of" else 0
    near = [words[at], *words[at + 1 + skipped : at + 3 + skipped]]
    keys = [word.key for word in near]
    month = next(
        (place for place in (0, 1) if keys[place : place + 1] and _is_month(keys[place])), 2
    )
    if month > 1 or (skipped and month == 0) or (month == 1 and near[1].broken):
        return [], 0
    parts = {"month": int(keys[month].removeprefix("month:"))}
    used = month + 1
    if month == 1:
        day = _DAY.match(keys[0])
        if day is None:
            return [], 0
        parts["day"] = int(day[1])
    elif len(keys) > 1 and (day := _DAY.match(keys[1])) and near[1].kind is WordKind.NUMBER:
        parts["day"] = int(day[1])
        used = 2
    if len(keys) > used and _YEAR.match(keys[used]):
        parts["year"] = int(keys[used])
        used += 1
    return _date(words[at], parts), used + (skipped if month == 1 else 0)


def _is_month(key: str) -> bool:
    return key.startswith("month:")


def _date(word: Word, parts: dict[str, int], *, role: str = "") -> list[Word]:
    """Return one word for each part of a date that is known."""
    keys = [
        str(parts[kind]) if kind == "year" else f"{kind}:{parts[kind]}"
        for kind in ("year", "month", "day")
        if kind in parts
    ]
    said = [_shown(key) for key in keys]
    return [
        replace(
            word,
            surface=shown,
            key=key,
            form=key,
            kind=WordKind.NUMBER,
            broken=word.broken and place == 0,
            role=role,
        )
        for place, (key, shown) in enumerate(zip(keys, said, strict=True))
    ]


def _shown(key: str) -> str:
    kind, _, value = key.partition(":")
    if kind == "month":
        return months.MONTHS[int(value) - 1].capitalize() if 1 <= int(value) <= 12 else value
    return value or kind


def _placed(words: Sequence[Word]) -> list[Word]:
    """Read "on" before a date as "in", which is what becomes of it without the day."""
    found = list(words)
    for place, word in enumerate(words[:-1]):
        near = [other for other in words[place + 1 : place + 3] if other.form != "the"][0:1]
        dated = any(
            other.kind is WordKind.NUMBER and (_YEAR.match(other.key) or _is_month(other.key))
            for other in near
        )
        if dated and word.form in _IN:
            found[place] = replace(word, key="in", form="in")
    return found
