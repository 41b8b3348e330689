"""SUPERVISOR_REPORT: what the lead is told, as text in the form of seed 002 and as JSON.

The text is read back to the report that it was written from, or it is refused.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final, TypeVar

from msgspec import Struct

from supervisor_ai.domain.errors import InternalError

LONGEST_REPORT: Final = 256 * 1024
MOST_ALERTS: Final = 1_000
_HEAD: Final = "SUPERVISOR_REPORT"
_NONE: Final = "- none"
_NOBODY: Final = "-"
_WORD: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}|-")
_DURATION: Final = re.compile(r"(?:([0-9]{1,6})h)?([0-9]{1,2})m")
_WINDOW: Final = re.compile(r"Window: (\S+) -> (\S+)")
_HEALTHY: Final = re.compile(r"Healthy: ([0-9]{1,9})")
_ALERT: Final = re.compile(r"- (\S+) (\S+) task #(\S+) owner=(\S+) elapsed=(\S+)")
_DECISION: Final = re.compile(r"- yes -> (.+)")
_LONGEST_REQUEST: Final = 1_000
_MINUTES: Final = 60
_Word = TypeVar("_Word", bound=StrEnum)


class AlertSeverity(StrEnum):
    """How urgent an alert is."""

    INFO = "INFO"
    WARN = "WARN"
    CRITICAL = "CRITICAL"


class AlertType(StrEnum):
    """What an alert is about; there is nothing else that a report tells."""

    IDLE_BREACH = "IDLE_BREACH"
    REVIEW_SLA_BREACH = "REVIEW_SLA_BREACH"
    LOOP_SUSPECTED = "LOOP_SUSPECTED"
    DUPLICATE_TASK_KEY = "DUPLICATE_TASK_KEY"
    OVERLAP_SCOPE = "OVERLAP_SCOPE"
    STUCK = "STUCK"
    TOOL_UNAVAILABLE = "TOOL_UNAVAILABLE"
    HANDOFF_DUPLICATE = "HANDOFF_DUPLICATE"
    HANDOFF_MISSING = "HANDOFF_MISSING"
    SPLIT_BRAIN_DETECTED = "SPLIT_BRAIN_DETECTED"
    STATE_DIVERGENCE = "STATE_DIVERGENCE"
    RECONCILE_CONFLICT = "RECONCILE_CONFLICT"
    SNAPSHOT_NOT_FOUND = "SNAPSHOT_NOT_FOUND"
    SNAPSHOT_CONFLICT = "SNAPSHOT_CONFLICT"
    RECONCILE_LOCK_ENTER = "RECONCILE_LOCK_ENTER"
    RECONCILE_LOCK_EXIT = "RECONCILE_LOCK_EXIT"
    TEARDOWN_BLOCKED = "TEARDOWN_BLOCKED"
    FORCED_FINALIZE_CANDIDATE = "FORCED_FINALIZE_CANDIDATE"
    DECISIONS_SCOPE_VIOLATION = "DECISIONS_SCOPE_VIOLATION"
    DECISIONS_MARKER_MISSING = "DECISIONS_MARKER_MISSING"


class ActionType(StrEnum):
    """What the supervisor did about it."""

    PING = "PING"
    NUDGE = "NUDGE"
    ESCALATE = "ESCALATE"
    REASSIGN_PROPOSAL = "REASSIGN_PROPOSAL"
    TEARDOWN_RETRY = "TEARDOWN_RETRY"
    RECONCILE_LOCK_ENTER = "RECONCILE_LOCK_ENTER"
    RECONCILE_LOCK_EXIT = "RECONCILE_LOCK_EXIT"
    FORCED_FINALIZE = "FORCED_FINALIZE"


class ReportedAlert(Struct, frozen=True, kw_only=True):
    """One line of a report."""

    severity: AlertSeverity
    event_type: AlertType
    task: str | None = None
    """None: it is about the whole team."""
    owner: str | None = None
    elapsed: timedelta = timedelta()

    def __post_init__(self) -> None:
        for word in (self.task, self.owner):
            if word is not None and (word == _NOBODY or not _WORD.fullmatch(word)):
                raise InternalError(f"{word!r} cannot stand in a report.")


class SupervisorReport(Struct, frozen=True, kw_only=True):
    """What happened in a window of time, and what the lead has to decide."""

    start: datetime
    end: datetime
    healthy: int
    alerts: tuple[ReportedAlert, ...] = ()
    actions: tuple[ActionType, ...] = ()
    decision: str | None = None
    """What the lead is asked; None: nothing."""


class NoReport(Struct, frozen=True, kw_only=True):
    """Why a text is no report."""

    problem: str


def render_report(report: SupervisorReport) -> str:
    """Write a report; the same report is always the same text."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: SupervisorReport) -> Iterator[str]:
    yield _HEAD
    yield f"Window: {_moment(report.start)} -> {_moment(report.end)}"
    yield f"Healthy: {report.healthy}"
    yield from ("", *_LEGEND, "")
    yield "Alerts:"
    yield from _listed(map(_alert, report.alerts))
    yield "Actions taken:"
    yield from _listed(f"- {it.value}" for it in report.actions)
    yield "Needs decision:"
    yield "- no" if report.decision is None else f"- yes -> {_request(report.decision)}"


def _legend(name: str, values: type[StrEnum]) -> str:
    return f"- {name} ∈ {{{', '.join(values)}}}"


_LEGEND: Final = (
    "Enums:",
    _legend("severity", AlertSeverity),
    _legend("event_type", AlertType),
    _legend("action_type", ActionType),
)


def _listed(lines: Iterable[str]) -> Iterator[str]:
    found = list(lines)
    yield from found or [_NONE]


def _alert(alert: ReportedAlert) -> str:
    about = f"task #{alert.task or _NOBODY} owner={alert.owner or _NOBODY}"
    what = f"{alert.severity.value} {alert.event_type.value}"
    return f"- {what} {about} elapsed={minutes(alert.elapsed)}"


def minutes(length: timedelta) -> str:
    """Write a length of time as teams do: `45m`, `1h05m`."""
    hours, rest = divmod(max(0, int(length.total_seconds())) // _MINUTES, _MINUTES)
    return f"{hours}h{rest:02d}m" if hours else f"{rest}m"


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")


def _request(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_REQUEST]


def report_json(report: SupervisorReport) -> dict[str, object]:
    """Return a report for programs."""
    return {
        "window": {"start": _moment(report.start), "end": _moment(report.end)},
        "healthy": report.healthy,
        "alerts": [
            {
                "severity": it.severity.value,
                "event_type": it.event_type.value,
                "task": it.task,
                "owner": it.owner,
                "elapsed_seconds": int(it.elapsed.total_seconds()),
            }
            for it in report.alerts
        ],
        "actions": [it.value for it in report.actions],
        "needs_decision": report.decision,
    }


def read_report(text: str) -> SupervisorReport | NoReport:
    """Read a report back; the legend may be left out, everything else is as it is written."""
    if len(text) > LONGEST_REPORT:
        return NoReport(problem=f"It has {len(text)} characters, at most {LONGEST_REPORT}.")
    try:
        found = _Reader(text).report()
    except _FormError as error:
        return NoReport(problem=str(error))
    bare = "\n".join(line for line in _lines(found) if line and line not in _LEGEND)
    given = "\n".join(line for line in text.split("\n") if line and line not in _LEGEND)
    if bare != given:
        return NoReport(problem="It is not in the form of a SUPERVISOR_REPORT.")
    return found


class _FormError(Exception):
    """A line of a report is not in its form."""


class _Reader:
    """Takes a report apart line by line."""

    def __init__(self, text: str) -> None:
        self._lines = [it for it in text.split("\n") if it and it not in _LEGEND]
        self._at = 0

    def report(self) -> SupervisorReport:
        """Return what the lines say."""
        self._expect(_HEAD)
        window = self._match(_WINDOW)
        start, end = _read_moment(window[1]), _read_moment(window[2])
        healthy = int(self._match(_HEALTHY)[1])
        self._expect("Alerts:")
        alerts = tuple(map(_read_alert, self._until("Actions taken:")))
        actions = tuple(map(_read_action, self._until("Needs decision:")))
        return SupervisorReport(
            start=start,
            end=end,
            healthy=healthy,
            alerts=alerts,
            actions=actions,
            decision=self._decision(),
        )

    def _next(self) -> str:
        if self._at >= len(self._lines):
            raise _FormError("It ends too early.")
        self._at += 1
        return self._lines[self._at - 1]

    def _expect(self, wanted: str) -> None:
        found = self._next()
        if found != wanted:
            raise _FormError(f"Expected {wanted!r}, found {found[:80]!r}.")

    def _match(self, form: re.Pattern[str]) -> re.Match[str]:
        found = self._next()
        match = form.fullmatch(found)
        if match is None:
            raise _FormError(f"{found[:80]!r} is not in its form.")
        return match

    def _until(self, end: str) -> Iterator[str]:
        while (line := self._next()) != end:
            if line != _NONE:
                yield line

    def _decision(self) -> str | None:
        if self._lines[self._at :] == ["- no"]:
            return None
        return self._match(_DECISION)[1]


def _read_moment(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise _FormError(f"{text[:80]!r} is no moment.") from None
    if found.tzinfo is None:
        raise _FormError(f"{text[:80]!r} says no time zone.")
    return found.astimezone(UTC)


def _read_alert(line: str) -> ReportedAlert:
    match = _ALERT.fullmatch(line)
    if match is None or not all(map(_WORD.fullmatch, (match[3], match[4]))):
        raise _FormError(f"{line[:80]!r} is no alert.")
    return ReportedAlert(
        severity=_read_word(AlertSeverity, match[1]),
        event_type=_read_word(AlertType, match[2]),
        task=None if match[3] == _NOBODY else match[3],
        owner=None if match[4] == _NOBODY else match[4],
        elapsed=_read_length(match[5]),
    )


def _read_action(line: str) -> ActionType:
    return _read_word(ActionType, line.removeprefix("- "))


def _read_word(values: type[_Word], word: str) -> _Word:
    if word not in set(values):
        raise _FormError(f"{word[:80]!r} is none of {', '.join(values)}.")
    return values(word)


def _read_length(text: str) -> timedelta:
    match = _DURATION.fullmatch(text)
    if match is None:
        raise _FormError(f"{text[:80]!r} is no length of time.")
    return timedelta(hours=int(match[1] or 0), minutes=int(match[2]))
