"""Notes beside an answer and reasons for having none: each is known again by its code.

Whoever shows them in another language goes by code and values; the text is for everyone else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from functools import cache

from weft.domain.display import on_one_line
from weft.domain.frozen import dataclass

# What is said under each code. What a value may look like keeps one note from reading as another.
NOTES: Mapping[str, str] = {
    "full_text_alone": "{base}: ranked by full text alone, without vectors",
    "still_reading": "{base}: documents being added at this moment may be missing",
    "left_out": "{base} was left out: {reason}",
    "no_web_search": (
        "This may stand on the web alone; no web search is configured (WEFT_WEB_SEARCH)."
    ),
    "pin_unknown": "{name}: what was chosen for it is not there; the likeliest was taken.",
    "last_documents": "Asked of the documents that the last answer cited.",
    "last_subject": "Asked as it stands, together with what was spoken of last: {words}.",
    "unsupported": "Sentences left out for want of support: {count}.",
    "no_tokens": "No tokens are left to ask a model with: answered by the rules.",
    "research_cut_short": "The report is partial: its budget of {reason} was used up.",
    "sections_failed": "These sections failed: {titles}.",
    "out_of_budget": "The budget was used up before an answer was checked.",
    "limit_reached": "The budget of {reason} was used up before an answer was checked.",
    "limit_passed": "The budget of {reason} was used up: this is what there was by then.",
    "no_money": "No money may be spent on a model: answered by the rules.",
    "not_judged": "The model could not be asked whether sentences are supported.",
    "model_replaced": "The model {model} {reason}; answered offline instead.",
    "withheld": "The policy has put a safe completion in place of the answer.",
    "tool_failed": "{tool} failed: {reason}",
    "counted": "Counted over the entries of {title} that you may read, {count} in all.",
    "planned": "Worked out over {count} rows that you may read: {plan}.",
    "cells_left_out": "Cells that are no number or date where one is needed: {count}; left out.",
    "cells_without_unit": (
        "Cells without the unit that others have: {count}; the figure has no unit."
    ),
    "rows_shown": "It stands on {count} rows, of which the first {shown} are shown.",
    "disagree": "The documents disagree; the later one first: {titles}.",
    "disagree_undated": "The documents disagree: {titles}.",
    "namesakes": "Several are called {name}: {titles}.",
    "namesake_meant": (
        "Several things are called {name}: this is about {title}; there is also {titles}."
    ),
    "hop_unsaid": "I found {name}, but nothing that says who or what its {role} is.",
    "hop_unfound": "I found {name}, but no document about its {role} {filler}.",
    "bases_disagree": "The knowledge bases disagree: {titles}.",
    "no_bases": "There is no knowledge base here that you may ask.",
    "none_ready": "No knowledge base can be asked now. {reason}",
    "none_answered": "No knowledge base has answered. {reason}",
    "one_sided": "I cannot compare them: I found no document about {words}.",
}
# What a question in Korean is told in Korean; all else is said in English.
KOREAN: Mapping[str, str] = {
    "last_subject": "질문은 그대로 두고, 앞에서 이야기한 “{words}”와(과) 함께 찾았습니다.",
    "counted": "{title}에서 읽을 수 있는 {count}개 항목을 세었습니다.",
    "planned": "읽을 수 있는 {count}개 행에서 계산했습니다: {plan}.",
    "cells_left_out": "숫자나 날짜가 아니어서 뺀 칸: {count}개.",
    "cells_without_unit": "다른 칸과 달리 단위가 없는 칸: {count}개. 그래서 단위 없이 답합니다.",
    "rows_shown": "근거가 되는 {count}개 행 가운데 앞의 {shown}개만 보였습니다.",
    "disagree": "문서마다 값이 다릅니다. 최근 문서부터: {titles}.",
    "disagree_undated": "문서마다 값이 다릅니다: {titles}.",
    "namesakes": "이름이 “{name}”인 것이 여럿 있습니다: {titles}.",
    "namesake_meant": (
        "이름이 “{name}”인 것이 여럿 있습니다. 여기서는 {title}. 그 밖에: {titles}."
    ),
    "hop_unsaid": "“{name}”은(는) 찾았지만, 그 {role}에 대한 내용이 없습니다.",
    "hop_unfound": "“{name}”의 {role}(으)로 “{filler}”을(를) 찾았지만, 그에 대한 문서가 없습니다.",
    "bases_disagree": "지식 베이스마다 내용이 다릅니다: {titles}.",
    "no_bases": "물어볼 수 있는 지식 베이스가 없습니다.",
    "none_ready": "지금 물어볼 수 있는 지식 베이스가 없습니다. {reason}",
    "none_answered": "답한 지식 베이스가 없습니다. {reason}",
    "one_sided": "비교할 대상 중 {words}에 대한 문서를 찾지 못했습니다.",
}
# What is called by those who write documents: a file's name may have line ends in it.
_NAMES = {"base", "name", "title", "titles", "filler", "words"}
# The code of a note that is none of these: it is written in the question's language.
REMARK = "remark"
_LOOKS = {
    "base": r"\S.{0,299}?",
    "count": r"\d+",
    "shown": r"\d+",
    "tool": r"[\w.-]+",
    "model": r"\S+",
    "reason": r".*",
    "name": r".+?",
    "title": r".+?",
    "titles": r".+",
    "words": r".+",
    "role": r"[^A-Z“”]+",
    "filler": r".+?",
    "plan": r".+",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A note: its code, its text, and the values that the text has in it."""

    code: str
    text: str
    values: Mapping[str, str] = field(default_factory=dict)


def note(code: str, *, language: str = "en", **values: object) -> str:
    """Return the text of a note, in Korean where `language` is "ko" and it is said so.

    Names in it stand on one line, whatever they hold. Raises `KeyError` for an unknown code or a
    missing value.
    """
    said = KOREAN if language == "ko" and code in KOREAN else NOTES
    shown = {key: on_one_line(str(values[key])) for key in _NAMES & values.keys()}
    return said[code].format_map({**values, **shown})


def read_note(text: str) -> Note:
    """Return what `note` said, by its code; any other text is a remark."""
    for code, pattern in _patterns():
        if match := pattern.fullmatch(text):
            return Note(code=code, text=text, values=match.groupdict())
    return Note(code=REMARK, text=text)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    known = (*NOTES.items(), *KOREAN.items())
    return tuple((code, _pattern(template)) for code, template in known)


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", template)
    written = [
        f"(?P<{part}>{_LOOKS[part]})" if place % 2 else re.escape(part)
        for place, part in enumerate(parts)
    ]
    return re.compile("".join(written), re.DOTALL)
