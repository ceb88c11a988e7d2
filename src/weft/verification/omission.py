"""What may be left out of a sentence without making it say something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weft.domain.frozen import dataclass
from weft.language.hangul import has_hangul
from weft.language.patterns import pattern
from weft.verification.lexicon import lexicon
from weft.verification.words import Word, WordKind

_GUARDS = ("conditions", "modals", "hedges", "attributions")
_LONGEST_MODIFIER = 3
# A remark in brackets as short as this may be about the whole sentence: "(allegedly)".
_REMARK = 3
_DENYING = pattern(r"(?:un|non|anti|pseudo|quasi|mis|semi|sub|would)\w{3}|\w{3,}less$")
_DATE = pattern(r"[12]\d{3}$|month:|day:")
JOINING = frozenset({"and", "but", "while", "whereas", "although", "because", "so", "yet"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Omission:
    """A stretch of a sentence that is left out, with the words kept before and after it.

    `closed`: the sentence ends after it, or a comma or bracket does follow.
    """

    words: tuple[Word, ...]
    before: Word | None
    after: Word | None
    closed: bool


def may_go(gap: Omission) -> bool:
    """Tell whether what is left says no more than the whole did."""
    if _is_parenthesis(gap):
        return True
    if narrows(gap.words) or any(is_guarded(word) for word in bearing(gap.words)):
        return False
    if _is_of_date(gap):
        return True
    if has_hangul(gap.words[-1].surface):
        return _may_go_in_korean(gap)
    if gap.after is not None and gap.after.bracketed and not gap.words[-1].bracketed:
        return False
    return _may_begin(gap) if gap.before is None else _may_stand_out(gap)


def _may_stand_out(gap: Omission) -> bool:
    """Tell whether words in the middle or at the end may go."""
    if gap.words[0].broken:
        return gap.closed
    if all(_is_adverb(word) for word in gap.words):
        return True
    if gap.words[0].is_content and not _is_adverb(gap.words[0]):
        return _is_modifier(gap)
    return _is_phrase(_without_adverbs(gap))


def is_guarded(word: Word) -> bool:
    """Tell whether a word may never be left out: it denies, limits or reports what is said."""
    if word.kind is WordKind.NEGATION:
        return True
    known = lexicon()
    return any(known.has(kind, word.form) for kind in _GUARDS) or known.has("guards", word.surface)


def _is_of_date(gap: Omission) -> bool:
    """Tell whether a date loses no more than its day, or day and month."""
    parts = [word.key.partition(":")[0] for word in gap.words]
    year = gap.before is not None and gap.before.kind is WordKind.NUMBER
    return year and set(parts) <= {"day", "month"}


def _without_adverbs(gap: Omission) -> Omission:
    first = next(at for at, word in enumerate(gap.words) if not _is_adverb(word))
    return replace(gap, words=gap.words[first:])


def narrows(words: Sequence[Word]) -> bool:
    """Tell whether words that are left out begin with "or" or "only": what is kept is less."""
    known = lexicon()
    kinds = ("alternatives", "limits")
    return bool(words) and any(known.has(kind, words[0].form) for kind in kinds)


def bearing(words: Sequence[Word]) -> Sequence[Word]:
    """Return of words that follow a clause those which can bear on it.

    A new clause after a comma ("..., and Jones said ...", "..., who may ...") denies, reports and
    doubts only for itself; a condition bears on what stands before it all the same.
    """
    known = lexicon()
    if not words or not words[0].broken:
        return words
    if words[0].form not in JOINING and not known.has("relatives", words[0].form):
        return words
    return [word for word in words if known.has("conditions", word.form)]


def without_parentheses(words: Sequence[Word]) -> list[Word]:
    """Return a sentence without what stands in brackets, as far as that may go."""
    found: list[Word] = []
    at = 0
    while at < len(words):
        end = at
        while end < len(words) and words[end].bracketed and not (end > at and words[end].broken):
            end += 1
        inner = tuple(words[at:end])
        after = words[end] if end < len(words) else None
        before = found[-1] if found else None
        gap = Omission(words=inner, before=before, after=after, closed=True)
        if not inner or not _is_parenthesis(gap):
            found += words[at : max(end, at + 1)]
        at = max(end, at + 1)
    return found


def _is_parenthesis(gap: Omission) -> bool:
    """Tell whether the words are all that stands in a pair of brackets, and report nothing."""
    reports = any(
        lexicon().has(kind, word.form)
        for word in gap.words
        for kind in ("negations", "conditions", "attributions", "hedges")
    )
    follows = gap.after is None or not gap.after.bracketed or gap.after.broken
    whole = all(word.bracketed for word in gap.words) and gap.words[0].broken and follows
    return whole and (not reports or len(gap.words) > _REMARK)


def _may_begin(gap: Omission) -> bool:
    """Tell whether the beginning of a sentence may go."""
    if gap.closed:
        return gap.after is not None
    if len(gap.words) > 1 or gap.words[0].form == "'s":
        return False
    word = gap.words[0]
    joins = word.kind in (WordKind.RELATION, WordKind.FILLER) and word.form in {
        "and",
        "but",
        "yet",
        "so",
    }
    return joins or _is_adverb(word) or _is_title(word) or _is_modifier(gap)


def _is_adverb(word: Word) -> bool:
    return lexicon().has("adverbs", word.form)


def _is_title(word: Word) -> bool:
    return lexicon().has("titles", word.form) or (
        len(word.form) == 1 and word.kind is WordKind.NAME
    )


def _is_modifier(gap: Omission) -> bool:
    """Tell whether the words stand before a noun that is kept: "the [old wooden] bridge"."""
    if all(_is_title(word) and word.kind is WordKind.NAME for word in gap.words):
        return gap.after is not None and gap.after.kind is WordKind.NAME
    if gap.after is None or gap.closed or not gap.after.is_content:
        return False
    led = gap.words[0].led and (len(gap.words) == 1 or gap.after.kind is WordKind.WORD)
    if gap.before is not None and not led and not _leads(gap.before):
        return False
    if len(gap.words) > _LONGEST_MODIFIER or not all(word.is_content for word in gap.words):
        return False
    takes_away = any(_takes_away(word) for word in gap.words)
    halves_name = gap.words[-1].kind is WordKind.NAME and gap.after.kind is WordKind.NAME
    counts = any(word.kind is WordKind.NUMBER for word in gap.words)
    return not (takes_away or halves_name or counts)


def _leads(word: Word) -> bool:
    """Tell whether a noun phrase follows a word: after "to" or "who" it may be a verb as well."""
    return word.kind is WordKind.RELATION and word.form not in ("'s", "to", "and", "but")


def _takes_away(word: Word) -> bool:
    """Tell whether a word denies or weakens the noun it stands before: "former", "unbuilt"."""
    known = lexicon()
    return known.has("privatives", word.form) or bool(_DENYING.match(word.form))


def _is_phrase(gap: Omission) -> bool:
    """Tell whether the words are a phrase or clause that hangs on what stands before it."""
    first, last = gap.words[0], gap.words[-1]
    known = lexicon()
    if known.has("forms_of_be", first.form) or known.has("forms_of_have", first.form):
        return known.has("relatives", last.form) and gap.after is not None
    begins = first.kind is WordKind.RELATION or known.has("relatives", first.form)
    if not begins or first.form == "'s" or known.has("quantifiers", first.form):
        return False
    return len(gap.words) > 1 and (gap.closed or _ends_whole(gap))


def _ends_whole(gap: Omission) -> bool:
    """Tell whether the last word of a phrase is no part of what is kept after it."""
    last, after = gap.words[-1], gap.after
    if after is None or not (last.is_content or _is_adverb(last)):
        return after is None
    if gap.words[0].form in JOINING:
        return after.kind is WordKind.FILLER or (
            last.kind is WordKind.NAME and after.kind is WordKind.WORD
        )
    if not after.is_content:
        return True
    return last.kind is not WordKind.WORD and after.kind is WordKind.WORD and _is_year_or_name(last)


def _is_year_or_name(word: Word) -> bool:
    return word.kind is WordKind.NAME or bool(_DATE.match(word.key))


def _may_go_in_korean(gap: Omission) -> bool:
    """Tell whether the last word has a particle that makes its phrase an addition."""
    if gap.after is None:
        return False
    known = lexicon()
    return gap.closed or known.has("adverbial", gap.words[-1].role)
