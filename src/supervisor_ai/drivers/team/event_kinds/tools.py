"""The facts of tools that are not there, and of what goes to others than the supervisor."""

from typing import ClassVar

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.text.report import ActionType, AlertSeverity, AlertType
from supervisor_ai.drivers.team.words import ToolDecision


class ToolReported(TeamFact, frozen=True, kw_only=True):
    """A tool is missing or fails."""

    word: ClassVar = "TOOL_UNAVAILABLE"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.TOOL_UNAVAILABLE
    severity: ClassVar = AlertSeverity.WARN
    action: ClassVar = ActionType.ESCALATE

    tool: str
    task: str


class ToolFoundSystemic(TeamFact, frozen=True, kw_only=True):
    """A tool fails for so many that it is nobody's own problem."""

    word: ClassVar = "TOOL_SYSTEMIC"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.TOOL_UNAVAILABLE
    severity: ClassVar = AlertSeverity.CRITICAL
    action: ClassVar = ActionType.ESCALATE

    tool: str
    agents: tuple[str, ...]


class ToolDecided(TeamFact, frozen=True, kw_only=True):
    """The Lead said how to do without a tool."""

    word: ClassVar = "TOOL_DECISION"
    speaks: ClassVar = True

    tool: str
    decision: ToolDecision


class ToolResolved(TeamFact, frozen=True, kw_only=True):
    """A tool works again."""

    word: ClassVar = "TOOL_RESOLVED"

    tool: str


class MatterRouted(TeamFact, frozen=True, kw_only=True):
    """Something that is not the supervisor's goes on to whose it is."""

    word: ClassVar = "ROUTED"
    speaks: ClassVar = True

    to: str
    kind: str
    text: ArtifactHash
    is_critical: bool = False
