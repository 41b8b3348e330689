"""Events in a person's words."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from supervisor_ai.control.phrases import finding_line
from supervisor_ai.control.registered_kinds import SHARED_PHRASES, approval_phrases
from supervisor_ai.control.sentences import SENTENCES, describe, mark_of, place
from supervisor_ai.control.slices import all_slices, own_events
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, StepName, TreeSha
from supervisor_ai.domain.notices import NoticeSeverity, NoticeState
from supervisor_ai.domain.project.events import ArtifactErased
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.domain.run.status import FailureCategory, Outcome, OutcomeKind, Verdict
from supervisor_ai.domain.run.values import ReasonWord, Snapshot
from supervisor_ai.drivers.kanban.kinds import UNREADABLE
from supervisor_ai.store.codec import EVENT_KINDS, EventCodec
from supervisor_ai.testing.histories import read_history

HISTORIES = Path(__file__).parents[2] / "histories"
REASONS = (*SHARED_PHRASES, UNREADABLE)
TEST = StepName("test")
NOW = datetime(2030, 1, 1, tzinfo=UTC)
ARTIFACT = ArtifactHash("a" * 64)
UNTRUE = " that git does not bear out"


def recorded() -> list[Event]:
    """Return every fact of the golden history."""
    codec = EventCodec()
    return [
        codec.decode(record.type, record.revision, record.payload)
        for path in sorted(HISTORIES.glob("*.jsonl"))
        for record in read_history(path)
    ]


def test_every_class_of_events_has_a_sentence() -> None:
    own = [it.kind for found in all_slices() for it in found.sentences]
    assert {*SENTENCES, *own} == {*EVENT_KINDS, *own_events()}
    assert set(SENTENCES) == set(EVENT_KINDS)


def test_what_nobody_has_words_for_is_named() -> None:
    class Unheard(Event, frozen=True):
        pass

    assert describe(Unheard()) == "Unheard"
    assert mark_of(Unheard()) is None


def test_every_fact_has_words_on_one_line() -> None:
    for event in recorded():
        words = describe(event)
        assert words, event
        assert "\n" not in words
        assert "Event(" not in words


def refuted(files: int = 0, tests: int = 0, commits: int = 0) -> e.ClaimsRefuted:
    return e.ClaimsRefuted(
        step=TEST,
        visit=1,
        attempt=1,
        role="ada",
        cli="me",
        files=files,
        tests=tests,
        commits=commits,
        report=ARTIFACT,
    )


def answered(role: str = "") -> e.AttemptSucceeded:
    return e.AttemptSucceeded(
        step=TEST,
        visit=1,
        attempt=1,
        meaning=Meaning.REJECT,
        said="CHANGES_REQUESTED",
        answer=ARTIFACT,
        feedback=ARTIFACT,
        transcript=ARTIFACT,
        snapshot=Snapshot(commit=CommitSha("c"), tree=TreeSha("t")),
        role=role,
    )


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (
            e.GateEnded(
                step=TEST,
                visit=2,
                gate="test",
                verdict=Verdict.FAILED,
                reason="The command exited with code 1.",
                output=None,
            ),
            "gate test failed: The command exited with code 1.",
        ),
        (
            e.AttemptFailed(
                step=TEST,
                visit=1,
                attempt=1,
                category=FailureCategory.PARSING,
                reason="no \x1b[31mJSON\x1b[0m\nat all",
                feedback=ARTIFACT,
                transcript=ARTIFACT,
            ),
            "failed (parsing): no JSON at all",
        ),
        (
            e.AttemptFailed(
                step=TEST,
                visit=1,
                attempt=1,
                category=FailureCategory.PARSING,
                reason="no JSON",
                feedback=ARTIFACT,
                transcript=ARTIFACT,
                role="reviewer_codex",
            ),
            "reviewer_codex failed (parsing): no JSON",
        ),
        (answered(), "answered CHANGES_REQUESTED"),
        (answered("reviewer_codex"), "reviewer_codex answered CHANGES_REQUESTED"),
        (
            e.RunFailed(outcome=Outcome(kind=OutcomeKind.REJECTED, reason="No.")),
            "rejected: No.",
        ),
        (e.ChildCancelRequested(child=RunId("r2")), "asks the run r2 to stop"),
        (
            e.GateEnded(
                step=TEST,
                visit=1,
                gate="test",
                verdict=Verdict.PASSED,
                reason="It exited with code 0.",
                output=None,
                tests=12,
                is_reused=True,
            ),
            "gate test passed, 12 tests, known from before: It exited with code 0.",
        ),
        (
            e.GateEnded(
                step=TEST,
                visit=1,
                gate="test_integrity",
                verdict=Verdict.NOT_RUN,
                reason="No.",
                output=None,
                tests=1,
                findings=1,
            ),
            "gate test_integrity not run, 1 test, 1 finding: No.",
        ),
        (refuted(files=2, tests=1), "ada with me reported 2 files and 1 test" + UNTRUE),
        (
            refuted(files=1, tests=2, commits=1),
            "ada with me reported 1 file, 2 tests and 1 commit" + UNTRUE,
        ),
        (refuted(commits=2), "ada with me reported 2 commits" + UNTRUE),
        (refuted(), "ada with me reported things" + UNTRUE),
        (
            e.StepQuarantined(step=TEST, visit=4, reason="The same finding \x1b[1mtwice."),
            "rests until a person decides: The same finding twice.",
        ),
        (
            e.PullRequestStarted(step=TEST, visit=1, branch="ai/r1", commit=CommitSha("c" * 40)),
            "a pull request for ai/r1 at cccccccccccc is to be opened",
        ),
        (
            e.PullRequestOpened(step=TEST, visit=1, url="https://forge/1"),
            "pull request https://forge/1 opened",
        ),
        (
            e.PullRequestOpened(step=TEST, visit=1, url="https://forge/1", is_found=True),
            "pull request https://forge/1 was there already",
        ),
        (
            e.PullRequestRefused(step=TEST, visit=1, reason="No `gh`.", detail=ARTIFACT),
            "No `gh`.",
        ),
        (
            e.PullRequestLost(step=TEST, visit=1),
            "nobody knows whether the pull request was opened; its owner died",
        ),
        (
            e.NotificationStarted(
                step=TEST,
                visit=1,
                tree=TreeSha("t"),
                channels=("slack", "bell"),
                severity=NoticeSeverity.WARNING,
                about=NoticeState.OBJECTION,
            ),
            "slack, bell to be told",
        ),
        (
            e.NotificationDelivered(
                step=TEST, visit=1, channels=("slack",), at=NOW, failed=("bell",)
            ),
            "told through slack; not bell",
        ),
        (
            e.NotificationDelivered(step=TEST, visit=1, channels=("slack",), at=NOW),
            "told through slack",
        ),
        (
            e.EgressRefused(
                step=TEST, visit=1, attempt=1, host="a.example", port=443, reason="not-listed"
            ),
            "may not reach a.example:443 (not-listed)",
        ),
        (
            e.EgressRefused(
                step=TEST,
                visit=1,
                attempt=1,
                host="a.example",
                port=443,
                reason="part-not-listed: mcp_servers",
            ),
            "may not ask a.example:443 for mcp_servers (part-not-listed)",
        ),
        (e.NotificationFailed(step=TEST, visit=1, reason="No \x1b[1mchannel."), "No channel."),
        (
            e.NotificationLost(step=TEST, visit=1),
            "nobody knows whether anybody was told; its owner died",
        ),
        (
            ArtifactErased(artifact=ARTIFACT, reason=None),
            f"the text {ARTIFACT} was removed for ever",
        ),
    ],
)
def test_a_fact_is_told_in_words(event: Event, words: str) -> None:
    assert describe(event) == words


def test_the_place_of_a_fact() -> None:
    started = e.AttemptStarted(
        step=TEST,
        visit=2,
        attempt=3,
        role="planner",
        cli="me",
        start="c",  # type: ignore[arg-type]
    )
    assert place(started) == "test 2.3"
    assert place(e.StepPassed(step=TEST, visit=2)) == "test 2"
    assert place(e.RunContinued()) == ""


@pytest.mark.parametrize("reason", REASONS)
def test_every_question_says_why_it_is_asked(reason: ReasonWord) -> None:
    asked = e.ApprovalRequested(
        step=TEST,
        visit=1,
        reason=reason,
        tree=TreeSha("t" * 40),
        commit=CommitSha("c"),
        question=None,
    )
    assert describe(asked).endswith("asks a person about tree tttttttttttt")
    phrases = approval_phrases(reason)
    assert all((phrases.why, phrases.yes, phrases.no))


def test_questions_are_told_apart() -> None:
    every = [approval_phrases(reason) for reason in REASONS]
    for words in ({it.why for it in every}, {it.yes for it in every}):
        assert len(words) == len(REASONS)


@pytest.mark.parametrize(
    ("finding", "line"),
    [
        (
            Finding(rule="test_deleted", message="It is gone.", file="t.py", line=3, subject="t"),
            "t.py:3 t: It is gone. (test_deleted)",
        ),
        (Finding(rule="odd", message="Odd.", file="t.py"), "t.py: Odd. (odd)"),
        (
            Finding(rule="odd", message="Odd.", severity=Severity.NOTE),
            "Odd. (note, odd)",
        ),
    ],
)
def test_a_finding_is_told_in_one_line(finding: Finding, line: str) -> None:
    assert finding_line(finding) == line
