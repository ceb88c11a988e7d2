"""A report as JSON, as Markdown and as a page of HTML: sections, and one list of references."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from html import escape
from typing import Any

from weft.domain.answer import AnswerSentence, citation_data
from weft.domain.display import on_one_line
from weft.flows.research.state import ResearchSection, ResearchState, ResearchTurn
from weft.flows.state import read
from weft.language.hangul import has_hangul

_SAID = {
    "en": {
        "summary": "Summary",
        "references": "References",
        "missing": "What is missing",
        "near": "Nothing answers this outright; what stands nearest:",
        "beside": "Near it:",
        "empty": "The documents that you may read say nothing of this.",
        "partial": "Cut short: ",
        "failed": "This section failed: ",
        "not_found": "Not found: ",
        "ended": "The run ended early: its budget of {part} was used up.",
        "offline": "Quotations alone, chosen by rules without a model.",
        "nothing": "Nothing was found.",
    },
    "ko": {
        "summary": "요약",
        "references": "출처",
        "missing": "찾지 못한 것",
        "near": "바로 답이 되는 것은 없고, 가장 가까운 것은 다음과 같습니다.",
        "beside": "관련된 내용:",
        "empty": "읽을 수 있는 문서에는 이에 관한 내용이 없습니다.",
        "partial": "도중에 끝남: ",
        "failed": "이 절은 실패했습니다: ",
        "not_found": "찾지 못함: ",
        "ended": "{part} 한도를 다 써서 도중에 끝났습니다.",
        "offline": "모델 없이 규칙이 고른 인용문만 있습니다.",
        "nothing": "찾은 것이 없습니다.",
    },
}
_MARKS = str.maketrans({one: f"\\{one}" for one in "\\`*_[]<>#|"})
_PAGE = """<!doctype html>
<html lang="{language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.55 system-ui, sans-serif; max-width: 46rem }}
body {{ margin: 2rem auto; padding: 0 1rem }}
blockquote {{ margin: .2rem 0 0; padding-left: .8rem; border-left: 3px solid #9ab; color: #345 }}
.note {{ color: #555 }} sup a {{ text-decoration: none }} ol li {{ margin-bottom: .6rem }}
@media print {{ body {{ margin: 0; max-width: none }} a {{ color: inherit }} }}
</style></head>
<body>
{body}
</body></html>
"""


def payload(held: Mapping[str, object]) -> dict[str, object]:
    """Return a report and how it came about, as JSON, with its Markdown and its HTML."""
    state = read(ResearchState, held)
    report = report_data(state)
    return {
        "report": report,
        "iterations": [
            {"section": section.title, **_turn_data(turn)}
            for section in state.sections
            for turn in section.turns
        ],
        "markdown": in_markdown(report),
        "html": in_html(report),
    }


def report_data(state: ResearchState) -> dict[str, Any]:
    """Return a report as JSON; sentences name the numbers of its references."""
    sentences = () if state.answer is None else state.answer.sentences
    at, sections = state.overview, list[dict[str, object]]()
    for one in state.sections:
        sections.append(_section_data(one, sentences[at : at + one.size]))
        at += one.size
    missing = [gap for one in state.sections for gap in one.open_gaps]
    cited = {c.n: c for one in sentences for c in one.citations}
    return {
        "title": state.title or state.question,
        "question": state.question,
        "mode": state.mode,
        "offline": state.answer is not None and state.answer.offline,
        "is_partial": bool(state.ended_by) or "partial" in {one.status for one in state.sections},
        "ended_by": state.ended_by,
        "summary": [_sentence_data(one) for one in sentences[: state.overview]],
        "sections": sections,
        "missing": list(dict.fromkeys(missing)),
        "references": [citation_data(cited[n]) for n in sorted(cited)],
    }


def _section_data(
    section: ResearchSection, sentences: Sequence[AnswerSentence]
) -> dict[str, object]:
    return {
        "title": section.title,
        "key_question": section.key_question,
        "status": section.status,
        "reason": section.reason,
        "sentences": [_sentence_data(one) for one in sentences],
        "answering": section.answering,
        "missing": list(section.open_gaps),
    }


def _sentence_data(sentence: AnswerSentence) -> dict[str, object]:
    return {
        "text": sentence.text,
        "tier": sentence.tier.value,
        "citations": [one.n for one in sentence.citations],
    }


def _turn_data(turn: ResearchTurn) -> dict[str, object]:
    return {
        "thoughts": turn.thoughts,
        "gaps": list(turn.gaps),
        "tool_calls": [asdict(one) for one in turn.tool_calls],
        "findings": list(turn.findings),
        "failures": list(turn.failures),
    }


def in_markdown(report: Mapping[str, Any]) -> str:
    """Return a report as Markdown; text of documents is escaped, so that it is only text."""
    said = _words(report)
    lines = [f"# {_md(report['title'])}", "", *(f"_{one}_\n" for one in _opening(report, said))]
    if report["summary"]:
        lines += [f"## {said['summary']}", "", *_md_sentences(report["summary"]), ""]
    for one in report["sections"]:
        lines += [f"## {_md(one['title'])}", ""]
        lines += [f"_{_md(remark)}_\n" for remark in _remarks(one, said)]
        answers, near = _split(one)
        lines += [*_md_sentences(answers), ""]
        if answers and near:
            lines += [f"_{said['beside']}_", ""]
        lines += [*_md_sentences(near), ""]
    if report["missing"]:
        lines += [f"## {said['missing']}", "", *(f"- {_md(one)}" for one in report["missing"]), ""]
    if report["references"]:
        lines += [f"## {said['references']}", ""]
        for one in report["references"]:
            lines += [f"{one['n']}. {_md(_place(one))}", f"   > {_md(one['snippet'])}", ""]
    return "\n".join(lines).rstrip() + "\n"


def _md_sentences(sentences: Iterable[Mapping[str, Any]]) -> list[str]:
    return [
        f"- {_md(one['text'])} {' '.join(f'[{n}]' for n in one['citations'])}".rstrip()
        for one in sentences
    ]


def in_html(report: Mapping[str, Any]) -> str:
    """Return a report as a page of its own, fit to be printed; nothing of a document is markup."""
    said = _words(report)
    body = [f"<h1>{escape(report['title'])}</h1>"]
    body += [f'<p class="note">{escape(one)}</p>' for one in _opening(report, said)]
    if report["summary"]:
        body += [f"<h2>{said['summary']}</h2>", *_html_sentences(report["summary"])]
    for one in report["sections"]:
        body.append(f"<h2>{escape(one['title'])}</h2>")
        body += [f'<p class="note">{escape(remark)}</p>' for remark in _remarks(one, said)]
        answers, near = _split(one)
        body += _html_sentences(answers)
        if answers and near:
            body.append(f'<p class="note">{said["beside"]}</p>')
        body += _html_sentences(near)
    if report["missing"]:
        gaps = "".join(f"<li>{escape(one)}</li>" for one in report["missing"])
        body += [f"<h2>{said['missing']}</h2>", f"<ul>{gaps}</ul>"]
    if report["references"]:
        items = "".join(
            f'<li id="r{one["n"]}" value="{one["n"]}">{escape(_place(one))}'
            f"<blockquote>{escape(one['snippet'])}</blockquote></li>"
            for one in report["references"]
        )
        body += [f"<h2>{said['references']}</h2>", f"<ol>{items}</ol>"]
    language = "ko" if said is _SAID["ko"] else "en"
    return _PAGE.format(language=language, title=escape(report["title"]), body="\n".join(body))


def _html_sentences(sentences: Iterable[Mapping[str, Any]]) -> list[str]:
    items = [
        f"<li>{escape(one['text'])} "
        + " ".join(f'<sup><a href="#r{n}">[{n}]</a></sup>' for n in one["citations"])
        + "</li>"
        for one in sentences
    ]
    return ["<ul>", *items, "</ul>"] if items else []


def _split(section: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Return the sentences of a section that answer its question, and those that stand near."""
    return section["sentences"][: section["answering"]], section["sentences"][
        section["answering"] :
    ]


def _words(report: Mapping[str, Any]) -> Mapping[str, str]:
    return _SAID["ko" if has_hangul(str(report["question"])) else "en"]


def _opening(report: Mapping[str, Any], said: Mapping[str, str]) -> list[str]:
    """Return what is to be known of the whole before it is read."""
    lines = [said["offline"]] if report["offline"] else []
    if report["ended_by"]:
        lines.append(said["ended"].format(part=report["ended_by"]))
    if not report["references"]:
        lines.append(said["nothing"])
    return lines


def _remarks(section: Mapping[str, Any], said: Mapping[str, str]) -> list[str]:
    """Return what is to be known of a section that is not complete."""
    status, reason = section["status"], section["reason"]
    if status in {"near", "empty"}:
        return [said[status]]
    return [f"{said[status]}{reason}"] if status in {"partial", "failed"} else []


def _place(reference: Mapping[str, Any]) -> str:
    """Return where a reference stands: its title, its section or page, its address."""
    section = reference["section"] or ""
    page = f"p. {reference['page']}" if reference["page"] else ""
    parts = (reference["title"], section, page, reference["uri"])
    return ", ".join(on_one_line(one) for one in parts if one)


def _md(text: str) -> str:
    return on_one_line(text).translate(_MARKS)
