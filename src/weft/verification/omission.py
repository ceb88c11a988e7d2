"""What may be left out of a sentence without making it say something else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from weft.verification.korean import is_hangul
from weft.verification.lexicon import lexicon
from weft.verification.words import Part, Word

_GUARDS = ("conditions", "modals", "hedges", "attributions")
_LONGEST_MODIFIER = 3
# A remark in brackets as short as this may be about the whole sentence: "(allegedly)".
_REMARK = 3
_DENYING = re.compile(r"(?:un|non|anti|pseudo|quasi|mis|semi|sub|would)\w{3}|\w{3,}less$")
_DATE = re.compile(r"[12]\d{3}$|month:|day:")
JOINING = frozenset({"and", "but", "while", "whereas", "although", "because", "so", "yet"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A stretch of a sentence that is left out, with the words kept before and after it.

    `closed`: the sentence ends after it, or a comma or bracket does follow.
    """

    words: tuple[Word, ...]
    before: Word | None
    after: Word | None
    closed: bool


def may_go(run: Run) -> bool:
    """Tell whether what is left says no more than the whole did."""
    if _is_aside(run):
        return True
    if narrows(run.words) or any(is_guarded(word) for word in bearing(run.words)):
        return False
    if _is_of_date(run):
        return True
    if is_hangul(run.words[-1].surface):
        return _may_go_in_korean(run)
    if run.after is not None and run.after.aside and not run.words[-1].aside:
        return False
    return _may_begin(run) if run.before is None else _may_stand_out(run)


def _may_stand_out(run: Run) -> bool:
    """Tell whether words in the middle or at the end may go."""
    if run.words[0].broken:
        return run.closed
    if all(_is_adverb(word) for word in run.words):
        return True
    if run.words[0].is_content and not _is_adverb(run.words[0]):
        return _is_modifier(run)
    return _is_phrase(_without_adverbs(run))


def is_guarded(word: Word) -> bool:
    """Tell whether a word may never be left out: it denies, limits or reports what is said."""
    if word.part is Part.NEGATION:
        return True
    known = lexicon()
    return any(known.has(kind, word.form) for kind in _GUARDS) or known.has("guards", word.surface)


def _is_of_date(run: Run) -> bool:
    """Tell whether a date loses no more than its day, or day and month."""
    parts = [word.key.partition(":")[0] for word in run.words]
    year = run.before is not None and run.before.part is Part.NUMBER
    return year and set(parts) <= {"day", "month"}


def _without_adverbs(run: Run) -> Run:
    first = next(at for at, word in enumerate(run.words) if not _is_adverb(word))
    return replace(run, words=run.words[first:])


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


def without_asides(words: Sequence[Word]) -> list[Word]:
    """Return a sentence without what stands in brackets, as far as that may go."""
    found: list[Word] = []
    at = 0
    while at < len(words):
        end = at
        while end < len(words) and words[end].aside and not (end > at and words[end].broken):
            end += 1
        aside = tuple(words[at:end])
        after = words[end] if end < len(words) else None
        before = found[-1] if found else None
        run = Run(words=aside, before=before, after=after, closed=True)
        if not aside or not _is_aside(run):
            found += words[at : max(end, at + 1)]
        at = max(end, at + 1)
    return found


def _is_aside(run: Run) -> bool:
    """Tell whether the words are all that stands in a pair of brackets, and report nothing."""
    reports = any(
        lexicon().has(kind, word.form)
        for word in run.words
        for kind in ("negations", "conditions", "attributions", "hedges")
    )
    follows = run.after is None or not run.after.aside or run.after.broken
    whole = all(word.aside for word in run.words) and run.words[0].broken and follows
    return whole and (not reports or len(run.words) > _REMARK)


def _may_begin(run: Run) -> bool:
    """Tell whether the beginning of a sentence may go."""
    if run.closed:
        return run.after is not None
    if len(run.words) > 1 or run.words[0].form == "'s":
        return False
    word = run.words[0]
    joins = word.part in (Part.RELATION, Part.FILLER) and word.form in {"and", "but", "yet", "so"}
    return joins or _is_adverb(word) or _is_title(word) or _is_modifier(run)


def _is_adverb(word: Word) -> bool:
    return lexicon().has("adverbs", word.form)


def _is_title(word: Word) -> bool:
    return lexicon().has("titles", word.form) or (len(word.form) == 1 and word.part is Part.NAME)


def _is_modifier(run: Run) -> bool:
    """Tell whether the words stand before a noun that is kept: "the [old wooden] bridge"."""
    if all(_is_title(word) and word.part is Part.NAME for word in run.words):
        return run.after is not None and run.after.part is Part.NAME
    if run.after is None or run.closed or not run.after.is_content:
        return False
    led = run.words[0].led and (len(run.words) == 1 or run.after.part is Part.WORD)
    if run.before is not None and not led and not _leads(run.before):
        return False
    if len(run.words) > _LONGEST_MODIFIER or not all(word.is_content for word in run.words):
        return False
    takes_away = any(_takes_away(word) for word in run.words)
    halves_name = run.words[-1].part is Part.NAME and run.after.part is Part.NAME
    counts = any(word.part is Part.NUMBER for word in run.words)
    return not (takes_away or halves_name or counts)


def _leads(word: Word) -> bool:
    """Tell whether a noun phrase follows a word: after "to" or "who" it may be a verb as well."""
    return word.part is Part.RELATION and word.form not in ("'s", "to", "and", "but")


def _takes_away(word: Word) -> bool:
    """Tell whether a word denies or weakens the noun it stands before: "former", "unbuilt"."""
    known = lexicon()
    return known.has("privatives", word.form) or bool(_DENYING.match(word.form))


def _is_phrase(run: Run) -> bool:
    """Tell whether the words are a phrase or clause that hangs on what stands before it."""
    first, last = run.words[0], run.words[-1]
    known = lexicon()
    if known.has("forms_of_be", first.form) or known.has("forms_of_have", first.form):
        return known.has("relatives", last.form) and run.after is not None
    begins = first.part is Part.RELATION or known.has("relatives", first.form)
    if not begins or first.form == "'s" or known.has("quantifiers", first.form):
        return False
    return len(run.words) > 1 and (run.closed or _ends_whole(run))


def _ends_whole(run: Run) -> bool:
    """Tell whether the last word of a phrase is no part of what is kept after it."""
    last, after = run.words[-1], run.after
    if after is None or not (last.is_content or _is_adverb(last)):
        return after is None
    if run.words[0].form in JOINING:
        return after.part is Part.FILLER or (last.part is Part.NAME and after.part is Part.WORD)
    if not after.is_content:
        return True
    return last.part is not Part.WORD and after.part is Part.WORD and _is_year_or_name(last)


def _is_year_or_name(word: Word) -> bool:
    return word.part is Part.NAME or bool(_DATE.match(word.key))


def _may_go_in_korean(run: Run) -> bool:
    """Tell whether the last word has a particle that makes its phrase an addition."""
    if run.after is None:
        return False
    known = lexicon()
    return run.closed or known.has("adverbial", run.words[-1].role)
