"""Who asks, and what that person may see."""

from __future__ import annotations

from weft.domain.frozen import dataclass

# Whoever may bring in folders of the machine is told where their files lie.
SEES_PLACES = "kb.source"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The rights under which one call is made; only `platform/identity.py` makes one.

    `principals` are the caller's own (`user:ann`, `group:staff`, `tenant:*`). `sources` narrows the
    candidates of a search to these sources or types (lower case); `None` allows all. It never
    changes a statistic. `key_id` is that of the key by which the caller came, empty without one.
    """

    tenant: str
    actor: str
    principals: frozenset[str]
    permissions: frozenset[str]
    sources: frozenset[str] | None = None
    key_id: str = ""
