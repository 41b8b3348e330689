"""Documents prove themselves by the tasks that were told of them."""

import pytest

from supervisor_ai.domain.ids import ArtifactHash, StepName
from supervisor_ai.domain.run.events import KnowledgeInjected, StepPassed, ToldDocument
from supervisor_ai.drivers.loop.events import TaskMarked, TaskOutcome
from supervisor_ai.drivers.loop.performers.uses import uses_of

STEP = StepName("task_planner")


def told(*paths: str) -> KnowledgeInjected:
    return KnowledgeInjected(
        step=STEP,
        visit=1,
        attempt=1,
        record=ArtifactHash("record"),
        tokens=1,
        budget=9,
        documents=tuple(ToldDocument(path=path, fingerprint="f") for path in paths),
    )


def marked(outcome: TaskOutcome = TaskOutcome.DONE, failures: int = 0) -> TaskMarked:
    return TaskMarked(step=STEP, visit=1, task=1, outcome=outcome, attempts=1, qa_failures=failures)


def test_each_task_counts_once_for_each_document() -> None:
    events = [
        told("a", "b"),
        told("a"),
        marked(),
        StepPassed(step=STEP, visit=1),
        told("b"),
        marked(),
    ]
    assert [(it.path, it.status.value) for it in uses_of(events)] == [
        ("a", "clean"),
        ("b", "clean"),
        ("b", "clean"),
    ]


@pytest.mark.parametrize(
    ("outcome", "failures", "status"),
    [
        (TaskOutcome.DONE, 1, "failed"),
        (TaskOutcome.FAILED, 3, "failed"),
        (TaskOutcome.ABORTED, 0, "void"),
        (TaskOutcome.SKIPPED, 0, "void"),
    ],
)
def test_only_a_task_without_a_setback_speaks_for_a_document(
    outcome: TaskOutcome, failures: int, status: str
) -> None:
    (use,) = uses_of([told("a"), marked(outcome, failures), told("a")])
    assert use.status.value == status
