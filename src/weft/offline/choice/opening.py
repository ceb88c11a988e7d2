"""What a document says: its first sentences, for whoever asks of it by its title alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from weft.offline.chains.readings import Asked
from weft.offline.choice.picking import LEADS_IN, MOST_SENTENCES, unlike
from weft.offline.evidence.passages import Candidate, ReadPassage, fields_of, link_share
from weft.offline.question.names import key_of

_SAYS = (
    re.compile(
        r"^\s*what does [“\"'‘]?(.+?)[”\"'’]? (?:say|tell us|tell)\s*\?*\s*$", re.IGNORECASE
    ),
    re.compile(r"^\s*[“\"'‘](.+?)[”\"'’] ?(?:문서)?[은는이가] 무엇을 말하나요\s*\?*\s*$"),
)
_LINKS = 0.4


def first_said(asked: Asked, passages: Sequence[ReadPassage]) -> list[Candidate]:
    """Return the first sentences of the document that a question asks of by its title, else none.

    Fields at its head, links, and what only announces something say little.
    """
    title = next((found[1] for one in _SAYS if (found := one.match(asked.plan.text))), "")
    key = key_of(title)
    meant = [one for one in passages if key and key_of(one.hit.evidence.title) == key]
    if len({one.document for one in meant}) != 1:
        return []
    ordered = sorted(meant, key=lambda one: one.hit.evidence.start)
    said = [one for passage in ordered for one in asked.desk.sentences(passage.evidence_id)]
    told = [one for one in said if _tells(one.text)]
    return unlike(told or said)[:MOST_SENTENCES]


def _tells(text: str) -> bool:
    return not (fields_of(text) or LEADS_IN.search(text)) and link_share(text) < _LINKS
