"""What stands beside an answer on the terminal, in the question's language."""

from __future__ import annotations

from collections.abc import Mapping

from weft.language.hangul import has_hangul

_ENGLISH: Mapping[str, str] = {
    "open": "weft open N shows the N-th citation in its document.",
    "more_flag": "--more shows what else was found ({count}).",
    "more_command": "/more shows what else was found ({count}).",
    "besides": "Found besides:",
    "meanings": "It may ask one of these of a table:",
    "meaning_command": "/meaning N tells one of them.",
    "partly": "(borne out in part; missing: {words})",
    "here": "There is no default knowledge base; asking the folder you are in, {folder}.",
    "unread": "{count} of {total} files gave no text; {call} lists them.",
    "unfinished": "{title} is not read to its end; {call} goes on.",
}
_KOREAN: Mapping[str, str] = {
    "open": "weft open N: N번 인용을 문서에서 보여 줍니다.",
    "more_flag": "--more: 그 밖에 찾은 내용 {count}개를 보여 줍니다.",
    "more_command": "/more: 그 밖에 찾은 내용 {count}개를 보여 줍니다.",
    "besides": "그 밖에 찾은 내용:",
    "meanings": "표에서 이런 것을 묻는 질문일 수 있습니다:",
    "meaning_command": "/meaning N: 그 가운데 하나의 답을 보여 줍니다.",
    "partly": "(일부만 뒷받침됨; 문서에 없는 말: {words})",
    "here": "기본 지식 베이스가 없어 지금 있는 폴더 {folder}에 묻습니다.",
    "unread": "파일 {total}개 가운데 {count}개에서 글을 읽지 못했습니다. 목록: {call}",
    "unfinished": "{title}: 아직 끝까지 읽지 않았습니다. 이어서 읽기: {call}",
}


def said(key: str, question: str, **values: object) -> str:
    """Return a text in the language of a question: Korean where it has Hangul, else English."""
    texts = _KOREAN if has_hangul(question) else _ENGLISH
    return texts[key].format_map(values)


def noted(note: str) -> str:
    """Return a note as it is shown below an answer, in the language that it is in."""
    return f"{'참고' if has_hangul(note) else 'note'}: {note}"
