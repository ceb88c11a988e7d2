"""The tree of errors: the class is the case, its docstring the message, `code` the stable name."""

from __future__ import annotations

from typing import ClassVar


class WeftError(Exception):
    """Something went wrong in Weft."""

    code: ClassVar[str] = "weft_error"
    # 1 is no error: the verbs that ask end with it where nothing answers.
    exit_code: ClassVar[int] = 9

    def __init__(self, message: str | None = None, **fields: object) -> None:
        """Take the message (by default the docstring's first line) and the case's data."""
        self.message = message or (type(self).__doc__ or "").strip().splitlines()[0]
        self.fields = fields
        super().__init__(self.message)


class BadInput(WeftError):
    """The input is not valid."""

    code = "bad_input"
    exit_code = 2


class ConfigurationError(BadInput):
    """A setting has a value that cannot be used."""

    code = "bad_configuration"


class UnknownKnowledgeBase(BadInput):
    """There is no such knowledge base."""

    code = "unknown_knowledge_base"


class KnowledgeBaseExists(BadInput):
    """A knowledge base of that name is there already."""

    code = "knowledge_base_exists"


class NotFound(WeftError):
    """There is nothing of that name here that you may see."""

    code = "not_found"
    exit_code = 3


class RunSuspended(WeftError):
    """The run stands still until somebody goes on with it."""

    code = "run_suspended"
    exit_code = 5


class Unauthenticated(WeftError):
    """A valid token is needed."""

    code = "unauthenticated"
    exit_code = 4


class Forbidden(WeftError):
    """You may not do that."""

    code = "forbidden"
    exit_code = 4


class FetchRefused(Forbidden):
    """That address may not be fetched."""

    code = "fetch_refused"


class FetchFailed(WeftError):
    """The other server gave no reply that can be used."""

    code = "fetch_failed"


class VersionConflict(WeftError):
    """The document was changed by someone else in the meantime."""

    code = "version_conflict"
    exit_code = 5


class FenceRefused(WeftError):
    """A newer worker has taken this work over."""

    code = "fence_refused"
    exit_code = 5


class MadeAlready(WeftError):
    """It was made already under that Idempotency-Key; what was shown once is not shown again."""

    code = "made_already"


class IndexMismatch(WeftError):
    """The index was made with other settings; run `weft kb reindex`."""

    code = "index_mismatch"
    exit_code = 6


class StoreUnavailable(WeftError):
    """The store does not answer."""

    code = "store_unavailable"
    exit_code = 7


class StoreCorrupt(StoreUnavailable):
    """The store's file is damaged."""

    code = "store_corrupt"


class StoreUnwritable(StoreUnavailable):
    """The store's disk is full, or may not be written to."""

    code = "store_unwritable"


class ModelUnavailable(WeftError):
    """The model does not answer."""

    code = "model_unavailable"
    exit_code = 8


class WeightsMissing(ModelUnavailable):
    """The weights of the local embedding model are not installed; run `weft model install`."""

    code = "weights_missing"


class BadModelReply(WeftError):
    """The model's reply does not have the form it was asked for."""

    code = "bad_model_reply"
    exit_code = 8


class UnreadableFile(WeftError):
    """The file could not be read."""

    code = "unreadable_file"


class InUse(UnreadableFile):
    """Something else has the file open and lets nobody read it for now."""

    code = "in_use"


class InvalidFlow(BadInput):
    """The flow is not valid."""

    code = "invalid_flow"


class NodeFailed(WeftError):
    """A step of the flow failed."""

    code = "node_failed"


class BudgetExceeded(WeftError):
    """The run's budget is used up."""

    code = "budget_exceeded"


class TooManyRequests(WeftError):
    """Too much is going on already; try again in a moment."""

    code = "too_many_requests"


class Cancelled(WeftError):
    """The run was cancelled."""

    code = "cancelled"
    exit_code = 130


class NotOnTape(WeftError):
    """The tape of the run has no reply to what its replay asks."""

    code = "not_on_tape"


class InvalidToolCall(BadInput):
    """The tool was called with arguments that its manifest does not allow."""

    code = "invalid_tool_call"


class PolicyViolation(WeftError):
    """The policy does not allow this."""

    code = "policy_violation"


class AuditBroken(WeftError):
    """The audit chain does not verify."""

    code = "audit_broken"
