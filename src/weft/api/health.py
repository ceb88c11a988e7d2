"""Is the process alive, and can it answer?"""

from __future__ import annotations

from fastapi import APIRouter

from weft.api.house import House
from weft.platform.identity import local_owner


def health(house: House) -> APIRouter:
    """Return the routes of health, open to everyone."""
    router = APIRouter(prefix="/health", tags=["health"])

    @router.get("/live")
    async def live() -> dict[str, str]:
        """Say that the process runs."""
        return {"status": "ok"}

    @router.get("/ready")
    async def ready() -> dict[str, object]:
        """Say whether questions can be answered, and what is missing for more."""
        await house.app.library.listed(local_owner())
        notes = house.app.notes
        return {"status": "degraded" if notes else "ready", "reasons": list(notes)}

    return router
