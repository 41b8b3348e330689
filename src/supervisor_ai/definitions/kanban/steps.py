"""The steps of the workflow that every kanban has."""

from collections.abc import Sequence
from typing import Final

from supervisor_ai.definitions.config.step_chains import linked
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import MAX_RETRIES, Step, StepKind, Workflow
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.kinds import READ_FILES
from supervisor_ai.drivers.kanban.settings import EXACT
from supervisor_ai.drivers.kanban.state import (
    ARCHITECT,
    IMPLEMENTOR,
    LAND_KANBAN,
    LAND_TASK,
    MANAGER,
    READING,
)

NAME: Final = "kanban"
GUARD: Final = StepName(f"{IMPLEMENTOR}-guard")
RESERVED: Final = (READING, ARCHITECT, IMPLEMENTOR, GUARD, LAND_TASK, MANAGER, LAND_KANBAN)
"""What no step of somebody else may be called here."""
_DESCRIPTION: Final = "The tasks of a kanban, one after the other"


def kanban_workflow(checks: Sequence[Step], *, retry: str, creates: bool) -> Workflow:
    """Return the steps by which the tasks of a kanban are done, round after round.

    Where a kanban is created first, the run begins with the Manager and ends with what he wrote.
    """
    implementor = _role(IMPLEMENTOR, retry, LAND_TASK, "The code is changed as the task asks")
    after_plan = None if creates else READING
    steps = (
        Step(
            name=READING,
            kind=READ_FILES,
            next=IMPLEMENTOR,
            description="The files say which task is next, and who does it",
        ),
        _role(ARCHITECT, retry, LAND_TASK, "The task is explored, designed or reviewed"),
        *linked(implementor, checks),
        _commit(LAND_TASK, MANAGER, "What was done for the task is kept"),
        _role(MANAGER, retry, LAND_KANBAN, "The plan is brought up to date"),
        _commit(LAND_KANBAN, after_plan, "The plan is kept"),
    )
    return Workflow(
        name=NAME,
        description=_DESCRIPTION,
        initial_step=MANAGER if creates else READING,
        steps={step.name: step for step in steps},
    )


def _role(name: StepName, retry: str, following: StepName, description: str) -> Step:
    made = Step(
        name=name,
        kind=StepKind.ROLE,
        role=name,
        next=following,
        max_retries=MAX_RETRIES,
        description=description,
    )
    return replace(made, retry_policy=EXACT) if retry == EXACT else made


def _commit(name: StepName, following: StepName | None, description: str) -> Step:
    return Step(
        name=name,
        kind=StepKind.COMMIT,
        next=following,
        terminal=following is None,
        description=description,
    )
