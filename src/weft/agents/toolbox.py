"""The tools of one role at work: every call goes through the dispatcher, whoever makes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from weft.agents.evidence import EvidenceBook
from weft.domain.errors import Forbidden
from weft.domain.notes import note
from weft.platform.tools import CallContext, Dispatcher
from weft.ports.records.tape import Tape
from weft.ports.records.tool_runs import ToolOutcome, ToolStatus

_FAILED = (ToolStatus.ERROR, ToolStatus.TIMEOUT)


class RuleTools(Protocol):
    """The tools of a role as a rule calls them."""

    async def use(self, tool: str, **args: object) -> Mapping[str, Any]:
        """Return a tool's reply; an empty one where it failed."""
        ...


class Toolbox:
    """Calls tools for one role and takes what they give into the run's evidence.

    `path` names the node and, below it, who works there, so that the actions of two are told apart.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        call: CallContext,
        *,
        book: EvidenceBook,
        tape: Tape,
        path: str,
    ) -> None:
        """Take the dispatcher, the run that calls, and where its evidence and replies go."""
        self.dispatcher = dispatcher
        self.run = call
        self.book = book
        self.tape = tape
        self.path = path
        self.trouble: list[str] = []
        self._calls: dict[str, int] = {}

    def below(self, name: str) -> Toolbox:
        """Return the same tools for somebody else at this node."""
        path = f"{self.path}/{name}"
        return Toolbox(self.dispatcher, self.run, book=self.book, tape=self.tape, path=path)

    async def call(
        self, tool: str, args: Mapping[str, object], *, call_id: str = ""
    ) -> ToolOutcome:
        """Call a tool and return what came of it; what failed is noted under `trouble`.

        `call_id` is the caller's name of the call; a model may give two calls the same.
        """
        name = call_id or tool
        self._calls[name] = again = self._calls.get(name, 0) + 1
        action = f"{self.path}/{name}" + (f"#{again}" if again > 1 else "")
        outcome = await self.dispatcher.call(self.run, tool, args=args, action_id=action)
        if outcome.status is ToolStatus.OK:
            self.book.take_in(outcome.output)
        elif outcome.status in _FAILED or _is_kept_in(outcome):
            self.trouble.append(_told(tool, outcome.output))
        return outcome

    async def summary(self, tool: str) -> str:
        """Return what a tool can be used on in this run, in words; empty where it does not say."""
        told = self.run.summaries.get(tool)
        said = await told() if told is not None else ""
        if said:
            self.run.taint.take()
        return said

    async def use(self, tool: str, **args: object) -> Mapping[str, Any]:
        """Return a tool's reply; an empty one where it failed."""
        outcome = await self.call(tool, args)
        output = outcome.output
        is_reply = outcome.status is ToolStatus.OK and isinstance(output, Mapping)
        return output if is_reply and isinstance(output, Mapping) else {}


def _is_kept_in(outcome: ToolOutcome) -> bool:
    output = outcome.output
    return isinstance(output, Mapping) and output.get("error") == Forbidden.code


def _told(tool: str, output: object) -> str:
    message = output.get("message", "") if isinstance(output, Mapping) else ""
    return note("tool_failed", tool=tool, reason=message or "no reason given")
