"""Documents as far as they were found: what kind of thing each is about, and what it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote

from weft.domain.ids import DocumentId
from weft.offline.evidence.passages import Candidate, candidates, place_stems, read_passage
from weft.offline.question.names import tokens
from weft.offline.question.things import ThingKind
from weft.retrieval.hits import Hit

ISSUE = re.compile(r"(?<![A-Za-z0-9-])[A-Z][A-Z0-9]+-\d+(?!\d)")
_PAIR = re.compile(r"^[\s>*+•-]*([^\W\d_][\w .()/-]{0,38}?)\s*[:=]\s+(\S.*)$")
_BETWEEN = re.compile(r"\s+[·|]\s+|\s+/\s+(?=[^\W\d_][\w ]{0,20}: )")
_EMPHASIS = re.compile(r"\*\*|__|`")
_MORE = re.compile(r"\s*[(\[].*$")
_LIST = re.compile(r",\s+|\s+(?:and|및|와|과)\s+|、")
_TITLE_END = re.compile(r"\s*[:–—|(].*$|\s+-\s.*$")
_NAMED = re.compile(r"name|title|이름|명칭", re.IGNORECASE)
_ABOUT = re.compile(r"\s+(?:소개|안내|charter|overview|page|profile|team page)$", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """The passages of one document that may be read."""

    hits: tuple[Hit, ...]

    @property
    def key(self) -> tuple[str, DocumentId]:
        """Return what tells the document from all others."""
        evidence = self.hits[0].evidence
        return evidence.knowledge_base, evidence.document_id

    @property
    def title(self) -> str:
        """Return the document's title."""
        return self.hits[0].evidence.title

    @property
    def uri(self) -> str:
        """Return the address of the file that the document is from; rows of a table share it."""
        return self.hits[0].evidence.uri

    @cached_property
    def sentences(self) -> tuple[Candidate, ...]:
        """Return its sentences in order."""
        ordered = sorted(self.hits, key=lambda hit: hit.evidence.chunk_index)
        return tuple(
            one
            for hit in ordered
            for one in candidates(read_passage(hit, evidence_id=hit.evidence.id))
        )

    @cached_property
    def place(self) -> frozenset[str]:
        """Return the stems of its title and address."""
        return frozenset[str]().union(*(place_stems(hit) for hit in self.hits))

    @cached_property
    def pairs(self) -> tuple[tuple[str, str, Candidate], ...]:
        """Return its `Key: value` pieces with the sentences they stand in."""
        return tuple(
            (key, value, sentence)
            for sentence in self.sentences
            for key, value in pairs_of(sentence.text)
        )

    def is_of(self, kind: ThingKind) -> bool:
        """Tell whether the document is about a thing of a kind, by its folder, file or title."""
        titled = any(kind.folders.fullmatch(word) for word in self.title.split())
        return titled or self.is_kept_as(kind)

    def is_kept_as(self, kind: ThingKind) -> bool:
        """Tell whether the document is kept as one of a kind: by its folder, file or key."""
        if kind.name == "ticket" and ISSUE.match(self.title):
            return True
        evidence = self.hits[0].evidence
        folders = re.split(r"[\\/]", unquote(evidence.uri))[-4:]
        file = re.split(r"[.#]", folders[-1])[0] if evidence.document_id.startswith("rec") else ""
        return any(kind.folders.fullmatch(part) for part in (*folders[:-1], file) if part)

    def name_as(self, kind: ThingKind) -> str:
        """Return what the thing that the document is about is called."""
        issue = ISSUE.match(self.title)
        if issue:
            return issue.group()
        if self.hits[0].evidence.document_id.startswith("record:"):
            named = (v for k, v, _ in self.pairs if kind.fields.fullmatch(k) or _NAMED.fullmatch(k))
            if (value := next(named, None)) is not None:
                return values_of(value)[0]
        whole = _TITLE_END.sub("", self.title)
        bare = _ABOUT.sub("", whole).strip()
        typed = next((word for word in bare.split() if _is_own_name(word, kind)), "")
        return typed or bare.rpartition("/")[2] or self.title

    def saying(self, key: str) -> Iterator[Candidate]:
        """Yield the sentences that a name stands in."""
        for sentence in self.sentences:
            if f" {key} " in f" {' '.join(token.key for token in tokens(sentence.text))} ":
                yield sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """What a description means: a name, the sentences that say so, the documents it leads to.

    With `only`, nothing but these documents can answer; `sure` where a field or an identifier says
    it, or a sentence nearly all of it; `telling` where the name says more than the question does
    ("Ann Oak (Coast)").
    """

    name: str
    said: tuple[Candidate, ...]
    sheets: tuple[Sheet, ...] = ()
    only: bool = False
    sure: bool = True
    telling: bool = False


def pairs_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield the `Key: value` pieces of a text, emphasis left out."""
    for line in text.splitlines():
        for piece in _BETWEEN.split(_EMPHASIS.sub("", line)):
            match = _PAIR.match(piece.strip())
            if match and len(match[1].split()) <= 4:
                yield match[1], match[2].strip()


def values_of(value: str) -> tuple[str, ...]:
    """Return the names that the value of a field gives, what is in parentheses left out."""
    parts = (_MORE.sub("", part).strip(" .,;") for part in _LIST.split(_MORE.sub("", value)))
    return tuple(part for part in parts if part)


def sheets_of(hits: Iterable[Hit]) -> list[Sheet]:
    """Return passages by document, in order of their first ones."""
    held: dict[tuple[str, DocumentId], dict[str, Hit]] = {}
    for hit in hits:
        key = (hit.evidence.knowledge_base, hit.evidence.document_id)
        held.setdefault(key, {}).setdefault(hit.evidence.chunk_id, hit)
    return [Sheet(hits=tuple(found.values())) for found in held.values()]


def keys_in(sentences: Sequence[Candidate]) -> tuple[str, ...]:
    """Return the issue keys that stand in some sentences, in order."""
    return tuple(dict.fromkeys(key for one in sentences for key in ISSUE.findall(one.text)))


def _is_own_name(word: str, kind: ThingKind) -> bool:
    """Tell whether a word is a name that says its kind itself, as `등대팀` does."""
    return bool(kind.folders.fullmatch(word)) and not kind.nouns.fullmatch(word)
