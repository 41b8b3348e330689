"""Branches of new runs: how they would be called."""

from collections.abc import Callable
from functools import partial
from itertools import count

from msgspec import Struct

from supervisor_ai.control.records import Records
from supervisor_ai.domain.git_flow.branch_pattern import branch_name, needs_number
from supervisor_ai.domain.ids import RunId
from supervisor_ai.engine.ports.workspaces import Repository
from supervisor_ai.engine.streams.project_view import ProjectView


class TaskBranch(Struct, frozen=True, kw_only=True):
    """The name of a branch, with the number of the task where it is in it."""

    name: str
    number: int | None = None


Naming = Callable[[int], TaskBranch]
"""Names a branch by the number of the task that was counted last."""


def last_task(records: Records) -> int:
    """Tell the number of the task that was counted last in the project."""
    return ProjectView(records.log).refresh().tasks


def naming(repository: Repository, pattern: str, run: RunId, task: str) -> Naming | None:
    """Return what names the branch of a task; None: no number is needed for it."""
    return partial(_named, repository, pattern, run, task) if needs_number(pattern) else None


def choose_branch(
    repository: Repository, pattern: str, run: RunId, task: str, last_task: Callable[[], int]
) -> str:
    """Name the branch that a run would have; of a number, another run may be the first to take."""
    name = naming(repository, pattern, run, task)
    return branch_name(pattern, run, task) if name is None else name(last_task()).name


def _named(repository: Repository, pattern: str, run: RunId, task: str, last: int) -> TaskBranch:
    """Take the first number whose branch is not there yet: a new ledger begins to count anew."""
    named = (
        TaskBranch(name=branch_name(pattern, run, task, number), number=number)
        for number in count(last + 1)
    )
    return next(it for it in named if repository.branch_tip(it.name) is None)
