"""SUPERVISOR_REPORT: the seed's form, word for word, and back again."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.drivers.team.text.report import (
    ActionType,
    AlertSeverity,
    AlertType,
    NoReport,
    ReportedAlert,
    SupervisorReport,
    minutes,
    read_report,
    render_report,
    report_json,
)

START = datetime(2031, 5, 6, 7, 0, tzinfo=UTC)
REPORT = SupervisorReport(
    start=START,
    end=START + timedelta(hours=1),
    healthy=4,
    alerts=(
        ReportedAlert(
            severity=AlertSeverity.WARN,
            event_type=AlertType.IDLE_BREACH,
            task="7",
            owner="coder-2",
            elapsed=timedelta(minutes=65),
        ),
        ReportedAlert(severity=AlertSeverity.CRITICAL, event_type=AlertType.SPLIT_BRAIN_DETECTED),
    ),
    actions=(ActionType.PING, ActionType.ESCALATE),
    decision="Replace coder-2 on task #7?",
)
QUIET = SupervisorReport(start=START, end=START, healthy=6)


def test_the_form_is_the_seeds() -> None:
    assert render_report(REPORT) == snapshot("""\
SUPERVISOR_REPORT
Window: 2031-05-06T07:00:00Z -> 2031-05-06T08:00:00Z
Healthy: 4

Enums:
- severity ∈ {INFO, WARN, CRITICAL}
- event_type ∈ {IDLE_BREACH, REVIEW_SLA_BREACH, LOOP_SUSPECTED, DUPLICATE_TASK_KEY, OVERLAP_SCOPE, STUCK, TOOL_UNAVAILABLE, HANDOFF_DUPLICATE, HANDOFF_MISSING, SPLIT_BRAIN_DETECTED, STATE_DIVERGENCE, RECONCILE_CONFLICT, SNAPSHOT_NOT_FOUND, SNAPSHOT_CONFLICT, RECONCILE_LOCK_ENTER, RECONCILE_LOCK_EXIT, TEARDOWN_BLOCKED, FORCED_FINALIZE_CANDIDATE, DECISIONS_SCOPE_VIOLATION, DECISIONS_MARKER_MISSING}
- action_type ∈ {PING, NUDGE, ESCALATE, REASSIGN_PROPOSAL, TEARDOWN_RETRY, RECONCILE_LOCK_ENTER, RECONCILE_LOCK_EXIT, FORCED_FINALIZE}

Alerts:
- WARN IDLE_BREACH task #7 owner=coder-2 elapsed=1h05m
- CRITICAL SPLIT_BRAIN_DETECTED task #- owner=- elapsed=0m
Actions taken:
- PING
- ESCALATE
Needs decision:
- yes -> Replace coder-2 on task #7?
""")  # noqa: E501 - the words of the form


def test_a_quiet_report_says_so() -> None:
    text = render_report(QUIET)
    assert text.endswith("Alerts:\n- none\nActions taken:\n- none\nNeeds decision:\n- no\n")


def test_a_quiet_report_is_read_back() -> None:
    assert read_report(render_report(QUIET)) == QUIET


def test_programs_get_the_same() -> None:
    assert report_json(REPORT) == snapshot(
        {
            "window": {"start": "2031-05-06T07:00:00Z", "end": "2031-05-06T08:00:00Z"},
            "healthy": 4,
            "alerts": [
                {
                    "severity": "WARN",
                    "event_type": "IDLE_BREACH",
                    "task": "7",
                    "owner": "coder-2",
                    "elapsed_seconds": 3900,
                },
                {
                    "severity": "CRITICAL",
                    "event_type": "SPLIT_BRAIN_DETECTED",
                    "task": None,
                    "owner": None,
                    "elapsed_seconds": 0,
                },
            ],
            "actions": ["PING", "ESCALATE"],
            "needs_decision": "Replace coder-2 on task #7?",
        }
    )


NAMES = st.none() | st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,20}", fullmatch=True)
ALERTS = st.builds(
    ReportedAlert,
    severity=st.sampled_from(AlertSeverity),
    event_type=st.sampled_from(AlertType),
    task=NAMES,
    owner=NAMES,
    elapsed=st.integers(0, 100_000).map(lambda it: timedelta(minutes=it)),
)


@given(
    st.lists(ALERTS, max_size=5).map(tuple),
    st.lists(st.sampled_from(ActionType), max_size=5).map(tuple),
    st.none() | st.from_regex(r"[!-~]{1,20}( [!-~]{1,20}){0,3}", fullmatch=True),
)
def test_what_is_written_is_read_back(
    alerts: tuple[ReportedAlert, ...], actions: tuple[ActionType, ...], decision: str | None
) -> None:
    report = SupervisorReport(
        start=START, end=START, healthy=0, alerts=alerts, actions=actions, decision=decision
    )
    assert read_report(render_report(report)) == report


def test_the_legend_may_be_left_out() -> None:
    text = render_report(REPORT)
    begin, end = text.index("Enums:"), text.index("Alerts:")
    assert read_report(text[:begin] + text[end:]) == REPORT


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("SUPERVISOR_REPORT", "REPORT", "Expected 'SUPERVISOR_REPORT'"),
        ("2031-05-06T07:00:00Z", "yesterday", "no moment"),
        ("2031-05-06T07:00:00Z", "2031-05-06T07:00:00", "no time zone"),
        ("Healthy: 4", "Healthy: many", "not in its form"),
        ("WARN IDLE_BREACH task", "FATAL IDLE_BREACH task", "none of INFO, WARN, CRITICAL"),
        ("WARN IDLE_BREACH task", "WARN BORED task", "none of IDLE_BREACH"),
        ("owner=coder-2", "owner=<b>", "no alert"),
        ("- WARN IDLE_BREACH task #7", "- task #7", "no alert"),
        ("1h05m", "soon", "no length of time"),
        ("1h05m", "0h65m", "not in the form"),
        ("- PING", "- SLAP", "none of PING"),
        ("- yes -> Replace", "- maybe -> Replace", "not in its form"),
        ("Needs decision:\n", "", "none of PING"),
        ("#7?\n", "#7?\nP.S. hello\n", "not in the form"),
    ],
)
def test_another_form_is_no_report(old: str, new: str, problem: str) -> None:
    text = render_report(REPORT)
    assert old in text
    found = read_report(text.replace(old, new, 1))
    assert isinstance(found, NoReport)
    assert problem in found.problem


@pytest.mark.parametrize("text", ["", "SUPERVISOR_REPORT", "x" * 300_000])
def test_less_or_too_much_is_no_report(text: str) -> None:
    assert isinstance(read_report(text), NoReport)


@pytest.mark.parametrize("word", ["", "-", "a b", "x=1", "a" * 65])
def test_a_name_that_would_break_a_line_is_refused(word: str) -> None:
    with pytest.raises(InternalError):
        ReportedAlert(severity=AlertSeverity.INFO, event_type=AlertType.STUCK, owner=word)


@pytest.mark.parametrize(
    ("length", "text"),
    [(-5, "0m"), (59, "0m"), (900, "15m"), (3600, "1h00m"), (360_000, "100h00m")],
)
def test_lengths_are_written_as_teams_do(length: int, text: str) -> None:
    assert minutes(timedelta(seconds=length)) == text
