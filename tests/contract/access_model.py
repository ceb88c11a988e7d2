"""Who may see and do what, said in forty lines of sets: what the product is compared with."""

from __future__ import annotations

from dataclasses import dataclass, field

FAMILIES = ("tool.run:", "admin.")
ASKING = {"ask", "kb.read", "run.read", "tool.run:*"}
ROLES = {
    "admin": ASKING | {"kb.write", "kb.admin", "kb.drop", "job.manage", "audit.read", "admin.*"},
    "curator": ASKING | {"kb.write", "kb.admin"},
    "developer": ASKING | {"kb.write"},
    "user": ASKING,
    "auditor": {"audit.read"},
}


def covers(held: set[str], action: str) -> bool:
    """Tell whether permissions cover an action."""
    return action in held or any(action.startswith(one) and f"{one}*" in held for one in FAMILIES)


@dataclass
class Member:
    """A user: groups, roles, and whether the door is shut."""

    groups: set[str] = field(default_factory=set)
    roles: set[str] = field(default_factory=set)
    is_disabled: bool = False


@dataclass
class Held:
    """A key: whose it is, what it is limited to, at which hour it ends, whether it was revoked."""

    user: str
    scopes: set[str]
    ends: int | None
    is_revoked: bool = False


@dataclass
class Model:
    """A tenant as sets."""

    members: dict[str, Member] = field(default_factory=dict)
    within: dict[str, str] = field(default_factory=dict)
    group_roles: dict[str, set[str]] = field(default_factory=dict)
    own: dict[str, set[str]] = field(default_factory=dict)
    keys: dict[str, Held] = field(default_factory=dict)
    bases: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    papers: dict[str, tuple[str, set[str]]] = field(default_factory=dict)
    hour: int = 0

    def is_known(self, who: str) -> bool:
        """Tell whether a user or a key opens the door at all."""
        key = self.keys.get(who)
        if key is None:
            return not self.members[who].is_disabled
        over = key.ends is not None and key.ends <= self.hour
        return not (key.is_revoked or over) and self.is_known(key.user)

    def groups(self, user: str) -> set[str]:
        """Return the groups of a user, those round them too."""
        direct = self.members[user].groups
        return direct | {self.within[one] for one in direct if self.within[one]}

    def principals(self, who: str) -> set[str]:
        """Return what a user, or whoever holds a key, answers to."""
        user = self.keys[who].user if who in self.keys else who
        return {"tenant:*", f"user:{user}", *(f"group:{one}" for one in self.groups(user))}

    def may(self, who: str, action: str) -> bool:
        """Tell whether a user or a key has a permission, whatever it is used on."""
        if key := self.keys.get(who):
            return self.may(key.user, action) and (not key.scopes or covers(key.scopes, action))
        roles = self.members[who].roles.union(*(self.group_roles[g] for g in self.groups(who)))
        held = set().union(*(ROLES.get(one) or self.own.get(one, set()) for one in roles))
        return covers(held, action)

    def is_open(self, who: str, base: str, action: str, then: set[str] | None = None) -> bool:
        """Tell whether a base is open to somebody, who was `then` known by these names."""
        lists = {"kb.read": ("readers", "writers", "admins"), "kb.write": ("writers", "admins")}
        named = set().union(*(self.bases[base][one] for one in lists.get(action, ("admins",))))
        managing = action == "kb.admin" and self.may(who, "admin.bases")
        own = self.principals(who)
        return managing or bool(named & (own if then is None else own & then))

    def is_seen(self, who: str, base: str) -> bool:
        """Tell whether somebody knows that a knowledge base is there."""
        return self.is_open(who, base, "kb.read") or self.is_open(who, base, "kb.admin")

    def readable(self, who: str, base: str) -> set[str]:
        """Return the documents of a knowledge base that somebody sees."""
        own = self.principals(who)
        return {name for name, (where, acl) in self.papers.items() if where == base and acl & own}
