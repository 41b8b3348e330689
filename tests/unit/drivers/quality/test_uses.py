"""How tasks that were told of documents did, by the facts of their run."""

import pytest

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, StepName, TreeSha
from supervisor_ai.domain.knowledge.life import UseStatus
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.drivers.quality.uses import uses_of

STEP, TEXT = StepName("build"), ArtifactHash("0" * 64)
TOLD = e.KnowledgeInjected(
    step=STEP,
    visit=1,
    attempt=1,
    record=TEXT,
    tokens=1,
    budget=2,
    documents=(e.ToldDocument(path="conventions/a.md", fingerprint="f1"),),
)
LANDED = e.IntegrationLanded(step=STEP, visit=1, commit=CommitSha("c"))
FAILED = e.GateEnded(
    step=STEP, visit=1, gate="test", verdict=Verdict.FAILED, reason="no", output=TEXT
)
REJECTED = e.AttemptSucceeded(
    step=STEP,
    visit=1,
    attempt=1,
    meaning=Meaning.REJECT,
    said="X",
    answer=TEXT,
    feedback=TEXT,
    transcript=TEXT,
    snapshot=Snapshot(commit=CommitSha("c"), tree=TreeSha("t")),
)
OTHER = e.StepPassed(step=STEP, visit=1)


@pytest.mark.parametrize(
    ("events", "statuses"),
    [
        ((), []),
        ((TOLD,), []),
        ((TOLD, OTHER, LANDED), [UseStatus.CLEAN]),
        ((TOLD, TOLD, LANDED, LANDED), [UseStatus.CLEAN]),
        ((TOLD, FAILED, LANDED, TOLD, LANDED), [UseStatus.FAILED, UseStatus.CLEAN]),
        ((TOLD, REJECTED, LANDED), [UseStatus.FAILED]),
    ],
)
def test_a_task_ends_where_its_work_lands(
    events: tuple[Event, ...], statuses: list[UseStatus]
) -> None:
    uses = uses_of(events)
    assert [it.status for it in uses] == statuses
    assert {(it.path, it.fingerprint) for it in uses} <= {("conventions/a.md", "f1")}
