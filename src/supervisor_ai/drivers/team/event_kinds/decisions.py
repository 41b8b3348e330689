"""The facts of what the supervisor wrote into DECISIONS.md, or could not."""

from typing import ClassVar

from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.text.report import ActionType, AlertSeverity, AlertType


class DecisionsNoted(TeamFact, frozen=True, kw_only=True):
    """What there was to note up to a fact stands in the file."""

    word: ClassVar = "DECISIONS_NOTED"
    is_shown: ClassVar = False

    upto: int
    """The place of the fact in the team's stream."""


class DecisionsScopeViolated(TeamFact, frozen=True, kw_only=True):
    """A note was not written, because it would not stay within its section."""

    word: ClassVar = "DECISIONS_SCOPE_VIOLATION"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.DECISIONS_SCOPE_VIOLATION
    severity: ClassVar = AlertSeverity.WARN
    action: ClassVar = ActionType.ESCALATE

    reason: str


class DecisionsMarkerMissed(TeamFact, frozen=True, kw_only=True):
    """A section is not there once; nothing is noted until somebody has put it right."""

    word: ClassVar = "DECISIONS_MARKER_MISSING"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.DECISIONS_MARKER_MISSING
    severity: ClassVar = AlertSeverity.WARN
    action: ClassVar = ActionType.ESCALATE

    reason: str
