"""Facts of a run as a board shows them."""

from datetime import UTC, datetime, timedelta
from typing import Final

from supervisor_ai.domain.envelope import Actor, ActorKind, Envelope, Event
from supervisor_ai.domain.ids import (
    CommitSha,
    RunId,
    StepName,
    StreamId,
    run_stream,
)
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import Verdict

BEGIN: Final = datetime(2030, 1, 1, tzinfo=UTC)
RUN: Final = RunId("r1")
TEST: Final = StepName("test")
COMMIT: Final = CommitSha("c")


def told(event: Event, seconds: float = 0, stream: StreamId | None = None) -> Envelope:
    return Envelope(
        seq=1,
        stream=stream or run_stream(RUN),
        version=1,
        event=event,
        recorded_at=BEGIN + timedelta(seconds=seconds),
        actor=Actor(kind=ActorKind.RUNTIME, id="me", via="engine"),
        cause=None,
        epoch=1,
        hash="",
    )


def began(gate: str, slot: int, step: StepName = TEST, visit: int = 1) -> Envelope:
    return told(e.GateStarted(step=step, visit=visit, slot=slot, gate=gate, snapshot=COMMIT))


def ended(gate: str, slot: int, verdict: Verdict, findings: int = 0) -> e.GateEnded:
    return e.GateEnded(
        step=TEST,
        visit=1,
        slot=slot,
        gate=gate,
        verdict=verdict,
        reason="",
        output=None,
        findings=findings,
    )
