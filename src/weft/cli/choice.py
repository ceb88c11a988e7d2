"""Which knowledge base a verb means: a name, a folder, or the default one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from weft.domain.errors import UnknownKnowledgeBase

if TYPE_CHECKING:
    from weft.bootstrap import App
    from weft.domain.scope import Scope
    from weft.ports.store import Store


async def chosen(app: App, scope: Scope, given: str) -> Store:
    """Return the knowledge base that a name or a folder means; without either the default one."""
    from weft.ingest.library import DEFAULT

    if not given:
        return await _default(app, scope, DEFAULT)
    try:
        return await app.library.named(scope, given)
    except UnknownKnowledgeBase:
        folder = _there(given)
        if folder is None:
            raise UnknownKnowledgeBase(
                f"There is no knowledge base '{given}', and no folder of that name.", name=given
            ) from None
        try:
            return await app.library.of_folder(scope, folder)
        except UnknownKnowledgeBase:
            raise UnknownKnowledgeBase(
                f"Nothing was read from '{given}' yet; run: weft ingest {given}", name=given
            ) from None


def _there(given: str) -> Path | None:
    folder = Path(given).expanduser()
    return folder if folder.exists() else None


async def _default(app: App, scope: Scope, name: str) -> Store:
    try:
        return await app.library.named(scope, name)
    except UnknownKnowledgeBase:
        raise UnknownKnowledgeBase(
            'There is no default knowledge base yet. Ask a folder (weft ask FOLDER "..."), name '
            f"one (--kb NAME), or fill the default one (weft ingest PATH --kb {name})."
        ) from None
