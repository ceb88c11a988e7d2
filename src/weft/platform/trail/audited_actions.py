"""Everything that the audit log calls an action: one table, from which the reference is made."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from weft.domain.frozen import dataclass


class Effect(StrEnum):
    """What an action does to its target."""

    CREATE = "create"
    READ = "read"
    UPDATE = "update"
    DELETE = "delete"
    LOGIN = "login"
    LOGOUT = "logout"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedAction:
    """What an action is, and what it does."""

    says: str
    effect: Effect


def _of(says: str, effect: Effect) -> AuditedAction:
    return AuditedAction(says=says, effect=effect)


_KNOWLEDGE: Mapping[str, AuditedAction] = {
    "ask": _of("a question was given to a flow, which answers as a run", Effect.READ),
    "ask.queue": _of("a question was put in line, to be answered as a job", Effect.CREATE),
    "search": _of("passages were searched for", Effect.READ),
    "suggest": _of("questions were suggested from documents", Effect.READ),
    "embed": _of("texts of the caller's were turned into vectors", Effect.READ),
    "document.list": _of("documents were listed", Effect.READ),
    "document.read": _of("a document was opened with its text, chunks and claims", Effect.READ),
    "document.add": _of("files, records or a source were handed over", Effect.CREATE),
    "document.change": _of("a document's readers, metadata or title were changed", Effect.UPDATE),
    "document.delete": _of("a document was taken back", Effect.DELETE),
    "source.sync": _of("a knowledge base was brought in step with a source", Effect.UPDATE),
    "graph.read": _of("documents, entities and what joins them were shown", Effect.READ),
    "kb.list": _of("knowledge bases were listed", Effect.READ),
    "kb.read": _of("a knowledge base was shown or counted", Effect.READ),
    "kb.ledger": _of("the ledger of a knowledge base was read", Effect.READ),
    "kb.create": _of("a knowledge base was made or attached", Effect.CREATE),
    "kb.change": _of("a knowledge base's title, sharing or indexes changed", Effect.UPDATE),
    "kb.reindex": _of("a knowledge base was made anew from its files", Effect.UPDATE),
    "kb.copy": _of("a knowledge base was copied", Effect.READ),
    "kb.export": _of("all of a knowledge base was written out", Effect.READ),
    "kb.drop": _of("a knowledge base was removed", Effect.DELETE),
}
_OUTSIDE: Mapping[str, AuditedAction] = {
    "fetch": _of("something was asked of an address outside", Effect.OTHER),
}
_RUNS: Mapping[str, AuditedAction] = {
    "run.list": _of("runs were listed", Effect.READ),
    "run.read": _of("a run, its events or its trace were shown", Effect.READ),
    "run.replay": _of("a run was gone through once more and compared", Effect.READ),
    "run.cancel": _of("a run or an ingestion was ended", Effect.UPDATE),
    "run.pause": _of("a run or an ingestion was made to stand still", Effect.UPDATE),
    "run.resume": _of("a run or an ingestion went on", Effect.UPDATE),
    "run.budget": _of("a run was given more to spend", Effect.UPDATE),
    "schedule.add": _of("a source was to be brought in step again and again", Effect.CREATE),
    "schedule.list": _of("schedules were listed", Effect.READ),
    "schedule.change": _of("a schedule was paused or went on", Effect.UPDATE),
    "schedule.remove": _of("a schedule was removed", Effect.DELETE),
    "tool.run": _of("a tool was called, or its call was refused", Effect.OTHER),
    "policy.violation": _of("a text broke a rule of the policy", Effect.OTHER),
    "session.create": _of("a session was opened", Effect.CREATE),
    "conversation.list": _of("conversations were listed", Effect.READ),
    "conversation.read": _of("a conversation or its messages were read", Effect.READ),
    "conversation.create": _of("a conversation was begun", Effect.CREATE),
    "conversation.change": _of("a conversation was given another title", Effect.UPDATE),
    "conversation.delete": _of("conversations were erased with their runs", Effect.DELETE),
}
_IDENTITY: Mapping[str, AuditedAction] = {
    "admin.tenant.add": _of("a tenant was made", Effect.CREATE),
    "admin.user.add": _of("a user or a service account was made", Effect.CREATE),
    "admin.user.change": _of("a user's groups, roles, password or state changed", Effect.UPDATE),
    "admin.user.remove": _of("a user was removed", Effect.DELETE),
    "admin.user.link": _of("a link to sign in by was made for a user", Effect.CREATE),
    "admin.group.add": _of("a group was made", Effect.CREATE),
    "admin.group.change": _of("a group's place or roles were changed", Effect.UPDATE),
    "admin.group.remove": _of("a group was removed", Effect.DELETE),
    "admin.role.keep": _of("a role was made or changed", Effect.UPDATE),
    "admin.role.remove": _of("a role was removed", Effect.DELETE),
    "admin.key.add": _of("an API key was made", Effect.CREATE),
    "admin.key.revoke": _of("an API key was revoked", Effect.DELETE),
    "admin.read": _of("users, groups, roles, keys or tenants were shown", Effect.READ),
    "admin.explain": _of("it was asked why somebody may or may not do something", Effect.READ),
    "session.sign_in": _of("somebody signed in, or tried to", Effect.LOGIN),
    "session.sign_out": _of("somebody signed out", Effect.LOGOUT),
}
_LOG: Mapping[str, AuditedAction] = {
    "usage.read": _of("what the tenant used was read", Effect.READ),
    "audit.list": _of("the audit log was searched", Effect.READ),
    "audit.verify": _of("the audit log was verified", Effect.READ),
    "audit.export": _of("the audit log was exported", Effect.READ),
    "audit.head": _of("the head of the audit log was taken out", Effect.READ),
    "access.denied": _of("something was refused that has no name here", Effect.OTHER),
}
ACTIONS: Mapping[str, AuditedAction] = {**_KNOWLEDGE, **_OUTSIDE, **_RUNS, **_IDENTITY, **_LOG}
