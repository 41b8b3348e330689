"""The register of tools that are not there: who missed them, and what was decided."""

from datetime import datetime
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.flow import Flow, step
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.event_kinds import tools as e
from supervisor_ai.drivers.team.words import ToolDecision

SYSTEMIC: Final = 3
"""For so many agents, a failing tool is nobody's own problem."""


class ToolStatus(StrEnum):
    """Where the trouble with a tool stands."""

    REPORTED = "reported"
    SYSTEMIC = "systemic"
    DECIDED = "decided"
    RESOLVED = "resolved"


_S = ToolStatus
TOOL_FLOW: Final[Flow[ToolStatus]] = {
    (_S.REPORTED, e.ToolReported): _S.REPORTED,
    (_S.REPORTED, e.ToolFoundSystemic): _S.SYSTEMIC,
    (_S.REPORTED, e.ToolDecided): _S.DECIDED,
    (_S.REPORTED, e.ToolResolved): _S.RESOLVED,
    (_S.SYSTEMIC, e.ToolReported): _S.SYSTEMIC,
    (_S.SYSTEMIC, e.ToolDecided): _S.DECIDED,
    (_S.SYSTEMIC, e.ToolResolved): _S.RESOLVED,
    (_S.DECIDED, e.ToolReported): _S.DECIDED,
    (_S.DECIDED, e.ToolFoundSystemic): _S.SYSTEMIC,
    (_S.DECIDED, e.ToolDecided): _S.DECIDED,
    (_S.DECIDED, e.ToolResolved): _S.RESOLVED,
    (_S.RESOLVED, e.ToolReported): _S.REPORTED,
}


class ToolReport(Struct, frozen=True, kw_only=True):
    """Who missed a tool, at which task, when."""

    agent: str
    task: str
    at: datetime


class ToolRecord(Struct, frozen=True, kw_only=True):
    """What is known of a tool that is or was missing."""

    tool: str
    status: ToolStatus = ToolStatus.REPORTED
    reports: tuple[ToolReport, ...] = ()
    """Since it was resolved last, one of each agent and task."""
    decision: ToolDecision | None = None
    was_systemic: bool = False
    resolved_at: datetime | None = None

    @property
    def agents(self) -> tuple[str, ...]:
        """Name who missed it, each once, in the order of their reports."""
        return tuple(dict.fromkeys(it.agent for it in self.reports))


def evolve(record: ToolRecord, event: Event) -> ToolRecord:
    """Fold a fact about a tool."""
    was_resolved = record.status is ToolStatus.RESOLVED
    record = replace(record, status=step(TOOL_FLOW, record.status, event))
    match event:
        case e.ToolReported(actor=agent, task=task, at=at):
            before = () if was_resolved else record.reports
            told = ToolReport(agent=agent, task=task, at=at)
            return replace(record, reports=(*before, told), resolved_at=None)
        case e.ToolFoundSystemic():
            return replace(record, was_systemic=True)
        case e.ToolDecided(decision=decision):
            return replace(record, decision=decision)
        case _:
            return replace(record, resolved_at=getattr(event, "at", None))
