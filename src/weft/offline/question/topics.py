"""What the last turn of a conversation spoke of: its subject, its names, its people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft.agents.rewriting import PastTurn
from weft.language.hangul import has_hangul
from weft.language.months import MONTHS, WEEKDAYS
from weft.language.terms import STOP_WORDS, plain, stem
from weft.offline.question.korean_topics import korean_people, korean_subject
from weft.offline.question.question import QuestionKind, asked_words, read_question

_WHO = ("who", "what", "which")
_BE = ("is", "are", "was", "were")
_OTHERS = "has have had can could may might must shall should will would".split()
AUX = rf"(?:{'|'.join([*_BE, 'do', 'does', 'did', *_OTHERS])})"
_NAME = re.compile(
    r"(?<![\w/.-])[A-Z][\w’'&-]*(?:\.(?=\s[A-Z]))?"
    r"(?:\s+(?:(?:of|the|de|van|von|der|la|&)\s+){0,2}[A-Z0-9][\w’'&-]*(?:\.(?=\s[A-Z]))?)*"
)
# `--cert`, `get-pip.py`, `www-data`, `LED-14`: written as nothing but a name is.
_CODE = re.compile(
    r"(?<![\w./-])(?:--\w[\w-]*|/[\w./-]*\w|[A-Z]+-\d+|[a-z]+(?:-[a-z\d]+)+"
    # An underscore is a sign of words too: only one of the two may take it.
    r"|[a-z](?:[\w-]*_\w+(?:[./]\w+)*|[\w-]*(?:[./]\w+)+))(?![\w/-])"
)
_NO_NAMES = STOP_WORDS | {"name", "list", "tell", "show", "give"}
_MARK = re.compile(r"\s*\[\d+\]")
_MARKUP = re.compile(r"[*`_#|]+(?=\W|$)|(?<!\w)[*`_#|]+")
_MONTH = re.compile(rf"^(?:{'|'.join([*MONTHS, *WEEKDAYS])})\b", re.I)
_DETERMINED = re.compile(r"^(?:the|an?|this|these|that|those|our|my|your)\s+", re.I)
_CLAUSE = re.compile(
    rf"^(?P<asks>(?:(?:\w+ )?(?:who|whom|what|which|when|where|why|how)\b(?:\s\w+){{0,3}}?\s)?)"
    rf"(?P<aux>{AUX})\s+(?P<rest>.+?)[\s?.!]*$",
    re.I,
)
_WHO_DOES = re.compile(rf"^who\s+(?!{AUX}\b)\w+\s+(?P<object>.+?)[\s?.!]*$", re.I)
_ADDRESSED = re.compile(r"^(?:I|you|we|one|people)\s+\w+\s+", re.I)
_DANGLING = re.compile(r"\s+(?:in|on|at|for|of|from|with|to|by|about|as|like)$", re.I)
# "What is a wheelhouse?" asks for nothing but its subject.
_SHORT = re.compile(r"(?:the|an?|our|my)(?:\s+[\w.-]+){1,2}[\s?.!]*", re.I)
# A noun with an article that stands beside no name.
_OTHER = re.compile(r"\b(?:the|an?|our|my)\s+\w+(?:\s(?!\s)|\W*$)", re.I)
_JOINING = frozenset({"and", "or", "of"})
_LONGEST = 6
# Before a name that is no person's.
_PLACED = re.compile(r"\b(?:the|an?|in|at|near|from|to|into|on|of|for|through|our)\s+$", re.I)
_PLACE = re.compile(r"\b(?:in|at|near|from)\s+([A-Z][\w’'-]*(?:\s+[A-Z][\w’'-]*)*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class LastTurn:
    """A turn read: `question` is made whole, `said` is what its answer quotes, without marks.

    `context` are words for what was spoken of before, where the question goes on from there.
    """

    question: str
    said: str
    titles: tuple[str, ...] = ()
    context: str = ""

    @property
    def asks_who(self) -> bool:
        """Tell whether the answer names somebody or something that the question does not."""
        is_which = re.match(r"(?:which|what)\s+(?!is\b|are\b|was\b|were\b)", self.question, re.I)
        return read_question(self.question).kind is QuestionKind.PERSON or bool(is_which)

    @property
    def subject(self) -> str:
        """Return the noun phrase that the question is about, empty where that is not sure."""
        if has_hangul(self.question):
            return korean_subject(self.question)
        return next(filter(_is_plain, self._readings()), "") or self._only_name()

    @property
    def about(self) -> str:
        """Return words for what was spoken of last, whatever is sure of it."""
        named = () if has_hangul(self.question) else named_in(self.question)
        own = self.subject or " ".join(named or asked_words(self.question))
        given = [name for name in self.people if name not in own]
        return " ".join(filter(None, [*given, own, self.context]))

    @property
    def people(self) -> tuple[str, ...]:
        """Return who may be meant by a pronoun: who is named in the question, or by its answer.

        An answer that was not asked for a name may name anything.
        """
        if has_hangul(self.question):
            return korean_people(self.question, self.said)
        asked = tuple(_people(self.question))
        if not self.asks_who:
            return asked
        given = tuple(one for one in _people(self.said) if one not in asked)
        return tuple(dict.fromkeys([*asked, *given])) if given else ()

    @property
    def place(self) -> str:
        """Return where something is by the answer to a question for that, if it is one place."""
        if read_question(self.question).kind is not QuestionKind.PLACE:
            return ""
        found = {match[1] for match in _PLACE.finditer(self.said)}
        return found.pop() if len(found) == 1 else ""

    def _readings(self) -> Iterator[str]:
        """Yield what may be the subject, the surest first."""
        does, clause = _WHO_DOES.match(self.question), _CLAUSE.match(self.question)
        if does is not None:
            yield does["object"]
        elif clause is not None:
            asks, aux = clause["asks"].strip().lower(), clause["aux"].lower()
            rest = _DANGLING.sub("", clause["rest"])
            if addressed := _ADDRESSED.match(rest):
                yield rest[addressed.end() :]
            elif _SHORT.fullmatch(clause["rest"]) and aux in _BE and asks.startswith(_WHO):
                yield rest
            elif asks not in {"who", "what"} or aux not in _OTHERS:
                yield from self._shown(rest.split())

    def _shown(self, words: Sequence[str]) -> Iterator[str]:
        """Yield the words up to a verb that stand together in what was shown, if they end there.

        With a second thing in the question it is not sure which of both is meant.
        """
        if not _JOINING.isdisjoint(words[:_LONGEST]):
            return
        shown = "\n".join([_MARKUP.sub("", self.said), *self.titles])
        for length in range(len(words), 0, -1):
            phrase, left = " ".join(words[:length]), " ".join(words[length:])
            bare = re.escape(_DETERMINED.sub("", phrase))
            after = re.findall(rf"(?<![\w-]){bare}(?![\w-])[^\S\n]*([\w-]*)", shown, re.I)
            same = {stem(plain(word)) for word in words[length : length + 1]}
            ends = [
                not one or plain(one) in STOP_WORDS or stem(plain(one)) in same for one in after
            ]
            # What stands behind one noun may belong to it: "the group video".
            is_whole = len(_DETERMINED.sub("", phrase).split()) > 1 or phrase[:1].isupper()
            is_open = bool(after and left and any(ends))
            if is_open and is_whole and not named_in(left) and not _OTHER.search(left):
                yield phrase
            if after:
                return

    def _only_name(self) -> str:
        """Return the one name of the question, unless it goes on: "the Payments team" is more."""
        found = named_in(self.question)
        if len(found) != 1 or _OTHER.search(self.question.replace(found[0], " ")):
            return ""
        after = self.question.partition(found[0])[2].split()
        is_whole = not after or not after[0][0].isalpha() or plain(after[0]) in STOP_WORDS
        return found[0] if is_whole else ""


def _is_plain(phrase: str) -> bool:
    """Tell whether a phrase is one name or noun, with nothing that joins it to others."""
    words = _DETERMINED.sub("", phrase).split()
    is_short = 0 < len(words) <= _LONGEST and not {plain(word) for word in words} & STOP_WORDS
    return is_short and not any(word.endswith((",", ";")) for word in words)


def said_in(turn: PastTurn) -> str:
    """Return what a turn's answer quotes, without marks; a refusal quotes nothing."""
    lines = [line for line in turn.answer.splitlines() if _MARK.search(line)]
    return _MARK.sub("", "\n".join(lines))


def named_in(text: str) -> tuple[str, ...]:
    """Return the names and codes of a text, in order, without months and what begins it."""
    codes = [(match.start(), match.group()) for match in _CODE.finditer(text)]
    left = _CODE.sub(lambda match: " " * len(match.group()), text)
    return tuple(dict.fromkeys(name for _, name in sorted([*codes, *_names(left)])))


def _people(text: str) -> Iterator[str]:
    """Yield what is written as people's names are: no article or preposition before it."""
    for start, name in _names(text):
        is_words = not any(char.isdigit() or char == "&" for char in name) and " of " not in name
        if is_words and 2 <= len(name.split()) <= 4 and not _PLACED.search(text[:start]):
            yield name


def _names(text: str) -> Iterator[tuple[int, str]]:
    """Yield where the capitalised names of a text stand."""
    for match in _NAME.finditer(text):
        parts = match.group().split()
        while parts and plain(parts[0]) in _NO_NAMES:
            parts.pop(0)
        name = re.sub(r"[’']s$", "", " ".join(parts))
        if name and not _MONTH.match(name) and not name.isdigit():
            yield match.start() + match.group().rindex(parts[0]), name
