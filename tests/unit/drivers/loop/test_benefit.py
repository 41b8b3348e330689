"""Does it help? What the ledger says about tasks, documents and looks."""

from decimal import Decimal

import pytest
from tests.histories.loop_events import STEPS

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, TreeSha
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.values import Snapshot, Usage
from supervisor_ai.drivers.loop.events import SetbackSource, TaskMarked, TaskOutcome, TaskSetBack
from supervisor_ai.drivers.loop.queries.benefit import (
    costs_of,
    documents_of,
    figures_of,
    rates_of,
)
from supervisor_ai.drivers.loop.sentences import look_sentence
from supervisor_ai.drivers.quality.events import SupervisorRan
from supervisor_ai.drivers.quality.supervisors import RunOutcome

STEP = STEPS[0]
KEPT = ArtifactHash("a" * 64)
DOCUMENT = "conventions/files.md"


def told() -> e.KnowledgeInjected:
    return e.KnowledgeInjected(
        step=STEP,
        visit=1,
        attempt=1,
        record=KEPT,
        tokens=1,
        budget=2,
        documents=(e.ToldDocument(path=DOCUMENT, fingerprint="f"),),
    )


def tried(cost: str) -> e.AttemptSucceeded:
    return e.AttemptSucceeded(
        step=STEP,
        visit=1,
        attempt=1,
        meaning=Meaning.PASS,
        said="pass",
        answer=KEPT,
        feedback=KEPT,
        transcript=KEPT,
        snapshot=Snapshot(commit=CommitSha("c" * 40), tree=TreeSha("d" * 40)),
        usage=Usage(cost=Decimal(cost)),
    )


def back(source: SetbackSource) -> TaskSetBack:
    return TaskSetBack(step=STEP, visit=1, task=1, found_by=source, feedback=KEPT)


def marked(failures: int, outcome: TaskOutcome = TaskOutcome.DONE, attempts: int = 1) -> TaskMarked:
    return TaskMarked(
        step=STEP, visit=1, task=1, outcome=outcome, attempts=attempts, qa_failures=failures
    )


def test_tasks_before_a_document_are_held_against_those_that_were_told_of_it() -> None:
    events = [
        *(tried("0.1"), back(SetbackSource.QA), tried("0.2"), marked(1)),
        marked(0, TaskOutcome.SKIPPED, attempts=0),
        *(told(), tried("0.05"), back(SetbackSource.GATES), marked(1, TaskOutcome.FAILED)),
        *(told(), tried("0.05"), marked(0)),
        *(tried("1"), marked(0)),
    ]
    tasks = list(figures_of(events, is_supervised=True))
    assert len(tasks) == 4
    (found,) = documents_of(tasks)
    before, since = found.before, found.told
    assert (found.path, before.tasks, before.rejected_reviews) == (DOCUMENT, 1, 1)
    assert (before.passed_at_once, before.setbacks, before.cost) == (0, 1, Decimal("0.3"))
    assert (since.tasks, since.passed_at_once, since.setbacks) == (2, 1, 1)
    assert (since.rejected_reviews, since.cost) == (0, Decimal("0.10"))


def test_no_task_has_no_rate() -> None:
    nothing = rates_of([])
    assert (nothing.tasks, nothing.passed_at_once, nothing.cost) == (0, 0, Decimal(0))


def look(name: str, outcome: RunOutcome, cost: str) -> SupervisorRan:
    return SupervisorRan(
        step=STEP,
        visit=1,
        supervisor=name,
        title=name,
        outcome=outcome,
        after=1,
        commit=CommitSha("c" * 40),
        usage=Usage(tokens_in=5, tokens_out=1, cost=Decimal(cost)),
    )


@pytest.mark.parametrize(
    ("cost", "told"),
    [
        ("0", "design: found nothing"),
        ("0.031", "design: found nothing, cost 0.031 $ where 0.02 to 0.04 $ were expected"),
    ],
)
def test_the_line_of_a_look_says_what_it_cost(cost: str, told: str) -> None:
    assert look_sentence(look("design", RunOutcome.REVIEWED, cost)) == told


def test_what_looks_cost_stands_beside_what_was_expected() -> None:
    style, design = costs_of(
        [
            look("code_style", RunOutcome.BOOTSTRAPPED, "0.03"),
            look("design", RunOutcome.UNAVAILABLE, "0"),
            look("code_style", RunOutcome.REVIEWED, "0.04"),
        ]
    )
    assert (style.looks, style.cost, style.tokens_in) == (2, Decimal("0.07"), 10)
    assert (style.expected_least, style.expected_most) == (Decimal("0.04"), Decimal("0.08"))
    assert (design.looks, design.cost) == (0, Decimal(0))
