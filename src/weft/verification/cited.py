"""What checked sentences cite, as evidence for others to be checked against."""

from __future__ import annotations

from weft.domain.answer import Citation
from weft.domain.evidence import Evidence


class CitedEvidence:
    """Ids for what is cited, in order of coming: one for each place."""

    def __init__(self) -> None:
        """Begin with nothing cited."""
        self.evidence: dict[str, Evidence] = {}
        self._ids: dict[object, str] = {}

    def id_of(self, cited: Citation) -> str:
        """Return the id of a place that is cited."""
        place = (cited.knowledge_base, cited.chunk_id, cited.start, cited.end)
        name = self._ids.setdefault(place, f"e{len(self._ids) + 1}")
        self.evidence.setdefault(name, evidence_of(name, cited))
        return name


def evidence_of(name: str, cited: Citation) -> Evidence:
    """Return a cited passage as evidence: the words of the citation, where they stand."""
    return Evidence(
        id=name,
        knowledge_base=cited.knowledge_base,
        document_id=cited.doc_id,
        document_type="",
        title=cited.title,
        uri=cited.uri,
        chunk_id=cited.chunk_id,
        chunk_index=0,
        start=cited.start,
        end=cited.end,
        page=cited.page,
        section=cited.section,
        text=cited.snippet,
        sentences=(),
        updated=None,
        score_kind="cited",
        path=(),
    )
