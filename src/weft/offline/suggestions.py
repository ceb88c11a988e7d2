"""Questions that a document answers: made from its fields, tables, definitions and headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from weft.domain.claim import Claim
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId
from weft.domain.record import heading_name
from weft.language.blocks.lines import LineBlock, LineKind, blocks_of, label_of
from weft.language.hangul import has_hangul
from weft.language.particles import agrees
from weft.language.patterns import pattern
from weft.language.sentences import sentences
from weft.offline.answering import answer_from
from weft.offline.evidence.found import FoundEvidence
from weft.ports.documents import OpenedDocument
from weft.retrieval.hits import Found

_READ = 20_000  # characters of a text that are looked at
_LONGEST_NAME, _LONGEST_QUESTION, _LONGEST_VALUE = 60, 120, 200
_COPULA = pattern(r"(?:(?:The|An?)\s+)?(.{2,60}?)\s(?:is|are|was|were)\s(?:an?|the|our)\s")
_TOPIC = pattern(r"(\S.{0,30}?)(?:은|는)\s[^.!?]{4,}(?:이다|입니다|것)[.]?$")
_NAME = pattern(r"[^\W\d_][\w .&'’()/-]*")
_CELLS = pattern(r"(?<!\\)\|")
_MARKS = pattern(r"[*`]+")
_DIGIT = pattern(r"\d")
_WORDS = 4
_ASKING = frozenset("how who whose what when where why which until if is are does and not".split())
_POINTING = frozenset("i it this that these those there here we you he she they".split())
_KOREAN_POINTING = frozenset("이그저")
_FILE = pattern(r"\.[A-Za-z]{1,5}\b")
# As many as the rules read of any question.
PASSAGES = 16


# What is asked for by a relation, in English and in Korean.
_OF_CLAIMS = {
    "founded_by": ("Who founded {name}?", "{name} 설립자는 누구인가요?"),
    "founded_in": ("When was {name} founded?", "{name} 설립 연도는 언제인가요?"),
    "located_in": ("Where is {name}?", "{name}의 위치는 어디인가요?"),
    "headquartered_in": (
        "Where does {name} have its headquarters?",
        "{name}의 본사는 어디에 있나요?",
    ),
    "maintained_by": ("Who maintains {name}?", "{name} 관리자는 누구인가요?"),
    "developed_by": ("Who developed {name}?", "{name} 개발자는 누구인가요?"),
    "written_by": ("Who wrote {name}?", "{name}의 저자는 누구인가요?"),
    "directed_by": ("Who directed {name}?", "{name}의 감독은 누구인가요?"),
    "owned_by": ("Who owns {name}?", "{name}의 소유자는 누구인가요?"),
    "born_in": ("Where was {name} born?", "{name}의 출생지는 어디인가요?"),
    "born_on": ("When was {name} born?", "{name}의 생년월일은 언제인가요?"),
    "released_on": ("When was {name} released?", "{name}의 출시일은 언제인가요?"),
    "leads": ("What does {name} lead?", "{name}의 책임 분야는 무엇인가요?"),
    "depends_on": ("What does {name} depend on?", "{name}에 필요한 것은 무엇인가요?"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A question in the language of its document, and what it is about."""

    question: str
    about: str


def suggestions(opened: OpenedDocument) -> list[Suggestion]:
    """Return questions that a document may answer, the likeliest first.

    Whether it does is for `is_answered` to tell; of several about one thing one is enough.
    """
    title, text = opened.document.title, opened.text[:_READ]
    blocks = blocks_of(text)
    is_record = bool(blocks) and blocks[0].kind is LineKind.FIELD
    if _FILE.search(title) and not is_record:
        return []  # what has no title of its own is a program or a list more often than a text
    found = [
        *_asked(text, blocks),
        *_claimed(opened.claims, text),
        *_defined(text, blocks),
        *_of_fields(title, text, blocks),
        *_of_rows(text, blocks),
        *_named(text, blocks),
        *_sections(title, text, blocks),
    ]
    fit = [one for one in found if len(one.question) <= _LONGEST_QUESTION]
    return list(dict.fromkeys(fit))


def is_answered(question: str, found: Found, *, document: DocumentId) -> bool:
    """Tell whether the rules answer a question from what was found for it, and from a document."""
    book = FoundEvidence()
    book.learn(found.terms, naming=found.naming)
    homes = {}
    for number, hit in enumerate(found.hits, 1):
        evidence = replace(hit.evidence, id=f"e{number}")
        homes[book.add(replace(hit, evidence=evidence))] = evidence.document_id
    said = answer_from(question, book).sentences
    return any(homes.get(one.evidence_id) == document for one in said)


def _claimed(claims: Sequence[Claim], text: str) -> Iterator[Suggestion]:
    """Yield a question for each claim of a kind that people ask for."""
    for claim in claims:
        asked = _OF_CLAIMS.get(claim.predicate)
        written = re.search(re.escape(claim.subject_name), text, re.IGNORECASE)
        if asked and written and _is_name(written[0]):
            english, korean = asked
            form = korean if has_hangul(text[claim.start : claim.end]) else english
            yield Suggestion(question=form.format(name=written[0]), about=written[0])


def _named(text: str, blocks: Sequence[LineBlock]) -> Iterator[Suggestion]:
    """Yield a question for the heading on top: what it is."""
    for name in _headings(text, blocks)[:1]:
        if _is_name(name) and len(name.split()) <= _WORDS:
            yield Suggestion(question=_what_is(name), about=name)


def _sections(title: str, text: str, blocks: Sequence[LineBlock]) -> Iterator[Suggestion]:
    """Yield a question for each section of few words: what the document says of it."""
    for block in blocks:
        name = heading_name(text[block.start : block.end])
        is_section = block.kind is LineKind.HEADING and name.casefold() not in title.casefold()
        if not is_section or not _is_name(name) or len(name.split()) > _WORDS:
            continue
        if has_hangul(name):
            yield Suggestion(question=f"{title}의 “{name}” 내용은 무엇인가요?", about=name)
        else:
            said = name if name.isupper() else name[:1].lower() + name[1:]
            yield Suggestion(question=f"What does “{title}” say about {said}?", about=name)


def _asked(text: str, blocks: Sequence[LineBlock]) -> Iterator[Suggestion]:
    """Yield headings that are questions and have text below them."""
    for block, below in pairwise(blocks):
        said = heading_name(text[block.start : block.end])
        is_asked = said.endswith(("?", "\uff1f")) and len(said.split()) > 2
        if block.kind is LineKind.HEADING and is_asked and below.kind is not LineKind.HEADING:
            yield Suggestion(question=said, about=said)


def _defined(text: str, blocks: Sequence[LineBlock]) -> Iterator[Suggestion]:
    """Yield a question for each paragraph that begins by saying what something is."""
    named = " ".join(_headings(text, blocks)).casefold()
    for block in blocks:
        if block.kind is not LineKind.PARAGRAPH:
            continue
        paragraph = text[block.start : block.end]
        first = next(iter(sentences(paragraph)), None)
        said = "" if first is None else _MARKS.sub("", paragraph[first.start : first.end])
        found = _COPULA.match(said) or _TOPIC.match(said)
        if found is None or not _is_name(found[1]) or len(found[1].split()) > _WORDS:
            continue
        # What is no name of its own is asked for only where it is what a heading names.
        is_own = _is_proper(found[1])
        if is_own or found[1].casefold() in named:
            yield Suggestion(question=_what_is(found[1]), about=found[1])


def _is_proper(subject: str) -> bool:
    """Tell whether a subject is a name of its own and does not point at what was said."""
    if has_hangul(subject):
        return subject[0] not in _KOREAN_POINTING
    words = subject.split()
    return words[0].casefold() not in _POINTING and all(word[0].isupper() for word in words)


def _headings(text: str, blocks: Sequence[LineBlock]) -> list[str]:
    return [heading_name(text[b.start : b.end]) for b in blocks if b.kind is LineKind.HEADING]


def _of_fields(title: str, text: str, blocks: Sequence[LineBlock]) -> Iterator[Suggestion]:
    """Yield a question for the labelled lines of what a document, a section or a record is about.

    A record that begins with its fields is about the first that names something.
    """
    is_record = bool(blocks) and blocks[0].kind is LineKind.FIELD
    holder = "" if _FILE.search(title) else title.partition(":")[0]
    labels: dict[str, list[str]] = {}
    for block in blocks:
        said = text[block.start : block.end]
        if block.kind is LineKind.HEADING:
            holder = heading_name(said)
        label, value = _field(said) if block.kind is LineKind.FIELD else ("", "")
        if is_record and not holder and block is blocks[0]:
            holder = value
        elif label and _is_name(holder) and value != holder:
            labels.setdefault(holder, []).append(label)
    for holder, known in labels.items():
        # Not always the first, so that records alike are not asked for the same.
        yield _of(holder, known[len(text) % len(known)])


def _field(line: str) -> tuple[str, str]:
    """Return the label and the value of a line, both empty where nobody would ask for it."""
    label = _MARKS.sub("", label_of(line)).replace("_", " ").strip()
    value = line.partition(":")[2].strip(" *`\"'")
    is_short = 1 < len(value) <= _LONGEST_VALUE and "://" not in value
    return (label, value) if is_short and _is_label(label) else ("", "")


def _of_rows(text: str, blocks: Sequence[LineBlock]) -> Iterator[Suggestion]:
    """Yield a question for the rows of each table: a column of what its first cell names."""
    header: list[str] = []
    place = 1
    for block in blocks:
        cells = _cells(text[block.start : block.end])
        if block.kind is LineKind.HEADER:
            header, place = cells, 1
        elif block.kind is not LineKind.ROW:
            header = []
        elif len(cells) == len(header) > 1 and _is_name(cells[0]):
            at = 1 + (place - 1) % (len(header) - 1)
            place += 1
            if _is_label(header[at]) and cells[at]:
                yield _of(cells[0], header[at])


def _cells(row: str) -> list[str]:
    return [_MARKS.sub("", cell).strip() for cell in _CELLS.split(row.strip().strip("|"))]


def _what_is(name: str) -> str:
    if has_hangul(name):
        return f"{name}{'은' if agrees(name, '은') else '는'} 무엇인가요?"
    return f"What is {name}?"


def _of(holder: str, label: str) -> Suggestion:
    if has_hangul(holder + label):
        return Suggestion(question=f"{holder}의 “{label}” 항목은 무엇인가요?", about=holder)
    return Suggestion(question=f"What is given as “{label}” for {holder}?", about=holder)


def _is_label(text: str) -> bool:
    """Tell whether a label names what a thing has, and asks for nothing itself."""
    words = text.casefold().split()
    is_noun = bool(words) and words[0] not in _ASKING and len(words) < _WORDS
    return is_noun and _is_name(text) and not _DIGIT.search(text)


def _is_name(text: str) -> bool:
    """Tell whether a text can be asked about: it begins with a letter and is no sentence."""
    return 1 < len(text) <= _LONGEST_NAME and _NAME.fullmatch(text) is not None
