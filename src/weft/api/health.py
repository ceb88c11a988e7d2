"""Is the process alive, and can it answer?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fastapi import APIRouter, Response

from weft.api.house import House
from weft.domain.readiness import Readiness, State
from weft.ingest.readiness import readiness
from weft.platform.identity import local_owner

RETRY_SECONDS = "5"


def health(house: House) -> APIRouter:
    """Return the routes of health, open to everyone."""
    router = APIRouter(prefix="/health", tags=["health"])

    @router.get("/live")
    async def live() -> dict[str, str]:
        """Say that the process runs."""
        return {"status": "ok"}

    @router.get("/ready")
    async def ready(response: Response) -> dict[str, object]:
        """Say whether questions can be answered, and what is missing for more.

        Everyone may ask, so knowledge bases are counted and not named; `weft doctor` names them.
        """
        found = await readiness(house.app.library, local_owner())
        counts = Counter(each.state for each in found)
        reasons = [*house.app.notes, *_reasons(found)]
        state = State.DEGRADED if reasons else State.READY
        if found and counts[State.BLOCKED] == len(found):
            state = State.BLOCKED
            response.status_code = 503
            response.headers["Retry-After"] = RETRY_SECONDS
        return {
            "status": state,
            "reasons": reasons,
            "knowledge_bases": {each.value: counts[each] for each in State},
        }

    return router


def _reasons(found: Sequence[Readiness]) -> list[str]:
    """Return in words how many knowledge bases are not ready, by the names of the errors."""
    kinds = Counter(
        (each.state, ", ".join(each.codes)) for each in found if each.state is not State.READY
    )
    return [f"{count} {state}: {codes}" for (state, codes), count in sorted(kinds.items())]
