"""The steps of the workflow that every loop has: its nodes, and the gates between them."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from supervisor_ai.definitions.config.step_chains import linked
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Step, StepKind, StepWord, Workflow
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop.kinds import (
    BOOKKEEPING,
    RESEARCHER,
    SUMMARIZER,
    SUPERVISION,
    LoopNode,
)
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


def loop_workflow(
    checks: Sequence[Step], supervisors: Sequence[SupervisorSpec], aides: Collection[str] = ()
) -> Workflow:
    """Return the nodes of the loop; where it goes from one to another, its table says.

    `aides` are those of the roles that help on the side, and can be had.
    """
    looking = tuple(it.role for it in supervisors if not it.lacks)
    roles = (*looking, SUMMARIZER) if SUMMARIZER in aides else looking
    asks = RESEARCHER in aides
    gates = [it for it in checks if it.kind == StepKind.GATE]
    steps = (
        _asking(
            _role(LoopNode.SCOPE_AGENT, LoopNode.TASK_PLANNER, "The remit is put into milestones"),
            asks=asks,
        ),
        _asking(
            _role(LoopNode.TASK_PLANNER, LoopNode.IMPLEMENTOR, "The next task is planned"),
            asks=asks,
        ),
        *linked(_role(LoopNode.IMPLEMENTOR, LoopNode.QA, "The task is done"), gates),
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
        *_after_milestones([it for it in checks if it.kind != StepKind.GATE]),
        _node(LoopNode.POLISH, LoopNode.REPORT, "What is left of cleanup is worked off"),
        _node(LoopNode.REPORT, None, "What the work came to is written down"),
    )
    return Workflow(
        name=NAME,
        description=_DESCRIPTION,
        initial_step=StepName(LoopNode.SCOPE_AGENT),
        steps={step.name: step for step in steps},
    )


def milestone_steps(workflow: Workflow) -> tuple[StepName, ...]:
    """Name the steps that another slice decides, in their order."""
    own = {StepKind.ROLE, StepKind.GATE, StepKind.COMMIT, BOOKKEEPING, SUPERVISION}
    return tuple(it.name for it in workflow.steps.values() if it.kind not in own)


def _after_milestones(steps: Sequence[Step]) -> Iterator[Step]:
    """Lead through what others decide about a milestone, back to the planner."""
    if not steps:
        return
    planner = StepName(LoopNode.TASK_PLANNER)
    first, *following = (replace(it, on_reject=planner) for it in steps)
    yield from linked(replace(first, next=planner, terminal=False), following)


def _role(node: LoopNode, following: LoopNode, description: str) -> Step:
    return Step(
        name=StepName(node),
        kind=StepKind.ROLE,
        role=ROLES[node],
        next=StepName(following),
        description=description,
    )


def _asking(step: Step, *, asks: bool) -> Step:
    """Let somebody else answer the questions of whoever does a step."""
    return replace(step, roles=(*step.crew, RESEARCHER)) if asks else step


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
