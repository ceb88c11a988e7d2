"""What the nodes of flows are built with, once a process."""

from __future__ import annotations

from dataclasses import dataclass

from weft.flows.roles import RoleFiller
from weft.flows.toolkits import Toolkits
from weft.ports.clock import Clock
from weft.ports.policy import Policy
from weft.ports.records.audit import Audit
from weft.ports.records.runs import Runs
from weft.ports.records.tape import Tape
from weft.verification.citations import Unsupported


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The services of a process.

    `unsupported` is what becomes of sentences that are borne out in part, where nothing else is
    said for one question.
    """

    filler: RoleFiller
    toolkits: Toolkits
    policy: Policy
    runs: Runs
    audit: Audit
    tape: Tape
    clock: Clock
    unsupported: Unsupported = Unsupported.DROP
