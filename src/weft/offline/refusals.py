"""What a refusal says: only what is true of the documents that the caller may read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from weft.language.terms import plain, words
from weft.offline.question.question import alike
from weft.offline.question.roles import language_of
from weft.offline.units.question import ASKING
from weft.retrieval.hits import QuestionTerm

_NAMED = 5


def standing_nowhere(question: str, known: Iterable[QuestionTerm]) -> tuple[str, ...]:
    """Return the words of a question of which no readable passage has any part.

    A name of several words, and an identifier with such a word in it, is named whole.
    """
    stands: dict[str, bool] = {}
    for term in known:
        for word in term.words:
            # Of a word that is also written otherwise nothing is claimed.
            is_known = term.df > 0 or len(alike(term.stem)) > 1
            stands[word] = stands.get(word, False) or is_known
    found: list[list[str]] = [[]]
    for said in question.split():
        parts = [word for word in words(said) if plain(word) not in ASKING]
        if all(stands.get(word, True) for word in parts):
            found.append([])
        elif found[-1] and said[:1].isupper() and found[-1][0][:1].isupper():
            found[-1].append(_bare(said))
        else:
            found.append([_bare(said)])
    return tuple(dict.fromkeys(" ".join(run) for run in found if run))


def _bare(said: str) -> str:
    """Return what was said without the marks around it and the ending of a possessor."""
    return re.sub(r"^\W+|(?:['’]s)?\W*$", "", said)


def refusal_text(question: str, missing: Sequence[str], *, is_near: bool = False) -> str:
    """Return in the question's language that nothing answers it, and what was not found.

    `is_near` where the nearest that was found stands below.
    """
    named = ", ".join(f"“{one}”" for one in missing[:_NAMED])
    if language_of(question) == "ko":
        said = "읽을 수 있는 문서에서 답을 뒷받침할 근거를 찾지 못했습니다"
        near = " 가장 가까운 내용은 다음과 같으며, 답은 아닙니다:" if is_near else ""
        return f"{said}: {named}.{near}" if named else f"{said}.{near}"
    about = f" of {named}" if named else " that answers this"
    near = " The nearest, which is not an answer:" if is_near else ""
    return f"I cannot answer this from the documents you may read: I found nothing{about}.{near}"


def spent_text(question: str) -> str:
    """Return a refusal in the question's language for a run whose budget was used up first."""
    if language_of(question) == "ko":
        return "쓸 수 있는 예산이 먼저 다 쓰여 답하지 못했습니다."
    return "I cannot answer this: what may be spent on it was used up first."
