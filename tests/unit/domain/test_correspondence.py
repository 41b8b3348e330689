"""How letters become facts."""

from datetime import UTC, datetime

import pytest

from supervisor_ai.domain.envelope import Actor, ActorKind
from supervisor_ai.domain.ids import (
    ArtifactHash,
    CommitSha,
    LetterKey,
    RunId,
    StepName,
    TreeSha,
)
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.inbox_commands import (
    Approve,
    Cancel,
    Command,
    InboxCommand,
    Migrate,
    Reject,
    ReportChild,
)
from supervisor_ai.domain.run.inbox_replies import answer
from supervisor_ai.domain.run.run import Run, evolve, submit
from supervisor_ai.domain.run.status import Outcome, OutcomeKind, RunStatus
from supervisor_ai.domain.run.values import ApprovalReason

RUN = RunId("r1")
CHILD = RunId("r2")
STEP = StepName("sign_off")
TREE = TreeSha("t1")
NOTE = ArtifactHash("note")
OUTCOME = Outcome(kind=OutcomeKind.DONE, reason="Done.")


def letter(command: Command) -> InboxCommand:
    actor = Actor(kind=ActorKind.USER, id="ann", via="cli")
    sent = datetime(2030, 1, 1, tzinfo=UTC)
    return InboxCommand(key=LetterKey("k"), run=RUN, command=command, actor=actor, sent_at=sent)


@pytest.fixture
def waiting() -> Run:
    birth = e.RunSubmitted(
        task=NOTE,
        driver="toy",
        workflow="toy",
        definition=ArtifactHash("old"),
        base=None,
        branch=None,
        identity=None,
        parent=None,
        root=RUN,
    )
    asked = e.ApprovalRequested(
        step=STEP,
        visit=1,
        reason=ApprovalReason.HUMAN_GATE,
        tree=TREE,
        commit=CommitSha("c"),
        question=None,
    )
    run = evolve(submit(RUN, birth), e.RunStarted(driver="toy", parent=None, root=RUN))
    run = evolve(run, e.ChildStarted(step=STEP, visit=1, child=CHILD))
    return evolve(run, asked)


def test_a_person_says_yes(waiting: Run) -> None:
    given = answer(waiting, letter(Approve(step=STEP, visit=1, tree=TREE, note=NOTE)))
    assert given == e.ApprovalGiven(step=STEP, visit=1, tree=TREE, note=NOTE)


def test_a_person_says_no(waiting: Run) -> None:
    refused = answer(waiting, letter(Reject(step=STEP, visit=1, tree=TREE, note=NOTE)))
    assert refused == e.ApprovalRefused(step=STEP, visit=1, tree=TREE, note=NOTE)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (Approve(step=STEP, visit=2, tree=TREE), "Visit 2 of step 'sign_off' does not wait"),
        (Approve(step=STEP, visit=1, tree=TreeSha("t2")), "about tree 't1', not about 't2'"),
        (ReportChild(child=RunId("r9"), status=RunStatus.FAILED, outcome=OUTCOME), "'r9' is no"),
    ],
)
def test_what_does_not_fit_is_refused(waiting: Run, command: Command, reason: str) -> None:
    refused = answer(waiting, letter(command))
    assert isinstance(refused, e.CommandRefused)
    assert reason in refused.reason


def test_an_answer_without_a_question_is_refused(waiting: Run) -> None:
    answered = evolve(waiting, e.ApprovalGiven(step=STEP, visit=1, tree=TREE, note=None))
    again = answer(answered, letter(Approve(step=STEP, visit=1, tree=TREE)))
    assert isinstance(again, e.CommandRefused)


def test_a_child_reports_once(waiting: Run) -> None:
    report = letter(ReportChild(child=CHILD, status=RunStatus.COMPLETED, outcome=OUTCOME))
    ended = answer(waiting, report)
    assert ended == e.ChildEnded(child=CHILD, status=RunStatus.COMPLETED, outcome=OUTCOME)
    assert isinstance(answer(evolve(waiting, ended), report), e.CommandRefused)


def test_a_definition_is_changed_unless_there_are_problems(waiting: Run) -> None:
    wanted = letter(Migrate(definition=ArtifactHash("new")))
    migrated = e.DefinitionMigrated(previous=ArtifactHash("old"), definition=ArtifactHash("new"))
    assert answer(waiting, wanted) == migrated
    refused = answer(waiting, wanted, migration_problems=("Step 'x' is gone.",))
    assert refused == e.CommandRefused(letter=LetterKey("k"), reason="Step 'x' is gone.")


def test_a_cancel_is_always_heard(waiting: Run) -> None:
    assert answer(waiting, letter(Cancel(reason=NOTE))) == e.CancelRequested(reason=NOTE)
