"""The report of a team about a window of time, made of its facts."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.machines.alerts import alert_type, subject_of
from supervisor_ai.drivers.team.queries.questions import decision_request
from supervisor_ai.drivers.team.state import TeamState, owner_of
from supervisor_ai.drivers.team.text.report import (
    MOST_ALERTS,
    ReportedAlert,
    SupervisorReport,
)
from supervisor_ai.drivers.team.words import IdleStage

_FOREIGN: Final = re.compile(r"[^A-Za-z0-9_.@-]")


def report_of(
    state: TeamState, facts: Iterable[TeamFact], start: datetime, end: datetime
) -> SupervisorReport:
    """Report what happened in a window; each matter is told once, as it was told last."""
    within = [fact for fact in facts if start <= fact.at <= end]
    alerts: dict[str, ReportedAlert] = {}
    for fact in within:
        key = f"{alert_type(fact)}:{subject_of(fact)}"
        alert = _alert(state, fact, key, end)
        if alert is not None:
            alerts.pop(key, None)
            alerts[key] = alert
    actions = dict.fromkeys(fact.action for fact in within if fact.action is not None)
    return SupervisorReport(
        start=start,
        end=end,
        healthy=sum(member.stage is IdleStage.NONE for member in state.roster()),
        alerts=tuple(alerts.values())[-MOST_ALERTS:],
        actions=tuple(actions),
        decision=decision_request(state),
    )


def _alert(state: TeamState, fact: TeamFact, key: str, end: datetime) -> ReportedAlert | None:
    kind = alert_type(fact)
    if kind is None:
        return None
    known = state.alerts.get(key)
    return ReportedAlert(
        severity=fact.severity,
        event_type=kind,
        task=_word(getattr(fact, "task", None)),
        owner=_word(owner_of(state, fact)),
        elapsed=end - (fact.at if known is None else known.since),
    )


def _word(name: str | None) -> str | None:
    """Make a name one word; what is no name is nobody's."""
    word = _FOREIGN.sub("_", name or "").lstrip("_.@-")[:64]
    return word or None
