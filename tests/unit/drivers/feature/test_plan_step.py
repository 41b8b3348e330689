"""The step that makes a plan of what was answered."""

from tests.support.kernel import Kernel, flow, work

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, StepName, TreeSha
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Step
from supervisor_ai.domain.run.run import Decision
from supervisor_ai.domain.run.status import RunStatus, StepStatus
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.drafts.step import DECIDER
from supervisor_ai.drivers.feature.effects import DraftPlan
from supervisor_ai.drivers.feature.kinds import OF_COMPONENTS, OF_PHASES, OF_PLAN
from supervisor_ai.drivers.moves.state import News, StepRecord, Visit, WorkflowState

CHECK = StepName("check")
AT = Step(name=CHECK, kind=OF_PLAN, on_reject=StepName("components"), particulars="F1")
HEAD = Snapshot(commit=CommitSha("c"), tree=TreeSha("t"))


def decided(news: News | None, *answers: str) -> Decision:
    definition = flow(work("phases", OF_PHASES), work("components", OF_COMPONENTS), AT)
    names = {OF_PHASES: "phases", OF_COMPONENTS: "components"}
    one = next(iter(definition.roles.values()))
    roles = {str(kind): replace(one, name=kind, answer=kind) for kind in names}
    kernel = Kernel(None)
    run = kernel.play(kernel.submit(definition)).run
    visit = Visit(step=CHECK, number=1, start=HEAD.commit)
    state = WorkflowState(
        definition=replace(definition, roles=roles),
        head=HEAD,
        visit=visit,
        news=news,
        answers={StepName(it): ArtifactHash(it) for it in answers},
        steps={CHECK: StepRecord(status=StepStatus.RUNNING, visits=1)},
    )
    return DECIDER(run, state, replace(AT, terminal=True), visit)


def test_what_was_answered_is_put_together() -> None:
    (effect,) = decided(None, "phases", "components").effects
    assert isinstance(effect, DraftPlan)
    assert (effect.feature, effect.phases, effect.components) == ("F1", "phases", "components")
    (effect,) = decided(None).effects
    assert isinstance(effect, DraftPlan)
    assert effect.phases is None


def test_a_plan_without_mistakes_ends_the_run() -> None:
    drafted = f.PlanDrafted(
        step=CHECK, visit=1, feature="F1", plan=ArtifactHash("plan"), components=1
    )
    ending = decided(drafted).ending
    assert ending is not None
    assert ending.status is RunStatus.COMPLETED


def test_what_makes_no_plan_goes_back_with_the_findings() -> None:
    refused = f.PlanRefused(step=CHECK, visit=1, findings=ArtifactHash("wrong"))
    failed, entered = decided(refused).events
    assert isinstance(failed, e.StepFailed)
    assert isinstance(entered, e.StepEntered)
    assert (entered.step, entered.feedback[0].artifact) == ("components", "wrong")


def test_what_has_no_outcome_is_lost_and_done_again() -> None:
    begun = f.PlanDraftStarted(step=CHECK, visit=1)
    assert begun.lost() == f.PlanDraftLost(step=CHECK, visit=1)
    revert = f.RevertStarted(step=CHECK, visit=1, commit=HEAD.commit, onto=HEAD.commit)
    assert revert.lost() == f.RevertLost(step=CHECK, visit=1)
