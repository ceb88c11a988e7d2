"""A question in all its readings, as the offline rules hand it on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.offline.chains.chains import Desktop, Trail
from weft.offline.question.question import Question
from weft.offline.question.roles import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question in all its readings."""

    question: Question
    plan: Plan
    trails: Sequence[Trail]
    desk: Desktop
