"""What became of tasks whose workers were told of documents, as the ledger has it."""

from collections.abc import Sequence

import pytest

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, StepName, TreeSha, run_stream
from supervisor_ai.domain.knowledge.life import UseStatus
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.status import Outcome, OutcomeKind, Verdict
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.store.ledger import SqliteLedger
from supervisor_ai.testing.ledger_harness import batch, birth

STEP = StepName("build")
STREAM = run_stream(RunId("r"))
TEXT = ArtifactHash("0" * 64)
DONE = Outcome(kind=OutcomeKind.DONE, reason="done")
TOLD = e.KnowledgeInjected(
    step=STEP,
    visit=1,
    attempt=1,
    record=TEXT,
    tokens=1,
    budget=2,
    documents=(
        e.ToldDocument(path="conventions/a.md", fingerprint="f1"),
        e.ToldDocument(path="design/b.md", fingerprint="f2"),
    ),
)
COMPLETED = e.RunCompleted(outcome=DONE)
FAILED = e.RunFailed(outcome=Outcome(kind=OutcomeKind.WORKER_FAILED, reason="no answer"))
CANCELLED = e.RunCancelled(outcome=Outcome(kind=OutcomeKind.CANCELLED, reason="by hand"))


def gate(verdict: Verdict) -> e.GateEnded:
    return e.GateEnded(
        step=STEP, visit=1, gate="test", verdict=verdict, reason="it says so", output=TEXT
    )


def answered(meaning: Meaning) -> e.AttemptSucceeded:
    return e.AttemptSucceeded(
        step=STEP,
        visit=1,
        attempt=1,
        meaning=meaning,
        said="X",
        answer=TEXT,
        feedback=TEXT,
        transcript=TEXT,
        snapshot=Snapshot(commit=CommitSha("c"), tree=TreeSha("t")),
    )


@pytest.mark.parametrize(
    ("after", "status"),
    [
        ((), UseStatus.OPEN),
        ((COMPLETED,), UseStatus.CLEAN),
        ((gate(Verdict.PASSED), answered(Meaning.PASS), COMPLETED), UseStatus.CLEAN),
        ((gate(Verdict.WARNED), COMPLETED), UseStatus.CLEAN),
        ((gate(Verdict.FAILED), gate(Verdict.PASSED), COMPLETED), UseStatus.FAILED),
        ((answered(Meaning.REJECT), COMPLETED), UseStatus.FAILED),
        ((FAILED,), UseStatus.VOID),
        ((CANCELLED,), UseStatus.VOID),
    ],
)
def test_what_becomes_of_a_use(
    ledger: SqliteLedger, after: Sequence[e.RunEvent], status: UseStatus
) -> None:
    ledger.events.append(batch(STREAM, 0, birth(), TOLD, *after))
    uses = ledger.knowledge.knowledge_uses()
    assert [(it.path, it.fingerprint, it.status) for it in uses] == [
        ("conventions/a.md", "f1", status),
        ("design/b.md", "f2", status),
    ]


def test_a_task_whose_workers_were_told_twice_counts_once(ledger: SqliteLedger) -> None:
    ledger.events.append(batch(STREAM, 0, birth(), TOLD, TOLD, COMPLETED))
    assert len(ledger.knowledge.knowledge_uses()) == 2
