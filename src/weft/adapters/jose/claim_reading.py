"""What a token whose signature is good says, and whether it says it to us and now."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from weft.adapters.jose.refusals import TokenFault, refused
from weft.domain.acl import checked
from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.platform.identity import LOCAL_TENANT, OWNER_NAME
from weft.ports.tokens import BearerClaims

# Seconds that two machines' clocks may be apart.
LEEWAY = 30.0
_LONGEST_NAME = 255
_MOST_GROUPS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRules:
    """Whose tokens are accepted, for whom, and what their claims mean here.

    `tenant` holds where `tenant_claim` is empty; where it is not, the claim must be there.
    """

    issuer: str
    audience: str
    tenant: str
    tenant_claim: str = ""
    groups_claim: str = ""


def read_claims(said: Mapping[str, Any], rules: TokenRules, *, now: datetime) -> BearerClaims:
    """Return what is vouched for, or raise `Unauthenticated` with the reason."""
    if said.get("iss") != rules.issuer:
        raise refused(TokenFault.ISSUER)
    if rules.audience not in _audiences(said.get("aud")):
        raise refused(TokenFault.AUDIENCE)
    expires = _expiry(said, now.timestamp())
    subject = _name(said.get("sub"), TokenFault.SUBJECT)
    tenant = rules.tenant
    if rules.tenant_claim:
        tenant = _name(said.get(rules.tenant_claim), TokenFault.TENANT)
    if (tenant, subject) == (LOCAL_TENANT, OWNER_NAME):
        # The owner of this machine needs no token, and no issuer can make somebody that owner.
        raise refused(TokenFault.SUBJECT)
    return BearerClaims(
        issuer=rules.issuer,
        subject=subject,
        tenant=tenant,
        groups=_groups(said.get(rules.groups_claim, [])) if rules.groups_claim else frozenset(),
        expires=expires,
        name=_shown(said.get("name")),
        email=_shown(said.get("email")),
    )


def _audiences(aud: object) -> list[object]:
    return aud if isinstance(aud, list) else [aud]


def _expiry(said: Mapping[str, Any], now: float) -> datetime:
    """Return when a token ends, having seen that it is valid now."""
    if _time(said.get("exp")) <= now - LEEWAY:
        raise refused(TokenFault.EXPIRED)
    for begin in ("nbf", "iat"):
        if begin in said and _time(said[begin]) > now + LEEWAY:
            raise refused(TokenFault.EARLY)
    try:
        return datetime.fromtimestamp(_time(said["exp"]), UTC)
    except (OverflowError, OSError, ValueError) as error:
        raise refused(TokenFault.CLAIMS) from error


def _time(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refused(TokenFault.CLAIMS)
    try:
        return float(value)
    except OverflowError as error:
        raise refused(TokenFault.CLAIMS) from error


def _name(value: object, fault: TokenFault) -> str:
    """Return a name by which somebody or something is known here."""
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_NAME:
        raise refused(fault)
    if not value.isprintable() or value != value.strip():
        raise refused(fault)
    return value


def _groups(value: object) -> frozenset[str]:
    """Return the groups that may stand in an ACL; a name that may not gives no right."""
    if not isinstance(value, list) or len(value) > _MOST_GROUPS:
        raise refused(TokenFault.GROUPS)
    if not all(isinstance(each, str) for each in value):
        raise refused(TokenFault.GROUPS)
    return frozenset(each for each in value if _is_group(each))


def _is_group(name: str) -> bool:
    if not 0 < len(name) <= _LONGEST_NAME or not name.isprintable():
        return False
    try:
        checked(f"group:{name}")
    except BadInput:
        return False
    return True


def _shown(value: object) -> str:
    """Return a name or address that is only shown, empty where it cannot be."""
    is_fit = isinstance(value, str) and len(value) <= _LONGEST_NAME and value.isprintable()
    return str(value) if is_fit else ""
