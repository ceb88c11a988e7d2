"""What reads documents and derives from them, named before any of it is loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Protocol

from weft.domain.frozen import dataclass
from weft.domain.ids import digest
from weft.domain.patch import DocumentCaps
from weft.extraction.version import VERSION as EXTRACT
from weft.index.local_facts import VERSION as FACTS
from weft.ingest.splitting.settings import VERSION as SPLIT
from weft.ingest.splitting.settings import SplitSettings
from weft.language.terms import VERSION as TERMS
from weft.ports.embedder import Embedder
from weft.ports.reader import Reader

if TYPE_CHECKING:
    from weft.extraction.ladder.ladder import DocumentDraft, Extracted

_PICTURES = (".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff")


class Climb(Protocol):
    """What finds mentions and claims in a document: a ladder, or what will load one."""

    @property
    def version(self) -> str:
        """Return what the facts of a document depend on beside its text."""
        ...

    async def climb(self, draft: DocumentDraft) -> Extracted:
        """Fill a draft and return what it accepted."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """All that reads and derives; another version of any of them gives another patch.

    `pictures` is the version of what reads pictures of pages, empty where nothing does: it counts
    for files that may hold some, and for no others. `ladders` gives the ladder of a knowledge base
    by what that was made with; without it, all have the same.
    """

    reader: Reader
    embedder: Embedder | None
    ladder: Climb
    splitting: SplitSettings
    caps: DocumentCaps = field(default_factory=DocumentCaps)
    pictures: str = ""
    ladders: Callable[[Mapping[str, str]], Climb] | None = None

    def of(self, made_with: Mapping[str, str]) -> Tools:
        """Return the tools for a knowledge base."""
        return self if self.ladders is None else replace(self, ladder=self.ladders(made_with))

    @property
    def version(self) -> str:
        """Return the version of all tools together."""
        embedder = "none" if self.embedder is None else self.embedder.fingerprint
        size = f"{self.splitting.chunk_tokens}/{self.splitting.overlap}"
        own = (self.reader.version, SPLIT, size, TERMS, FACTS, EXTRACT, self.ladder.version)
        return digest(*own, embedder, repr(self.caps))

    def version_for(self, path: str) -> str:
        """Return the version of all that may read and derive from a file of that path."""
        return self.versions()(path)

    def versions(self) -> Callable[[str], str]:
        """Return what gives `version_for` for many paths, as all stands now."""
        plain = self.version
        pictured = digest(plain, self.pictures) if self.pictures else plain
        return lambda path: pictured if path.casefold().endswith(_PICTURES) else plain
