"""What lets a change land, and what says nothing about that."""

from typing import Final

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, StepName, TreeSha
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.approvals.policy import ApprovalAction, Assessment, RiskLevel
from supervisor_ai.drivers.moves.clearance import Clearance, evolve

STEP: Final = StepName("commit")
TREE: Final = TreeSha("t")
COMMIT: Final = CommitSha("c")
STARTED: Final = e.AssessmentStarted(step=STEP, visit=1, tree=TREE, commit=COMMIT)
ASSESSED: Final = e.ChangeAssessed(
    step=STEP,
    visit=1,
    tree=TREE,
    commit=COMMIT,
    assessment=Assessment(level=RiskLevel.LOW, action=ApprovalAction.AUTO_APPROVE, because=()),
    facts=(),
    shown=ArtifactHash("a" * 64),
)


def test_an_assessment_that_was_begun_clears_the_change() -> None:
    begun = evolve(Clearance(), STARTED, None)
    assert evolve(begun, ASSESSED, None).cleared == TREE


def test_an_assessment_under_a_policy_that_is_gone_says_nothing() -> None:
    begun = evolve(Clearance(), STARTED, None)
    assert evolve(begun.voided(), ASSESSED, None) == Clearance()


def test_what_is_not_about_the_change_leaves_it_as_it_is() -> None:
    assert evolve(Clearance(), e.StepPassed(step=STEP, visit=1), None) == Clearance()
