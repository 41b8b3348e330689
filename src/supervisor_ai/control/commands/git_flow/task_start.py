"""Start a task: a run on a branch of its own, whose work lands when a person completes it."""

from collections.abc import Callable

from supervisor_ai.control.commands.run_start import PreparedRun, submit
from supervisor_ai.control.ports.workspace_inventory import Inventory
from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.errors import Conflict, InvalidInput
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.structs import replace


def as_task(prepared: PreparedRun) -> PreparedRun:
    """Let a run wait with its landing until a person completes the task."""
    definition = prepared.definition
    if all(step.kind != StepKind.COMMIT for step in definition.workflow.steps.values()):
        raise InvalidInput(
            f"Workflow {definition.workflow.name!r} has no step that commits, so there would be"
            " nothing to complete.",
            hint="Start it with `supervisor run`, or choose another: --workflow NAME",
        )
    waiting = replace(definition.git, auto_commit=False)
    return replace(prepared, definition=replace(definition, git=waiting))


def require_branch(inventory: Inventory, prepared: PreparedRun) -> None:
    """Refuse a task whose branch could never be made."""
    if not inventory.can_make_branch(prepared.branch):
        raise Conflict(
            f"There is a branch {prepared.branch!r} already.",
            hint="Choose other names: git.branch_pattern in .supervisor/config.yaml",
        )


async def submit_task(
    project: OpenProject,
    inventory: Inventory,
    prepared: PreparedRun,
    *,
    queued: bool,
    tell: Callable[[str], None],
) -> RunId:
    """Submit a task and make its branch where it starts; the checkout stays as it is.

    A branch that nobody came to make is made by the landing.
    """
    run = await submit(project, prepared, queued=queued)
    branch = project.birth(run).branch
    if branch != prepared.branch:
        tell(f"note: another task has taken the number meanwhile; the branch is {branch}.")
    if prepared.definition.git.auto_branch and branch is not None:
        inventory.make_branch(branch, prepared.base.sha)
    return run
