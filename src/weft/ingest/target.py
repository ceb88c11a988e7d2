"""What a run over a source works on, and with what."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import field

from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId
from weft.domain.scope import Scope
from weft.ingest.persistence import RetryRule
from weft.ingest.progress import Watch
from weft.ingest.sources.plan import FileTask
from weft.ingest.tools import Tools
from weft.ports.holdings import Holdings
from weft.ports.ledger import Ledger
from weft.ports.publishing import Publishing


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The knowledge base that is brought in step, by the ports that do it."""

    publishing: Publishing
    holdings: Holdings
    ledger: Ledger


Forget = Callable[[Sequence[DocumentId]], Awaitable[None]]
Keep = Callable[[FileTask], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncDeps:
    """What a run works with: whose rights, which base, which tools, and who watches it.

    `forget` is told of documents that were deleted, so that what was said of them goes too;
    `keep` is given files that were read, so that they can be shown later. Of what fails and may
    pass, `retries` says how often it is tried.
    """

    scope: Scope
    target: Target
    tools: Tools
    watch: Watch
    forget: Forget
    keep: Keep
    retries: RetryRule = field(default_factory=RetryRule)
