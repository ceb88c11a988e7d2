"""Users, groups, roles and tenants over HTTP: each within the caller's own tenant."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from weft.api.dependencies import (
    GroupsScope,
    Inside,
    RolesScope,
    TenantsScope,
    UsersScope,
)
from weft.api.edge.idempotency import IdempotencyKey
from weft.api.edge.trail import leaves, leaves_within
from weft.platform.people.administration import Administration
from weft.platform.people.roles import BUILT_IN
from weft.ports.records.people import (
    Group,
    NewGroup,
    NewUser,
    OwnRole,
    User,
    UserChange,
)
from weft.ports.records.standings import Tenant, UserKind

NAME = Field(min_length=1, max_length=100, examples=["ann"])
Name = Annotated[str, NAME]
Names = Annotated[list[Name], Field(max_length=200)]
Password = Annotated[str, Field(max_length=1000)]
InPath = Annotated[str, Path(alias="name", max_length=100, examples=["ann"])]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class UserBody(_Body):
    """A user to be added; a service account has keys and no password."""

    name: Name
    kind: Literal["person", "service"] = "person"
    groups: Names = []
    roles: Names = []
    password: Password = ""


class UserChangeBody(_Body):
    """What changes of a user; an empty password takes the old one away."""

    groups: Names | None = None
    roles: Names | None = None
    disabled: bool | None = None
    password: Password | None = None


class UserShape(BaseModel):
    """A user, with what was given to it directly."""

    name: str
    kind: str
    groups: list[str]
    roles: list[str]
    disabled: bool
    has_password: bool
    created: datetime


class UserList(BaseModel):
    """All users of the tenant, by name."""

    items: list[UserShape]


class GroupBody(_Body):
    """A group to be added; whoever is in it is in the one `within` which it lies too."""

    name: Name
    within: str = Field(default="", max_length=100)
    roles: Names = []


class GroupChangeBody(_Body):
    """What changes of a group; an empty `within` takes it out of the other."""

    within: str | None = Field(default=None, max_length=100)
    roles: Names | None = None


class GroupShape(BaseModel):
    """A group."""

    name: str
    within: str
    roles: list[str]
    created: datetime


class GroupList(BaseModel):
    """All groups of the tenant, by name."""

    items: list[GroupShape]


class PermissionsBody(_Body):
    """What a role permits."""

    permissions: Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=100)]


class RoleBody(PermissionsBody):
    """A role of the tenant's own."""

    name: Name


class RoleShape(BaseModel):
    """A role; a built-in one stays as it is."""

    name: str
    permissions: list[str]
    built_in: bool


class RoleList(BaseModel):
    """The built-in roles, then the tenant's own."""

    items: list[RoleShape]


class TenantBody(_Body):
    """A tenant to be added."""

    name: Name
    title: str = Field(default="", max_length=300)


class TenantShape(BaseModel):
    """A tenant."""

    name: str
    title: str
    created: datetime


class TenantList(BaseModel):
    """All tenants, by name."""

    items: list[TenantShape]


router = APIRouter(prefix="/v1/admin", tags=["administration"])


@router.get("/users", summary="List users")
@leaves("admin.read", "user:*")
async def users(inside: Inside, scope: UsersScope) -> UserList:
    """List the users of the tenant."""
    return UserList(items=[_user(each) for each in await _people(inside).users.listed(scope)])


@router.post("/users", status_code=201, summary="Add a user")
@leaves_within("admin.user.add")
async def add_user(inside: Inside, scope: UsersScope, *, wanted: UserBody) -> UserShape:
    """Add a person or a service account; nobody grants what they may not do themselves."""
    new = NewUser(
        name=wanted.name,
        kind=UserKind(wanted.kind),
        groups=frozenset(wanted.groups),
        roles=frozenset(wanted.roles),
    )
    return _user(await _people(inside).users.add(scope, new, password=wanted.password))


@router.get("/users/{name}", summary="Show a user")
@leaves("admin.read", "user:{name}")
async def user(inside: Inside, scope: UsersScope, *, name: InPath) -> UserShape:
    """Show a user of the tenant."""
    return _user(await _people(inside).users.named(scope, name))


@router.patch("/users/{name}", summary="Change a user")
@leaves_within("admin.user.change")
async def change_user(
    inside: Inside, scope: UsersScope, *, name: InPath, wanted: UserChangeBody
) -> UserShape:
    """Change groups, roles or password, or shut a user out; it holds on the next request."""
    change = UserChange(
        groups=None if wanted.groups is None else frozenset(wanted.groups),
        roles=None if wanted.roles is None else frozenset(wanted.roles),
        is_disabled=wanted.disabled,
    )
    found = await _people(inside).users.change(scope, name, change, password=wanted.password)
    if wanted.password is not None:
        inside.gate.end_all_of(scope.tenant, found.name)
    return _user(found)


@router.delete("/users/{name}", status_code=204, summary="Remove a user")
@leaves_within("admin.user.remove")
async def remove_user(inside: Inside, scope: UsersScope, *, name: InPath) -> Response:
    """Remove a user and its keys; nobody else gets the name."""
    await _people(inside).users.remove(scope, name)
    return Response(status_code=204)


@router.get("/groups", summary="List groups")
@leaves("admin.read", "group:*")
async def groups(inside: Inside, scope: GroupsScope) -> GroupList:
    """List the groups of the tenant."""
    return GroupList(items=[_group(each) for each in await _people(inside).groups.listed(scope)])


@router.post(
    "/groups", status_code=201, summary="Add a group", responses={201: {"model": GroupShape}}
)
@leaves_within("admin.group.add")
async def add_group(
    inside: Inside, scope: GroupsScope, *, wanted: GroupBody, idempotency_key: IdempotencyKey = ""
) -> JSONResponse:
    """Add a group; groups lie within others no deeper than one."""

    async def work() -> GroupShape:
        new = NewGroup(name=wanted.name, within=wanted.within, roles=frozenset(wanted.roles))
        return _group(await _people(inside).groups.add(scope, new))

    asked = f"group {wanted.model_dump_json()}"
    return await inside.idempotency.make(scope, idempotency_key, asked=asked, status=201, work=work)


@router.patch("/groups/{name}", summary="Change a group")
@leaves_within("admin.group.change")
async def change_group(
    inside: Inside, scope: GroupsScope, *, name: InPath, wanted: GroupChangeBody
) -> GroupShape:
    """Change within what a group lies, or its roles."""
    found = await _people(inside).groups.change(
        scope, name, within=wanted.within, roles=wanted.roles
    )
    return _group(found)


@router.delete("/groups/{name}", status_code=204, summary="Remove a group")
@leaves_within("admin.group.remove")
async def remove_group(inside: Inside, scope: GroupsScope, *, name: InPath) -> Response:
    """Remove a group; nobody is in it any more."""
    await _people(inside).groups.remove(scope, name)
    return Response(status_code=204)


@router.get("/roles", summary="List roles")
@leaves("admin.read", "role:*")
async def roles(inside: Inside, scope: RolesScope) -> RoleList:
    """List the built-in roles and the tenant's own."""
    return RoleList(items=[_role(each) for each in await _people(inside).roles.listed(scope)])


@router.post("/roles", status_code=201, summary="Add a role")
@leaves_within("admin.role.keep")
async def add_role(inside: Inside, scope: RolesScope, *, wanted: RoleBody) -> RoleShape:
    """Name permissions as a role of the tenant's own."""
    new = OwnRole(name=wanted.name, permissions=frozenset(wanted.permissions))
    return _role(await _people(inside).roles.keep(scope, new, is_new=True))


@router.patch("/roles/{name}", summary="Change a role")
@leaves_within("admin.role.keep")
async def change_role(
    inside: Inside, scope: RolesScope, *, name: InPath, wanted: PermissionsBody
) -> RoleShape:
    """Change what a role of the tenant's own permits."""
    changed = OwnRole(name=name, permissions=frozenset(wanted.permissions))
    return _role(await _people(inside).roles.keep(scope, changed, is_new=False))


@router.delete("/roles/{name}", status_code=204, summary="Remove a role")
@leaves_within("admin.role.remove")
async def remove_role(inside: Inside, scope: RolesScope, *, name: InPath) -> Response:
    """Remove a role of the tenant's own from all who have it."""
    await _people(inside).roles.remove(scope, name)
    return Response(status_code=204)


@router.get("/tenants", summary="List tenants")
@leaves("admin.read", "tenant:*")
async def tenants(inside: Inside, scope: TenantsScope) -> TenantList:
    """List all tenants; for the owner of the machine."""
    return TenantList(items=[_tenant(each) for each in await _people(inside).tenants.listed(scope)])


@router.post("/tenants", status_code=201, summary="Add a tenant")
@leaves_within("admin.tenant.add")
async def add_tenant(inside: Inside, scope: TenantsScope, *, wanted: TenantBody) -> TenantShape:
    """Add a tenant; its first administrator is added at the machine."""
    return _tenant(await _people(inside).tenants.add(scope, wanted.name, title=wanted.title))


def _people(inside: Inside) -> Administration:
    return inside.host.app.administration


def _user(found: User) -> UserShape:
    return UserShape(
        name=found.name,
        kind=str(found.kind),
        groups=list(found.groups),
        roles=list(found.roles),
        disabled=found.is_disabled,
        has_password=found.has_password,
        created=found.created,
    )


def _group(found: Group) -> GroupShape:
    return GroupShape(
        name=found.name, within=found.within, roles=list(found.roles), created=found.created
    )


def _role(found: OwnRole) -> RoleShape:
    built_in = found.name in BUILT_IN
    return RoleShape(name=found.name, permissions=sorted(found.permissions), built_in=built_in)


def _tenant(found: Tenant) -> TenantShape:
    return TenantShape(name=found.name, title=found.title, created=found.created)
