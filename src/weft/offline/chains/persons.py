"""Who does what a description says: the name in the sentence that says it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from weft.language.hangul import SYLLABLES
from weft.language.terms import words
from weft.offline.evidence.coverage import covered, share
from weft.offline.evidence.documents import Meant, Sheet, pairs_of, values_of
from weft.offline.evidence.passages import Candidate, stems_of
from weft.offline.evidence.values import dates, is_country
from weft.offline.question.cues import cues
from weft.offline.question.descriptions import Described
from weft.offline.question.names import key_of, spans_beside, without_particle
from weft.offline.question.roles import language_of
from weft.offline.question.things import things
from weft.retrieval.hits import QuestionTerm

# So much of a description must stand in the sentence that names who it is.
_ANYBODY = re.compile(
    r"person|people|m[ae]n|wom[ae]n|someone|somebody|one|those|colleague|employee|사람|직원|분|이",
    re.IGNORECASE,
)
_SAID = 0.45
_SURE = 0.7
_PREFIX = 5
_PRONOUN = re.compile(r"(?:She|He|They)\b")
_BEFORE = 160
_PAREN = re.compile(r"\s*\(([^()]{2,30})\)")
_KOREAN_TITLED = re.compile(
    rf"(?<![{SYLLABLES}])([{SYLLABLES}]{{2,4}}) (?:팀장|매니저|이사|재무이사|대표|실장|부장"
    r"|과장|차장|대리|사원|선임|책임|연구원|변호사|회계사|엔지니어|담당)"
)
_KOREAN_SUBJECT = re.compile(rf"(?<![{SYLLABLES}])([{SYLLABLES}]{{3}})(?:이|가|은|는)(?= )")


def person_in(
    described: Described, starts: Sequence[Sheet], *, terms: Sequence[QuestionTerm]
) -> Meant | None:
    """Return the person whom the best sentence on a description names; None when none does."""
    own = frozenset(
        form for word in key_of(described.said).split() for form in (word, without_particle(word))
    )
    for sheet in starts[:2]:
        named = _by_role(described, sheet, own)
        if named is not None:
            return named
    best: tuple[float, Meant] | None = None
    for rank, sheet in enumerate(starts[:2]):
        said = [t for t in terms if not _ANYBODY.fullmatch(" ".join(t.words))]
        left = [t for t in said if t.stem not in sheet.place] or said
        for sentence in sheet.sentences:
            held = share(left, covered(left, sentence.stems)) - 0.1 * rank
            name = next(names_of_people(sentence.text, own), "") or _named_before(sentence, own)
            if name and held >= _SAID and (best is None or held > best[0]):
                best = held, Meant(name=name, said=(sentence,), sure=held >= _SURE)
    return best[1] if best else None


def bearer_of(
    described: Described, starts: Sequence[Sheet], *, terms: Sequence[QuestionTerm]
) -> Meant | None:
    """Return which bearer of a name a description means, told apart by what stands beside it."""
    key = key_of(described.bearer)
    for sheet in starts:
        lines = [line for sentence in sheet.saying(key) for line in _lines(sentence, key)]
        if not lines:
            continue
        line = _meant_line(sheet, lines, key, terms)
        beside = _beside(line.text, described.bearer)
        if not beside:
            continue
        name = f"{described.bearer} ({beside})"
        if language_of(described.bearer) == "ko":
            name = f"{beside} {described.bearer}"
        return Meant(name=name, said=(line,), sheets=(sheet,), sure=False, telling=True)
    return None


def names_of_people(text: str, own: frozenset[str]) -> Iterator[str]:
    """Yield the names in a text that may be those of people and have a word not in `own`."""
    for key, value in pairs_of(text):
        if things().kinds["person"].fields.fullmatch(key):
            yield from (name for name in values_of(value) if not _known(name, own))
    for span in spans_beside(text, [(one.start, one.end) for one in dates(text)]):
        parts = span.split()
        if 2 <= len(parts) <= 4 and not is_country(key_of(span)) and not _known(span, own):
            yield span
    for pattern in (_KOREAN_TITLED, _KOREAN_SUBJECT):
        yield from (m[1] for m in pattern.finditer(text) if not _known(m[1], own))


def _named_before(sentence: Candidate, own: frozenset[str]) -> str:
    """Return whom the pronoun that a sentence begins with means: the last name before it."""
    if not _PRONOUN.match(sentence.text):
        return ""
    text = sentence.hit.evidence.text
    before = text[: max(text.find(sentence.text), 0)][-_BEFORE:]
    return ([*names_of_people(f"… {before}", own)] or [""])[-1]


def _known(name: str, own: frozenset[str]) -> bool:
    parts = key_of(name).split()
    return not parts or any(part in own for part in parts)


def _by_role(described: Described, sheet: Sheet, own: frozenset[str]) -> Meant | None:
    """Return who fills the role of a description's verb, as a field of the document says."""
    table = cues(language_of(described.said))
    role = next((name for word in words(described.said)[:3] if (name := table.doing(word))), "")
    if not role:
        return None
    verbs = [word for word in words(described.said)[:3] if table.doing(word)]
    for key, value, sentence in sheet.pairs:
        parts = key.casefold().replace("_", " ").split()
        like = any(part[:_PREFIX] == verbs[0].casefold()[:_PREFIX] for part in parts)
        if like and (names := [one for one in values_of(value) if not _known(one, own)]):
            return Meant(name=names[0], said=(sentence,))
    return None


def _lines(sentence: Candidate, key: str) -> Iterator[Candidate]:
    """Yield the lines of a sentence that a name stands in, whole rows of tables as such."""
    lines = sentence.text.splitlines()
    if not any("|" in line for line in lines):
        yield sentence
        return
    for line in lines:
        if key in " ".join(without_particle(word) for word in key_of(line).split()):
            yield replace(sentence, text=line.strip())


def _meant_line(
    sheet: Sheet, lines: Sequence[Candidate], key: str, terms: Sequence[QuestionTerm]
) -> Candidate:
    """Return the line on the bearer whom a description means.

    Where no line says it itself, a sentence that does may name what only one of the lines has.
    """
    if len(lines) == 1:
        return lines[0]
    own = [share(terms, covered(terms, _stems(line))) for line in lines]
    if max(own) > sorted(own)[-2]:
        return lines[own.index(max(own))]
    alone = [
        _stems(line).difference(*(_stems(o) for o in lines if o is not line)) for line in lines
    ]
    telling = [one for one in sheet.sentences if covered(terms, one.stems)]
    telling.sort(key=lambda one: -share(terms, covered(terms, one.stems)))
    for sentence in telling:
        meant = [at for at, stems in enumerate(alone) if stems & sentence.stems]
        if len(meant) == 1:
            return lines[meant[0]]
    return lines[0]


def _stems(line: Candidate) -> frozenset[str]:
    return stems_of(line.text)


def _beside(text: str, name: str) -> str:
    """Return what stands in parentheses behind a name, or in the next cell of its row."""
    at = text.find(name)
    if at < 0:
        return ""
    behind = text[at + len(name) :]
    match = _PAREN.match(behind)
    if match:
        return match[1]
    if "|" in text:
        cells = [cell.strip() for cell in behind.split("|") if cell.strip()]
        return cells[0] if cells else ""
    return ""
