"""The steps of the workflow that every loop has: its nodes, and the gates between them."""

from collections.abc import Sequence
from typing import Final

from supervisor_ai.definitions.config.step_chains import linked
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Step, StepKind, StepWord, Workflow
from supervisor_ai.drivers.loop.kinds import BOOKKEEPING, SUPERVISION, Node
from supervisor_ai.drivers.quality.supervisors import SupervisorSpec

NAME: Final = "loop"
IMPLEMENTOR: Final = StepName(Node.IMPLEMENTOR)
SUPERVISORS: Final = StepName(Node.RUN_SUPERVISORS)
ROLES: Final = {
    Node.SCOPE_AGENT: "scope_agent",
    Node.TASK_PLANNER: "task_planner",
    Node.IMPLEMENTOR: "loop_implementor",
    Node.QA: "loop_qa",
    Node.ASSESSOR: "assessor",
}
"""Who does what, by node."""
RESERVED: Final = (*map(StepName, Node), StepName(f"{IMPLEMENTOR}-guard"))
"""What no step of somebody else may be called here."""
_DESCRIPTION: Final = "A remit, task by task, until its milestones are reached"


def loop_workflow(checks: Sequence[Step], supervisors: Sequence[SupervisorSpec]) -> Workflow:
    """Return the nodes of the loop; where it goes from one to another, its table says."""
    roles = tuple(dict.fromkeys(it.role for it in supervisors))
    steps = (
        _role(Node.SCOPE_AGENT, Node.TASK_PLANNER, "The remit is put into milestones"),
        _role(Node.TASK_PLANNER, Node.IMPLEMENTOR, "The next task is planned"),
        *linked(_role(Node.IMPLEMENTOR, Node.QA, "The task is done"), checks),
        _role(Node.QA, Node.MARK_COMPLETE, "Somebody else looks whether the task is done"),
        _node(
            Node.MARK_COMPLETE,
            Node.TASK_PLANNER,
            "What was done for the task is committed",
            kind=StepKind.COMMIT,
        ),
        _node(Node.MARK_FAILED, Node.ASSESSOR, "The task is given up"),
        Step(
            name=SUPERVISORS,
            kind=SUPERVISION,
            roles=roles,
            next=StepName(Node.TASK_PLANNER),
            description="The quality supervisors look whose turn it is",
        ),
        _role(Node.ASSESSOR, Node.TASK_PLANNER, "The way so far is held against the remit"),
        _node(Node.POLISH, Node.REPORT, "What is left of cleanup is worked off"),
        _node(Node.REPORT, None, "What the work came to is written down"),
    )
    return Workflow(
        name=NAME,
        description=_DESCRIPTION,
        initial_step=StepName(Node.SCOPE_AGENT),
        steps={step.name: step for step in steps},
    )


def _role(node: Node, following: Node, description: str) -> Step:
    return Step(
        name=StepName(node),
        kind=StepKind.ROLE,
        role=ROLES[node],
        next=StepName(following),
        description=description,
    )


def _node(
    node: Node, following: Node | None, description: str, kind: StepWord = BOOKKEEPING
) -> Step:
    return Step(
        name=StepName(node),
        kind=kind,
        next=None if following is None else StepName(following),
        terminal=following is None,
        description=description,
    )
