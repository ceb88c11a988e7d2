"""What one run remembers of its tool calls, and how often a tenant may call a tool."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from weft.domain.ids import digest
from weft.domain.scope import Scope
from weft.platform.manifest import RateLimit
from weft.ports.clock import Clock

ENTRIES = 100
# What an agent concluded stands under this and the name of its knowledge base.
AGENT_RESULT = "agent_result:"


class SharedMemory:
    """What the agents of one run share: what each concluded, and results of queries.

    Of queries it keeps at most 100, and the longest unused goes first.
    """

    def __init__(self, entries: int = ENTRIES) -> None:
        """Take how many results of queries are kept."""
        self._entries = entries
        self._kept: OrderedDict[str, object] = OrderedDict()
        self._shared: dict[str, object] = {}

    def put(self, key: str, value: object) -> None:
        """Share something with the other agents, in place of what stood there."""
        self._shared[key] = value

    def get(self, key: str) -> object | None:
        """Return what is shared under a key, or None."""
        return self._shared.get(key)

    def get_all_results(self) -> Mapping[str, object]:
        """Return what each agent concluded, by the name of its knowledge base, in their order."""
        return {
            key.removeprefix(AGENT_RESULT): value
            for key, value in sorted(self._shared.items())
            if key.startswith(AGENT_RESULT)
        }

    def recall(self, key: str) -> object | None:
        """Return what is kept under a key, or None."""
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key]

    def keep(self, key: str, value: object) -> None:
        """Keep a result; errors are never to be kept."""
        self._kept[key] = value
        self._kept.move_to_end(key)
        while len(self._kept) > self._entries:
            self._kept.popitem(last=False)

    def __len__(self) -> int:
        """Return how many results are kept."""
        return len(self._kept)


class RateLimiter:
    """A token bucket for each tenant and tool, in this process."""

    def __init__(self, clock: Clock) -> None:
        """Take the clock that fills the buckets."""
        self._clock = clock
        self._buckets: dict[tuple[str, str], tuple[float, float]] = {}

    def take(self, tenant: str, tool: str, *, limit: RateLimit | None) -> bool:
        """Take a token if there is one; always true without a limit."""
        if limit is None:
            return True
        now = self._clock.elapsed()
        left, then = self._buckets.get((tenant, tool), (float(limit.calls), now))
        left = min(float(limit.calls), left + (now - then) * limit.calls / limit.per_s)
        allowed = left >= 1.0
        self._buckets[tenant, tool] = (left - 1.0 if allowed else left, now)
        return allowed


def query_key(
    scope: Scope, tool: str, args: Mapping[str, object], *, knowledge_bases: Iterable[str]
) -> str:
    """Return the key of a query: tool, knowledge bases, canonical arguments, the caller's rights.

    Nothing is lower-cased: two spellings are two queries.
    """
    canonical = json.dumps(args, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    names = json.dumps(sorted(knowledge_bases))
    return digest(tool, names, canonical, scope_fingerprint(scope))


def scope_fingerprint(scope: Scope) -> str:
    """Return a hash of everything that decides what a scope may see."""
    sources = None if scope.sources is None else sorted(scope.sources)
    rights = [sorted(scope.principals), sorted(scope.permissions), sources]
    return digest(scope.tenant, scope.actor, json.dumps(rights))
