"""Signing in: a name and a password, checked at the same cost whether there is one or not."""

from __future__ import annotations

from weft.platform.audit import audited
from weft.platform.identity import principal_scope
from weft.platform.people.principals import Principals
from weft.ports.passwords import Passwords
from weft.ports.records.audit import Audit, Deed
from weft.ports.records.standings import UserKind


class SigningIn:
    """Lets people in by password."""

    def __init__(self, principals: Principals, *, passwords: Passwords, audit: Audit) -> None:
        """Take who there is, how passwords are kept, and the log."""
        self._principals = principals
        self._passwords = passwords
        self._audit = audit

    async def is_let_in(self, tenant: str, name: str, *, password: str) -> bool:
        """Tell whether a person's password is right; of a known name it is a row of the log."""
        found = await self._principals.standing(tenant, name)
        person = found is not None and found.kind is UserKind.PERSON and not found.is_disabled
        kept = found.password if found is not None and person else ""
        right = await self._passwords.matches(kept, password)
        if found is None:
            return False
        who = principal_scope(tenant=tenant, actor=f"user:{found.name}", groups=(), permissions=())
        deed = Deed(action="session.sign_in", target=f"user:{found.name}")
        async with audited(self._audit, who, deed) as act:
            if not right:
                act.deny("not let in")
        return right
