"""`weft admin explain` and `weft admin permissions`: why somebody may, and what there is to may."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from weft.bases.finding import find
from weft.cli.admin.managing import InTenant, Json, managed, show_rows
from weft.cli.invocation import show_json
from weft.cli.screen import screen
from weft.cli.terminal.tables import say, words
from weft.domain.errors import BadInput, NotFound
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId
from weft.platform.access import PERMISSIONS
from weft.platform.audit import audited
from weft.platform.people.roles import BUILT_IN
from weft.ports.records.audit import Deed

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.domain.scope import Scope
    from weft.platform.people.explanation import AskedAbout, ExplainedRight, Explaining

Who = Annotated[str, typer.Argument(metavar="USER", help="A user's name, or key:ID.")]
Action = Annotated[
    str, typer.Argument(metavar="ACTION", help="A permission, as kb.read (weft admin permissions).")
]
Object = Annotated[str, typer.Argument(metavar="OBJECT", help="kb:NAME, doc:KB/ID or tool:NAME.")]
_RUN = "tool.run"


def explain(
    user: Who, action: Action, target: Object, *, tenant: InTenant = "", as_json: Json = False
) -> None:
    """Say why somebody may do something, or why not."""

    async def asked(opened: App, scope: Scope) -> ExplainedRight:
        from weft.platform.people.explanation import Explaining

        explaining = Explaining(opened.records.people, opened.principals, clock=opened.clock)
        deed = Deed(action="admin.explain", target=f"user:{user[:100]}")
        async with audited(opened.records.audit, scope, deed) as act:
            act.note(asked=action[:100], object=target[:200])
            about = await explaining.who(scope, user)
            return await _Question(opened, scope, explaining, about, action).of(target)

    found = managed(asked, tenant=tenant, as_json=as_json)
    if as_json:
        told = {"user": user, "action": action, "object": target, "allowed": found.allowed}
        show_json({**told, "reason": found.reason, "grounds": list(found.grounds)})
    else:
        console = screen(highlight=False)
        style = "green" if found.allowed else "yellow"
        say(console, f"{'Yes' if found.allowed else 'No'}: {found.reason}", style=style)
        for ground in found.grounds:
            say(console, f"- {ground}")


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked of whose rights."""

    app: App
    scope: Scope
    explaining: Explaining
    about: AskedAbout
    action: str

    async def of(self, target: str) -> ExplainedRight:
        kind, _, name = target.partition(":")
        if not name or kind not in {"kb", "doc", "tool"}:
            raise BadInput(f"'{target[:100]}' is no object; write kb:NAME, doc:KB/ID or tool:NAME.")
        if kind == "tool":
            return await self.of_tool(name)
        return await (self.of_base(name) if kind == "kb" else self.of_document(name))

    async def of_base(self, name: str) -> ExplainedRight:
        base = await find(self.app.records.bases, self.scope, name)
        return await self.explaining.may(self.scope, self.about, self.action, target=base.guard)

    async def of_document(self, name: str) -> ExplainedRight:
        from weft.platform.people.explanation import of_document

        kb, _, key = name.partition("/")
        if not key:
            raise BadInput(f"'doc:{name[:100]}' names no document; write doc:KB/ID.")
        base = await self.of_base(kb)
        store = await self.app.library.named(self.scope, kb)
        # As the one who is asked about, else as the one who asks: nobody's rights are stretched.
        for scope in (self.about.scope, self.scope):
            if scope is not None:
                try:
                    found = await store.documents.document(scope, DocumentId(key))
                except NotFound:
                    continue
                return of_document(self.about, base, acl=found.acl)
        raise NotFound(f"Neither {self.about.name} nor you may read a document {key} in {kb}.")

    async def of_tool(self, name: str) -> ExplainedRight:
        from weft.agents.tools.catalog import EVERY_TOOL
        from weft.platform.manifest import ToolCatalog
        from weft.platform.people.explanation import ExplainedRight

        manifest = ToolCatalog(EVERY_TOOL).find(name).manifest
        run = f"{_RUN}:{name}"
        wanted = [run, *manifest.permissions] if self.action in {_RUN, run} else [self.action]
        parts = [
            await self.explaining.may(self.scope, self.about, one, target=f"tool:{name}")
            for one in wanted
        ]
        refused = [part for part in parts if not part.allowed]
        grounds = tuple(dict.fromkeys(ground for part in parts for ground in part.grounds))
        return ExplainedRight(
            allowed=not refused, reason=(refused or parts)[0].reason, grounds=grounds
        )


def permissions(*, as_json: Json = False) -> None:
    """List every permission there is, what it allows, and which built-in roles have it."""
    rows: list[dict[str, object]] = [
        {
            "permission": code,
            "meaning": meaning,
            "roles": [role for role, codes in BUILT_IN.items() if code in codes],
        }
        for code, meaning in PERMISSIONS.items()
    ]
    columns = [words("permission", whole=True), words("allows"), words("roles")]
    show_rows(rows, columns, as_json=as_json, nothing="")
