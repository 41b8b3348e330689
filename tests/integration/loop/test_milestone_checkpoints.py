"""A checkpoint after each milestone of a loop: it looks at the loop's own record."""

from typing import Final

from tests.support.loop_scene import Scene, loop_definition

from supervisor_ai.definitions.loop.steps import milestone_steps
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Step
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.checks.catalogue import spec_of
from supervisor_ai.drivers.checkpoint.checks.model import CheckGroup, CheckSpec
from supervisor_ai.drivers.checkpoint.decisions.workflow_step import CheckpointStep, encode
from supervisor_ai.drivers.checkpoint.kinds import CHECKPOINT
from supervisor_ai.drivers.loop.definition import LoopDefinition
from supervisor_ai.drivers.loop.kinds import LoopNode

SUPERVISE: Final = StepName("supervise")
GOOD: Final = (spec_of("role_errors"),)
BAD: Final = tuple(
    CheckSpec(
        id=word.lower(),
        rule="contains_heading",
        title=word,
        group=CheckGroup.PROCESS,
        params={"path": "record/task.md", "heading": word},
    )
    for word in ("Poems", "Songs")
)


def checked(*checks: CheckSpec) -> LoopDefinition:
    own = CheckpointStep(checkpoint="CHECKPOINT-003", checks=checks)
    step = Step(
        name=SUPERVISE,
        kind=CHECKPOINT,
        particulars=encode(own),
        next=StepName(LoopNode.TASK_PLANNER),
        on_reject=StepName(LoopNode.TASK_PLANNER),
    )
    made = loop_definition(supervisors=[])
    workflow = replace(made.workflow, steps={**made.workflow.steps, SUPERVISE: step})
    rules = replace(made.rules, milestone_steps=milestone_steps(workflow))
    return replace(made, workflow=workflow, rules=rules)


def test_it_is_made_after_each_milestone_and_the_loop_goes_on() -> None:
    scene = Scene(checked(*GOOD), tasks=1, milestones=2)
    assert scene.drive() is RunStatus.COMPLETED
    entered = [it.step for it in scene.events(e.StepEntered)]
    following = [entered[at + 1] for at, step in enumerate(entered) if step == SUPERVISE]
    assert following == ["task_planner", "polish"]
    assert [it.verdict for it in scene.events(k.ReportWritten)] == ["pass", "pass"]


def test_one_that_blocks_waits_for_a_person_whose_yes_lets_the_loop_go_on() -> None:
    scene = Scene(checked(*BAD))
    assert scene.drive() is RunStatus.WAITING
    assert scene.asking.step == SUPERVISE
    assert scene.approve("Poems can wait.") is RunStatus.COMPLETED


def test_a_no_is_heard_by_the_planner() -> None:
    scene = Scene(checked(*BAD))
    scene.drive()
    scene.reject("Write poems first.")
    told = [it for it in scene.requests("task_planner") if "Write poems first." in it.prompt]
    assert len(told) == 1
    assert "Milestone 1 of 1 (current)" in told[0].prompt
