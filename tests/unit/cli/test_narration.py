"""Facts in a person's words."""

from pathlib import Path

import pytest

from supervisor_ai.cli.narration import describe, place
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash, RunId, StepName
from supervisor_ai.domain.project.events import ArtifactErased
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import FailureCategory, Outcome, OutcomeKind, Verdict
from supervisor_ai.store.codec import EventCodec
from supervisor_ai.testing.histories import read_history

HISTORIES = Path(__file__).parents[2] / "histories"
TEST = StepName("test")
ARTIFACT = ArtifactHash("a" * 64)


def recorded() -> list[Event]:
    """Return every fact of the golden history."""
    codec = EventCodec()
    return [
        codec.decode(record.type, record.revision, record.payload)
        for path in sorted(HISTORIES.glob("*.jsonl"))
        for record in read_history(path)
    ]


def test_every_fact_has_words_on_one_line() -> None:
    for event in recorded():
        words = describe(event)
        assert words, event
        assert "\n" not in words
        assert "Event(" not in words


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
            e.RunFailed(outcome=Outcome(kind=OutcomeKind.REJECTED, reason="No.")),
            "rejected: No.",
        ),
        (e.ChildCancelRequested(child=RunId("r2")), "child r2"),
        (ArtifactErased(artifact=ARTIFACT, reason=None), f"artifact {ARTIFACT}"),
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
