"""Comments with who wrote them: a signature says nothing alone, what it signs lacks its name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from weft.offline.evidence.passages import Candidate, stems_of
from weft.offline.evidence.values import dates

# "**Ann Oak, 3 May, 9:15.**": a name, then nothing but a date and a time.
_SIGNED = re.compile(
    r"^[\s*_>-]*(?P<name>[^\W\d_][^,.;:\n]{1,40}), "
    r"(?P<when>[^\n;:!?]{2,24}?(?:, \d\d?:\d\d)?)\.[*_]*$"
)
_DAY = re.compile(r"^\d{1,2}월 \d{1,2}일$|^\d{1,2} [A-Z][a-z]+(?: \d{4})?(?:, \d\d?:\d\d)?$")
# Between the two a word may stand that is no sentence: "Confirmed."
_BETWEEN = re.compile(r"^[*_ ]*(?:[^\s.!?]+(?: [^\s.!?]+)?[.!?]\s)?$")


def signer(text: str) -> str:
    """Return who signs, where a text is a signature and nothing more; else an empty string."""
    match = _SIGNED.match(text)
    if match is None:
        return ""
    when = match["when"].strip()
    return match["name"].strip() if _DAY.match(when) or dates(when) else ""


def signed(sentences: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield sentences, a signature as one with the sentence behind it; alone it says nothing."""
    before: Candidate | None = None
    for one in sentences:
        joined = _joined(before, one) if before is not None else None
        before = one if joined is None and signer(one.text) else None
        if before is None:
            yield joined or one


def _joined(signature: Candidate, sentence: Candidate) -> Candidate | None:
    """Return a signature and the sentence behind it as they stand there, None if apart."""
    if signature.evidence_id != sentence.evidence_id:
        return None
    text = signature.hit.evidence.text
    start = text.find(signature.text)
    at = text.find(sentence.text, start + len(signature.text))
    if start < 0 or at < 0 or not _BETWEEN.match(text[start + len(signature.text) : at]):
        return None
    while start > 0 and text[start - 1] in "*_":
        start -= 1
    whole = text[start : at + len(sentence.text)]
    return replace(sentence, text=whole, stems=sentence.stems | stems_of(signature.text))
