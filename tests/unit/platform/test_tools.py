from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from rag_world import MemoryAudit, MemoryToolRuns, StillClock
from weft.domain.errors import BadInput, BudgetExceeded, NotFound, StoreUnavailable
from weft.domain.event import EventType
from weft.domain.ids import RunId
from weft.domain.outside.written import fields_of
from weft.domain.scope import Scope
from weft.platform.identity import local_owner, narrow, principal_scope
from weft.platform.manifest import (
    Execution,
    RateLimit,
    SideEffects,
    ToolCatalog,
    ToolManifest,
    read_manifest,
)
from weft.platform.memory import SharedMemory, query_key, scope_fingerprint
from weft.platform.policy import OpenPolicy
from weft.platform.taint import Taint
from weft.platform.tools import CallContext, Dispatcher, DispatcherDeps
from weft.ports.records.audit import Audit
from weft.ports.records.tape import TapeEntry, TapeKind
from weft.ports.records.tool_runs import ToolRuns, ToolStatus

pytestmark = pytest.mark.anyio
ECHO = ToolManifest(
    name="echo",
    version="1",
    description="Say it again.",
    input_schema={
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": False,
    },
    output_schema={"type": "object", "properties": {"text": {"type": "string"}}},
    timeout_ms=50,
    audit_tags=("test",),
)
WRITE = replace(ECHO, name="write", side_effects=SideEffects.WRITE)


@dataclass
class Bench:
    """A dispatcher with its records, and a tool that does what the test says."""

    manifests: tuple[ToolManifest, ...] = (ECHO, WRITE)
    scope: Scope = field(default_factory=local_owner)
    does: Any = None
    reserved: int = 0
    settled: int = 0
    ran: int = 0

    def __post_init__(self) -> None:
        self.clock, self.tool_runs, self.audit = StillClock(), MemoryToolRuns(), MemoryAudit()
        self.events: list[tuple[EventType, Mapping[str, object]]] = []
        self.dispatcher = Dispatcher(
            DispatcherDeps(
                catalog=ToolCatalog(self.manifests),
                policy=OpenPolicy(),
                tool_runs=cast(ToolRuns, self.tool_runs),
                audit=cast(Audit, self.audit),
                clock=self.clock,
            )
        )
        self.context = CallContext(
            run_id=RunId("r1"),
            scope=self.scope,
            knowledge_bases=("docs",),
            handlers={manifest.name: self.handle for manifest in self.manifests},
            emit=lambda kind, data: self.events.append((kind, data)),
            reserve=self.reserve,
        )

    async def handle(self, args: Mapping[str, Any]) -> object:
        self.ran += 1
        return await self.does(args) if self.does else {"text": args["text"]}

    def reserve(self) -> Any:
        self.reserved += 1

        def settle() -> None:
            self.settled += 1

        return settle

    async def call(self, tool: str = "echo", action: str = "a1", **args: Any) -> Any:
        args = args or {"text": "hello"}
        return await self.dispatcher.call(self.context, tool, args=args, action_id=action)


async def test_a_call_is_checked_budgeted_audited_recorded_and_told() -> None:
    bench = Bench()
    outcome = await bench.call()
    assert (outcome.status, outcome.output) == (ToolStatus.OK, {"text": "hello"})
    assert (bench.reserved, bench.settled) == (1, 1)
    assert [(e.phase.value, e.decision.value) for e in bench.audit.audited] == [
        ("intent", "pending"), ("outcome", "ok"),
    ]  # fmt: skip
    deed = bench.audit.audited[0].deed
    assert (deed.action, deed.target) == ("tool.run", "tool:echo")
    assert deed.meta["tags"] == ["test"]
    run = bench.tool_runs.calls[RunId("r1"), "a1"]
    assert run.outcome == outcome
    assert [kind for kind, _ in bench.events] == [
        EventType.TOOL_REQUESTED, EventType.TOOL_FINISHED,
    ]  # fmt: skip


@pytest.mark.parametrize("args", [{"text": 1}, {"other": "x"}, {"text": "x", "more": 1}])
async def test_arguments_out_of_form_are_rejected_before_anything(args: dict[str, Any]) -> None:
    bench = Bench()
    outcome = await bench.call(**args)
    assert outcome.status is ToolStatus.REJECTED
    assert outcome.output["error"] == "invalid_tool_call"
    # The one row says that it was refused.
    assert (bench.ran, bench.reserved, len(bench.audit.audited)) == (0, 0, 1)


async def test_an_unknown_tool_is_rejected() -> None:
    assert (await Bench().call("nothing")).output["error"] == "not_found"


@pytest.mark.parametrize("granted", [(), ("tool.run:other",), ("ask", "kb.read")])
async def test_without_the_permission_the_tool_does_not_run(granted: tuple[str, ...]) -> None:
    scope = principal_scope(tenant="t", actor="user:ann", groups=(), permissions=granted)
    bench = Bench(scope=scope)
    assert (await bench.call()).output["error"] == "forbidden"
    assert bench.ran == 0


async def test_the_permission_for_one_tool_is_enough_and_others_may_be_asked() -> None:
    scope = principal_scope(tenant="t", actor="user:ann", groups=(), permissions=("tool.run:echo",))
    assert (await Bench(scope=scope).call()).status is ToolStatus.OK
    more = replace(ECHO, permissions=("kb.read",))
    outcome = await Bench(manifests=(more,), scope=scope).call()
    assert outcome.output["error"] == "forbidden"


async def test_a_slow_tool_times_out() -> None:
    async def sleep(args: object) -> object:
        await asyncio.sleep(5)
        return {}

    bench = Bench(does=sleep)
    assert (await bench.call()).status is ToolStatus.TIMEOUT
    assert bench.settled == 1


async def test_a_result_of_another_form_is_an_error() -> None:
    async def wrong(args: object) -> object:
        return {"text": 5}

    assert (await Bench(does=wrong).call()).status is ToolStatus.ERROR


async def test_a_tools_own_refusal_is_an_outcome_and_never_kept() -> None:
    async def refuse(args: object) -> object:
        raise BadInput("not like that")

    bench = Bench(does=refuse)
    first = await bench.call(action="a1")
    await bench.call(action="a2")
    assert first.output == {"error": "bad_input", "message": "not like that"}
    assert bench.ran == 2
    assert len(bench.context.memory) == 0


async def test_a_store_that_is_down_is_raised_and_audited() -> None:
    async def fail(args: object) -> object:
        raise StoreUnavailable

    bench = Bench(does=fail)
    with pytest.raises(StoreUnavailable):
        await bench.call()
    assert bench.audit.audited[-1].decision.value == "failed"
    assert bench.settled == 1


async def test_the_same_action_never_runs_twice() -> None:
    bench = Bench()
    first = await bench.call("write")
    assert await bench.call("write") == first
    assert bench.ran == 1


async def test_a_write_whose_end_is_not_known_is_not_repeated_but_a_read_is() -> None:
    for tool, runs in (("write", 1), ("echo", 2)):
        bench = Bench()
        await bench.call(tool)
        key = (RunId("r1"), "a1")
        bench.tool_runs.calls[key] = replace(bench.tool_runs.calls[key], outcome=None)
        bench.context = replace(bench.context, memory=SharedMemory())
        outcome = await bench.call(tool)
        assert bench.ran == runs
        assert (outcome.status is ToolStatus.OK) == (tool == "echo")


async def test_the_same_query_is_asked_once_a_run_and_a_write_every_time() -> None:
    bench = Bench()
    bench.context = replace(bench.context, taint=Taint(["x"]))
    await bench.call(action="a1", text="x")
    await bench.call(action="a2", text="x")
    await bench.call(action="a3", text="X")
    assert bench.ran == 2
    assert [data.get("cached") for kind, data in bench.events if "cached" in data] == [
        False, True, False,
    ]  # fmt: skip
    await bench.call("write", action="b1", text="x")
    await bench.call("write", action="b2", text="x")
    assert bench.ran == 4


async def test_what_was_read_is_not_written_and_what_was_written_before_has_its_reply() -> None:
    bench = Bench()
    assert (await bench.call("write", action="b1", text="secret")).status is ToolStatus.OK
    refused = await bench.call("write", action="b2", text="secret")
    assert (refused.status, refused.output["error"]) == (ToolStatus.REJECTED, "forbidden")
    assert bench.audit.audited[-1].decision.value == "denied"
    assert (await bench.call("write", action="b1", text="secret")).status is ToolStatus.OK
    assert bench.ran == 1


async def test_too_many_calls_are_rejected_until_time_has_passed() -> None:
    limited = replace(ECHO, rate_limit=RateLimit(calls=2, per_s=10))
    bench = Bench(manifests=(limited,))
    statuses = [(await bench.call(action=f"a{n}", text=str(n))).status for n in range(3)]
    assert statuses == [ToolStatus.OK, ToolStatus.OK, ToolStatus.REJECTED]
    bench.clock.seconds += 5
    assert (await bench.call(action="a9", text="9")).status is ToolStatus.OK


async def test_a_spent_budget_is_raised() -> None:
    def refuse() -> Any:
        raise BudgetExceeded

    bench = Bench()
    bench.context = replace(bench.context, reserve=refuse)
    with pytest.raises(BudgetExceeded):
        await bench.call()
    assert bench.ran == 0


def test_publishing_checks_the_schemas() -> None:
    for schema in (
        {"type": "objec"},
        {"properties": 3},
        {"$schema": "http://json-schema.org/draft-07/schema#"},
    ):
        with pytest.raises(BadInput):
            ToolCatalog([replace(ECHO, output_schema=schema)])
    with pytest.raises(BadInput):
        ToolCatalog([ECHO, ECHO])
    catalog = ToolCatalog([ECHO, replace(ECHO, version="2")])
    assert catalog.find("echo").manifest.version == "2"
    with pytest.raises(NotFound):
        catalog.find("other")


@pytest.mark.parametrize(
    "change",
    [
        {"name": "no spaces"},
        {"version": "x"},
        {"surprise": 1},
        {"timeout_ms": 0},
        {"side_effects": "all"},
    ],
)
def test_a_manifest_from_outside_is_checked(change: dict[str, object]) -> None:
    good = fields_of(ECHO)
    assert read_manifest(good) == ECHO
    with pytest.raises(BadInput):
        read_manifest({**good, **change})


def test_memory_keeps_a_hundred_and_forgets_the_longest_unused() -> None:
    memory = SharedMemory()
    for number in range(100):
        memory.keep(str(number), number)
    memory.recall("0")
    memory.keep("100", 100)
    assert len(memory) == 100
    assert memory.recall("0") == 0
    assert memory.recall("1") is None


def test_a_query_is_known_by_base_arguments_and_rights() -> None:
    owner = local_owner()
    key = query_key(owner, "t", {"a": 1, "b": 2}, knowledge_bases=["x", "y"])
    assert key == query_key(owner, "t", {"b": 2, "a": 1}, knowledge_bases=["y", "x"])
    others = {
        query_key(owner, "u", {"a": 1, "b": 2}, knowledge_bases=["x", "y"]),
        query_key(owner, "t", {"a": 1, "b": "2"}, knowledge_bases=["x", "y"]),
        query_key(owner, "t", {"a": 1, "b": 2}, knowledge_bases=["x"]),
        query_key(narrow(owner, ["jira"]), "t", {"a": 1, "b": 2}, knowledge_bases=["x", "y"]),
    }
    assert len(others | {key}) == 5
    assert scope_fingerprint(narrow(owner, [])) != scope_fingerprint(owner)


class Waits(Exception):
    """The run stands still."""


BROWSE = replace(ECHO, name="browse", execution=Execution.BROWSER, side_effects=SideEffects.WRITE)


async def test_a_tool_of_the_browser_is_asked_for_suspends_and_is_settled() -> None:
    bench = Bench(manifests=(BROWSE,))
    answers: dict[str, object] = {}

    async def ask(request: Mapping[str, object], *, key: str) -> object:
        assert request == {"id": "a1", "tool": "browse", "arguments": {"text": "hello"}}
        if key not in answers:
            raise Waits
        return answers[key]

    bench.context = replace(bench.context, ask=ask)
    for _ in range(2):  # asked for once, however often the run is gone on with too early
        with pytest.raises(Waits):
            await bench.call("browse")
    kinds = [kind for kind, _ in bench.events]
    assert kinds.count(EventType.ACTION_REQUESTED) == 1
    assert (bench.reserved, EventType.ACTION_FINISHED in kinds) == (0, False)
    answers["a1"] = {"text": "from the page"}
    outcome = await bench.call("browse")
    assert (outcome.status, outcome.output) == (ToolStatus.OK, {"text": "from the page"})
    assert (bench.ran, bench.reserved, bench.settled) == (0, 1, 1)
    assert EventType.ACTION_FINISHED in [kind for kind, _ in bench.events]
    answers.clear()
    assert (await bench.call("browse")).output == {"text": "from the page"}


async def test_what_a_browser_settles_is_checked_as_any_result() -> None:
    bench = Bench(manifests=(BROWSE,))

    async def ask(request: Mapping[str, object], *, key: str) -> object:
        return {"text": 7}

    bench.context = replace(bench.context, ask=ask)
    outcome = await bench.call("browse")
    assert (outcome.status, outcome.output["error"]) == (ToolStatus.ERROR, "invalid_tool_call")


async def test_without_a_browser_its_tools_are_rejected() -> None:
    outcome = await Bench(manifests=(BROWSE,)).call("browse")
    assert outcome.status is ToolStatus.REJECTED
    assert "browser" in outcome.output["message"]


async def test_a_reply_is_on_the_tape_by_reference() -> None:
    bench = Bench()
    taped: list[TapeEntry] = []

    class Keeps:
        async def put(self, scope: Scope, run_id: RunId, entry: TapeEntry) -> None:
            taped.append(entry)

    bench.context = replace(bench.context, tape=cast(Any, Keeps()))
    await bench.call(action="a1")
    await bench.call(action="a2", text="hello")  # remembered: nothing was called
    (entry,) = taped
    assert (entry.key, entry.kind) == ("a1", TapeKind.TOOL)
    assert isinstance(entry.reply, dict)
    assert sorted(entry.reply) == ["hash", "tool_run"]
    assert entry.reply["tool_run"] == "a1"
