"""What is to be known of a team when it is over: its report, who stopped, and its tools' health."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from msgspec import Struct

from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.machines.tool_register import ToolRecord, ToolStatus
from supervisor_ai.drivers.team.queries.reports import report_of
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.text.report import minutes, render_report

FORCED = "FORCED_FINALIZE_APPROVED"


class ToolHealth(Struct, frozen=True, kw_only=True):
    """How it went with a tool that was missing."""

    tool: str
    agents: int
    status: ToolStatus
    decision: str
    was_systemic: bool
    down: str
    """How long it was missing; nothing: it still is."""


def tool_health(state: TeamState) -> tuple[ToolHealth, ...]:
    """Sum up the register of tools."""
    return tuple(_health(record) for _, record in sorted(state.tools.items()))


def _health(record: ToolRecord) -> ToolHealth:
    since = record.reports[0].at if record.reports else None
    is_over = record.resolved_at is not None and since is not None
    return ToolHealth(
        tool=record.tool,
        agents=len(record.agents),
        status=record.status,
        decision="" if record.decision is None else record.decision.value,
        was_systemic=record.was_systemic,
        down=minutes(record.resolved_at - since) if is_over else "",  # type: ignore[operator]
    )


def post_mortem(state: TeamState, facts: Sequence[TeamFact], end: datetime) -> str:
    """Write the report of a team's end."""
    start = facts[0].at if facts else end
    return "\n".join(_lines(state, render_report(report_of(state, facts, start, end))))


def _lines(state: TeamState, report: str) -> Iterator[str]:
    teardown = state.teardown
    yield from ("# Teardown report", "", "```text", report.rstrip("\n"), "```", "")
    yield "## Acknowledgements"
    yield from (f"- {name}: ACK" for name in teardown.acks)
    yield from (f"- {name}: missing, ACK_STATUS={FORCED}" for name in teardown.missing)
    yield from ("", "## Tool health")
    health = tool_health(state)
    yield from (_line(it) for it in health)
    if not health:
        yield "- every tool was there"
    yield ""


def _line(it: ToolHealth) -> str:
    systemic = ", systemic" if it.was_systemic else ""
    decided = f", {it.decision}" if it.decision else ""
    down = f", down {it.down}" if it.down else ""
    return f"- {it.tool}: {it.status.value}, {it.agents} agents{systemic}{decided}{down}"
