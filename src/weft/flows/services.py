"""What the nodes of flows are built with, once a process."""

from __future__ import annotations

from dataclasses import field

from weft.agents.answering import Caution
from weft.domain.frozen import dataclass
from weft.flows.quota import Quota
from weft.flows.roles import RoleFiller
from weft.flows.toolkits import Toolkits
from weft.ports.clock import Clock
from weft.ports.embedder import CrossReader
from weft.ports.policy import Policy
from weft.ports.records.audit import AuditTrail
from weft.ports.records.runs import Runs
from weft.ports.records.steering import Steering
from weft.ports.records.tape import Tape
from weft.ports.records.tool_runs import ToolRuns
from weft.ports.telemetry.tracing import Traces
from weft.runtime.amounts import NO_LIMITS, Limits
from weft.runtime.engines.task_walker import TaskWalker
from weft.runtime.engines.walking import Walker
from weft.verification.citations import Unsupported


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The services of a process.

    `unsupported` is what becomes of sentences that are borne out in part, where nothing else is
    said for one question; `caution` is how sure an answer of the rules must be, `cross_reader`
    what reads a question and a text together for them, `most` the most that any run may spend and
    `quota` what is left of a day, `traces` where spans go, `agent_s` how many seconds one of
    several agents may take, and `walker` what schedules their steps.
    """

    filler: RoleFiller
    toolkits: Toolkits
    policy: Policy
    runs: Runs
    audit: AuditTrail
    tape: Tape
    tool_runs: ToolRuns
    steering: Steering
    clock: Clock
    quota: Quota | None = None
    traces: Traces | None = None
    most: Limits = NO_LIMITS
    unsupported: Unsupported = Unsupported.DROP
    caution: Caution = Caution.ANSWERING
    cross_reader: CrossReader | None = None
    agent_s: float = 90.0
    walker: Walker = field(default_factory=TaskWalker)
