"""Things that a question describes instead of naming: "the team whose crane fell over".

A question is made plainer from the inside out: the innermost description is found here; once its
name is known, `put` writes it into the question, and the next description can be found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from weft.language.hangul import SYLLABLES
from weft.offline.question.roles import language_of
from weft.offline.question.things import ThingKind, things

_NAME = r"[A-Z][\w’&.-]*(?:\s+(?:(?:de|von|van|of|the|&)\s+)?[A-Z0-9][\w’&.-]*)*"
_NAMES = _NAME[: -len("*")] + "+"
_SIGN = rf"[A-Z][A-Z0-9]+-\d+|{_NAME}|[a-z]\w*(?:[-./]\w+)+|[\"“][^\"”]+[\"”]"
_WHICH = (
    r",?\s+(?:that|which|who|whom|whose|where|(?:in|for|on|by|to|from|at|of) wh(?:ich|om|ose))\s+"
)
_OF = r"\s+(?:of|behind|for|responsible for|in charge of|in(?=\s+(?:the\s+)?\w+ [A-Z]+-\d))\s+"
_BEHIND = r"\s+(?:behind|responsible for|in charge of)\s+"
_VERB = (
    r"(?P<verb>\s+(?:(?:work|sit|live|belong|meet|come|stand|have|hold|use|need|cost|end|start|"
    r"open|begin)s?|[a-z]+ed|written|made|kept|led|run))?"
)
# What the verb of the question leaves behind the description is at most so many words.
_TAIL = 6
_AUXILIARY = re.compile(r"\b(?:did|does|do|will|would|can|could|should|must|may)\b", re.IGNORECASE)
_BE = re.compile(r"\b(?:is|was|are|were|has|have|had)\b", re.IGNORECASE)
_OPEN = re.compile(
    r"^(?:is|was|are|were|has|have|had|be|been|being|to|and|did|does)$", re.IGNORECASE
)
_SHORT = re.compile(r"^(?:[a-z]+\s+){1,2}?(?P<name>[\"“]?[\w&./-]+[\"”]?)$")
_COMPARING = re.compile(r"\b(?:or|both|same|older|younger)\b", re.IGNORECASE)
_ASKS = re.compile(r"\b(?:who|whom|whose|what|which|when|where|why|how)\b", re.IGNORECASE)
# "Which service of X" asks for the thing itself.
_ASKED = re.compile(
    r"\b(?:which|what|whose|how many)\s+"
    r"(?:(?!(?:do|does|did|is|was|are|were|has|have|had|will|can)\b)[a-z-]+\s+){0,2}$",
    re.IGNORECASE,
)
_PLACED = re.compile(r"\s+(?:in|at)\s+$", re.IGNORECASE)
_ADNOMINAL = (
    rf"[{SYLLABLES}]*(?:[하되있없드끄키기리르우쓰내오가주보치시지받맡막찾읽돕놓파사]는"
    r"|[맡받막찾읽남않늦높낮많적넣놓잡입]은|던|[한된킨긴린친운든낸온간준쓴끈춘꾼룬둔만난꺼뺀핀"
    r"할될올갈킬릴칠울들낼줄쓸])"
)
_LONG_PARTICLE = "에게서|에게는|에게|에서는|에서|께서|님은|님의|님이|으로"
PARTICLE = rf"(?:{_LONG_PARTICLE}|은|는|이|가|을|를|의|에|와|과|로|도)"
_CLOSED = rf"(?={PARTICLE}?(?:[\s?.]|$))"
_LATIN = re.compile(rf"([A-Za-z][\w./-]*(?: [A-Z][\w./-]*)*){PARTICLE} ", re.ASCII)
_KOREAN_ASKING = re.compile(r"(?:누구|누가|언제|어디|무엇|어느|어떤|무슨|몇|얼마)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """A thing that a question describes: `start` and `end` bound the whole phrase.

    `said` is the description as it is searched for; `name` the name in it, where it is hardly more
    than that ("the team behind X"); `bearer` the name of one of several namesakes ("the Ann who").
    `kind` is None where the noun is in no table, `verb` what stands between noun and description
    ("the team work whose ...") and belongs to the question.
    """

    start: int
    end: int
    noun: str
    kind: ThingKind | None
    said: str
    name: str = ""
    bearer: str = ""
    verb: str = ""


def innermost(text: str, *, known: Sequence[str] = ()) -> Described | None:
    """Return the description in a question that holds no other, None when it has none.

    `known` are names without a capital that were put into the question before.
    """
    if language_of(text) == "ko":
        return next(_korean(text, known), None)
    if _COMPARING.search(text):
        return None
    every = (*_named(text, known), *_clauses(text))
    found = [one for one in every if not _ASKED.search(text[: one.start])]
    best = max(found, key=lambda one: one.start) if found else next(_others(text), None)
    # "It has the actress who played which part?" asks within the description.
    return best if best is not None and _ASKS.search(text[: best.start]) else None


def put(text: str, described: Described, *, name: str) -> str:
    """Return a question with a name in the place of a description."""
    return f"{text[: described.start]}{name}{described.verb}{text[described.end :]}"


def _named(text: str, known: Sequence[str]) -> Iterator[Described]:
    """Yield kinds of things described by a name: "X's team", "the service of X"."""
    patterns = _patterns()
    for match in patterns.possessive.finditer(text):
        kind = things().kind(match["noun"])
        if kind is not None and not _is_person(match["noun"]):
            said = f"{match['name']} {match['noun']}"
            yield _made(match, match.end(), said=said, name=match["name"])
    sign = "|".join([*(re.escape(name) for name in known), _SIGN])
    of = re.compile(rf"{patterns.head}(?i:{_OF})(?:(?i:the\s+)?(?:{_kinds()})\s+)?(?P<name>{sign})")
    for match in of.finditer(text):
        between = text[match.end("noun") : match.start("name")]
        kind = things().kind(match["noun"])
        placed = kind is not None and kind.is_place and _PLACED.match(between) is not None
        if kind is None or _is_person(match["noun"]) or placed:
            continue
        name = match["name"].strip('"“”')
        if not re.match(r"['’]s?\s", text[match.end() :]):
            yield _made(match, match.end(), said=f"{match['noun']} {name}", name=name)


def _clauses(text: str) -> Iterator[Described]:
    """Yield kinds of things described by a clause: "the team that paints ships"."""
    patterns = _patterns()
    for match in (*patterns.relative.finditer(text), *patterns.behind.finditer(text)):
        end = _clause_end(text, match.start(), match.end())
        clause = text[match.end() : end].strip()
        short = _SHORT.match(clause)
        yield _made(
            match,
            end,
            said=f"{match['noun']} {clause}",
            name=short["name"].strip('"“”') if short else "",
        )


def _others(text: str) -> Iterator[Described]:
    """Yield bearers of a name that a clause tells apart, and things of no known kind.

    Of these, only what does something to others can be told from what they say of it.
    """
    patterns = _patterns()
    for match in patterns.bearer.finditer(text):
        end = _clause_end(text, match.start(), match.end())
        clause = text[match.end() : end].strip()
        yield Described(
            start=match.start("bearer"),
            end=end,
            noun="",
            kind=things().kinds["person"],
            said=clause,
            bearer=match["bearer"],
            verb=match["verb"] or "",
        )
    for match in patterns.unknown.finditer(text):
        end = _clause_end(text, match.start(), match.end())
        clause = text[match.end() : end].strip()
        made = _made(match, end, said=f"{match['noun']} {clause}")
        if made.kind is None and re.search(r"\bwhom?\s+$", match.group(), re.IGNORECASE):
            made = replace(made, kind=things().kinds["person"])
        if made.kind is not None or any(tie.asks.search(clause) for tie in things().ties):
            yield made


def _made(match: re.Match[str], end: int, *, said: str, name: str = "") -> Described:
    noun = match["noun"]
    return Described(
        start=match.start(),
        end=end,
        noun=noun,
        kind=things().kind(noun.split()[-1]),
        said=said,
        name=name,
        verb=match.groupdict().get("verb") or "",
    )


def _clause_end(text: str, start: int, begin: int) -> int:
    """Return where the description that begins at `begin` ends and the question's own verb stands.

    "When did the person who paints the ships leave?" asks who left.
    """
    end = len(text.rstrip(" ?.!"))
    before = text[:start]
    words = list(re.finditer(r"\S+", text[begin:end]))
    verbs = things().endings if _AUXILIARY.search(before) else None
    verbs = things().participles if verbs is None and _BE.search(before) else verbs
    if verbs is None:
        return end
    for at in range(len(words) - 1, max(2, len(words) - _TAIL) - 1, -1):
        if verbs.fullmatch(words[at].group()) and not _OPEN.match(words[at - 1].group()):
            return begin + words[at].start() - 1
    return end


def _korean(text: str, known: Sequence[str]) -> Iterator[Described]:
    """Yield what a Korean question describes; the innermost stands first."""
    patterns = _patterns()
    clause = patterns.korean.match(text)
    named = patterns.korean_of.match(text)
    if named and not _KOREAN_ASKING.search(named["name"]) and not _is_person(named["noun"]):
        yield _made(named, named.end("noun"), said=named["name"], name=named["name"])
    elif clause and not _KOREAN_ASKING.search(clause["said"]):
        held = (name for name in known if name in clause["said"])
        latin = _LATIN.match(clause["said"])
        name = next(held, latin[1] if latin else "")
        yield _made(clause, clause.end("noun"), said=clause["said"], name=name)
    bearer = patterns.korean_bearer.match(text)
    if bearer and things().kind(bearer["bearer"]) is None:
        yield Described(
            start=0,
            end=bearer.end("bearer"),
            noun="",
            kind=things().kinds["person"],
            said=bearer["said"],
            bearer=bearer["bearer"],
        )


def _is_person(noun: str) -> bool:
    kind = things().kind(noun)
    return kind is not None and kind.name == "person"


def _kinds() -> str:
    return f"(?i:{things().english})"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Patterns:
    head: str
    possessive: re.Pattern[str]
    relative: re.Pattern[str]
    behind: re.Pattern[str]
    unknown: re.Pattern[str]
    bearer: re.Pattern[str]
    korean: re.Pattern[str]
    korean_of: re.Pattern[str]
    korean_bearer: re.Pattern[str]


@lru_cache(maxsize=1)
def _patterns() -> _Patterns:
    head = rf"\b(?:(?i:the|an?|this|that)\s+)?(?:[a-z][\w-]*ly\s+)?(?P<noun>{_kinds()})\b"
    korean = things().korean
    return _Patterns(
        head=head,
        possessive=re.compile(
            rf"(?<!\w)(?P<name>{_NAME}|[a-z]\w*(?:[-./]\w+)+)['’]s?\s+(?P<noun>{_kinds()})(?![\w-])"
        ),
        relative=re.compile(rf"{head}{_VERB}{_WHICH}", re.IGNORECASE),
        behind=re.compile(rf"{head}(?i:{_BEHIND})(?:the\s+)?", re.IGNORECASE),
        unknown=re.compile(
            rf"\b(?:the|an?)\s+(?P<noun>(?:[\w-]+\s+){{0,3}}?[\w-]+){_VERB}{_WHICH}", re.IGNORECASE
        ),
        bearer=re.compile(
            rf"\b(?:[Tt]he\s+)?(?P<bearer>{_NAMES}){_VERB}\s+(?:who|whom|whose)\s+(?!else\b)"
        ),
        korean=re.compile(rf"(?P<said>\S.*?{_ADNOMINAL})\s+(?P<noun>{korean}){_CLOSED}"),
        korean_of=re.compile(
            rf"(?P<name>(?:[{SYLLABLES}]+\s)?[\w./-]+?)(?:의|(?:이|가)\s속한)\s+(?P<noun>{korean})"
            rf"(?={PARTICLE}\s)"
        ),
        korean_bearer=re.compile(
            rf"(?P<said>\S.*?{_ADNOMINAL})\s+(?P<bearer>[{SYLLABLES}]{{2,4}}?)(?={PARTICLE}(?:[\s?.]|$))"
        ),
    )
