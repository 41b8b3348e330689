"""What comes of tools that are not there, of matters for others, and of requests to do the work."""

from supervisor_ai.drivers.team.decisions.turn import TeamTurn, refuse
from supervisor_ai.drivers.team.event_kinds import tools as e
from supervisor_ai.drivers.team.machines.tool_register import SYSTEMIC, ToolStatus
from supervisor_ai.drivers.team.sent import NO_TEXT, Ruling, SentEvent
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.text.answers import refusal_of
from supervisor_ai.drivers.team.words import RefusalCode, ToolDecision

MOST_TOOLS = 200
CAN_DO = (
    "I can't do the team's work. I can route messages, keep the state, track SLA, propose "
    "reassignment, and check whether the team can be torn down."
)


def report_tool(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Record who misses a tool, and tell the Lead; many of one are told once."""
    tool, task = _spelling(turn, sent), sent.task_id or ""
    known = turn.state.tools.get(tool)
    is_open = known is not None and known.status is not ToolStatus.RESOLVED
    if known is not None and is_open:
        if any((it.agent, it.task) == (sent.sender, task) for it in known.reports):
            return turn.accept(sent.event, "It was taken before.")
    elif len(turn.state.tools) >= MOST_TOOLS:
        return refuse(
            sent, RefusalCode.NOT_POSSIBLE, f"The register has {MOST_TOOLS} tools already."
        )
    turn.add(e.ToolReported(**turn.by(sent.sender), tool=tool, task=task))
    record = turn.state.tools[tool]
    if len(record.agents) >= SYSTEMIC and record.status is not ToolStatus.SYSTEMIC:
        turn.add(e.ToolFoundSystemic(**turn.by(), tool=tool, agents=record.agents))
        return turn.accept("TOOL_SYSTEMIC", f"{len(record.agents)} agents miss {tool}.")
    return turn.accept(sent.event, "The Lead decides: skip, retry or proceed with a caveat.")


def decide_tool(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Note how the Lead wants to do without a tool."""
    refused = _unknown(turn, sent)
    if refused is not None:
        return refused
    decision = sent.decision or ToolDecision.SKIP
    tool = _spelling(turn, sent)
    turn.add(e.ToolDecided(**turn.by(sent.sender), tool=tool, decision=decision))
    return turn.accept(sent.event)


def resolve_tool(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Note that a tool works again."""
    refused = _unknown(turn, sent)
    if refused is not None:
        return refused
    turn.add(e.ToolResolved(**turn.by(sent.sender), tool=_spelling(turn, sent)))
    return turn.accept(sent.event)


def _spelling(turn: TeamTurn, sent: SentEvent) -> str:
    """Return the spelling under which a tool is known: `websearch` and `WebSearch` are one."""
    asked = sent.tool or ""
    return next((it for it in turn.state.tools if _letters(it) == _letters(asked)), asked)


def _letters(tool: str) -> str:
    return "".join(filter(str.isalnum, tool.casefold())) or tool


def _unknown(turn: TeamTurn, sent: SentEvent) -> Ruling | None:
    known = turn.state.tools.get(_spelling(turn, sent))
    if known is None or known.status is ToolStatus.RESOLVED:
        return refuse(sent, RefusalCode.NOT_POSSIBLE, f"Nobody misses the tool {sent.tool!r}.")
    return None


def route_architecture(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Hand a matter of architecture on to the Tech Lead, or to the Lead where there is none."""
    leads = [it.name for it in turn.state.roster() if it.role is TeamRole.TECH_LEAD]
    return _route(turn, sent, leads[0] if leads else TeamRole.LEAD.value)


def route_incident(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Tell the Lead of a security incident at once."""
    return _route(turn, sent, TeamRole.LEAD.value, is_critical=True)


def _route(turn: TeamTurn, sent: SentEvent, to: str, *, is_critical: bool = False) -> Ruling:
    turn.add(
        e.MatterRouted(
            **turn.by(sent.sender),
            to=to,
            kind=sent.event,
            text=sent.subject or NO_TEXT,
            is_critical=is_critical,
        )
    )
    return turn.accept(sent.event, f"It goes on to {to}.")


def refuse_request(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Refuse to code, to review or to decide about architecture, and say what can be done."""
    del turn
    known = refusal_of(sent.request)
    return refuse(sent, RefusalCode.OUT_OF_SCOPE, CAN_DO if known is None else known.text)
