"""The steps of the workflow that every loop has: its nodes, and the gates between them."""

from collections.abc import Sequence
from typing import Final

from supervisor_ai.definitions.config.step_chains import linked
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Step, StepKind, StepWord, Workflow
from supervisor_ai.drivers.loop.kinds import BOOKKEEPING, SUPERVISION, LoopNode
from supervisor_ai.drivers.quality.supervisors import SupervisorSpec

NAME: Final = "loop"
IMPLEMENTOR: Final = StepName(LoopNode.IMPLEMENTOR)
SUPERVISORS: Final = StepName(LoopNode.RUN_SUPERVISORS)
ROLES: Final = {
    LoopNode.SCOPE_AGENT: "scope_agent",
    LoopNode.TASK_PLANNER: "task_planner",
    LoopNode.IMPLEMENTOR: "loop_implementor",
    LoopNode.QA: "loop_qa",
    LoopNode.ASSESSOR: "assessor",
}
"""Who does what, by node."""
RESERVED: Final = (*map(StepName, LoopNode), StepName(f"{IMPLEMENTOR}-guard"))
"""What no step of somebody else may be called here."""
_DESCRIPTION: Final = "A remit, task by task, until its milestones are reached"


def loop_workflow(checks: Sequence[Step], supervisors: Sequence[SupervisorSpec]) -> Workflow:
    """Return the nodes of the loop; where it goes from one to another, its table says."""
    roles = tuple(dict.fromkeys(it.role for it in supervisors))
    steps = (
        _role(LoopNode.SCOPE_AGENT, LoopNode.TASK_PLANNER, "The remit is put into milestones"),
        _role(LoopNode.TASK_PLANNER, LoopNode.IMPLEMENTOR, "The next task is planned"),
        *linked(_role(LoopNode.IMPLEMENTOR, LoopNode.QA, "The task is done"), checks),
        _role(LoopNode.QA, LoopNode.MARK_COMPLETE, "Somebody else looks whether the task is done"),
        _node(
            LoopNode.MARK_COMPLETE,
            LoopNode.TASK_PLANNER,
            "What was done for the task is committed",
            kind=StepKind.COMMIT,
        ),
        _node(LoopNode.MARK_FAILED, LoopNode.ASSESSOR, "The task is given up"),
        Step(
            name=SUPERVISORS,
            kind=SUPERVISION,
            roles=roles,
            next=StepName(LoopNode.TASK_PLANNER),
            description="The quality supervisors look whose turn it is",
        ),
        _role(LoopNode.ASSESSOR, LoopNode.TASK_PLANNER, "The way so far is held against the remit"),
        _node(LoopNode.POLISH, LoopNode.REPORT, "What is left of cleanup is worked off"),
        _node(LoopNode.REPORT, None, "What the work came to is written down"),
    )
    return Workflow(
        name=NAME,
        description=_DESCRIPTION,
        initial_step=StepName(LoopNode.SCOPE_AGENT),
        steps={step.name: step for step in steps},
    )


def _role(node: LoopNode, following: LoopNode, description: str) -> Step:
    return Step(
        name=StepName(node),
        kind=StepKind.ROLE,
        role=ROLES[node],
        next=StepName(following),
        description=description,
    )


def _node(
    node: LoopNode, following: LoopNode | None, description: str, kind: StepWord = BOOKKEEPING
) -> Step:
    return Step(
        name=StepName(node),
        kind=kind,
        next=None if following is None else StepName(following),
        terminal=following is None,
        description=description,
    )
