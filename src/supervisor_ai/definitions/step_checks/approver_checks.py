"""What must hold for a review whose approvers depend on how complex the change is."""

from collections.abc import Callable, Mapping
from typing import Final

from supervisor_ai.definitions.schema.config import RoleShape, step_roles
from supervisor_ai.definitions.schema.workflows import ApproversShape
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace, unknown
from supervisor_ai.definitions.templates.agreement import majority, needed, said_total, sizes
from supervisor_ai.definitions.templates.approvers import (
    IMPOSSIBLE,
    Levels,
    everybody,
    levels,
    levels_of,
)
from supervisor_ai.definitions.templates.step_notes import StepNotes
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Cli, Workflow

_KEY: Final = "approvers"


def check_approvers(
    notes: StepNotes, written: ApproversShape, roles: Mapping[str, RoleShape]
) -> None:
    """Note whoever could be waited for in vain."""
    shape = notes.draft.shape
    for key in ("role", "roles"):
        if getattr(shape, key) is not None:
            notes.add(_KEY, f"contradicts `{key}`; give one of the two")
    if written.table is not None and written.model_fields_set != {"table"}:
        notes.add(_KEY, "is `matrix` and a table of its own; give one of the two")
    found = levels(written)
    if not all(found.values()):
        notes.add_gap(_KEY, "has nobody for `simple`; a level left out is as the one below")
        return
    for name in everybody(found):
        _check_role(notes, name, found, roles)
    _check_numbers(notes, found)


def check_agents(
    workflow: Workflow, places: Mapping[StepName, FilePlace], pick: Callable[[str], Cli]
) -> None:
    """Refuse a run that would wait for the agreement of a role without an agent."""
    mistakes = FileMistakes()
    for step in workflow.steps.values():
        for name in everybody(step.approvers):
            try:
                pick(name)
            except (InvalidInput, NotFound) as error:
                where = levels_of(step.approvers, name)
                problem = f"{IMPOSSIBLE}: the role {name!r} ({where}) has no agent"
                mistakes.add(places[step.name], f"{problem}: {error.message}")
    if mistakes:
        raise mistakes.error()


def _check_role(notes: StepNotes, name: str, found: Levels, roles: Mapping[str, RoleShape]) -> None:
    role, where = roles.get(name), levels_of(found, name)
    if role is None:
        problem = f"{IMPOSSIBLE}: ({where}) {unknown('role', name, step_roles(roles))}"
        notes.add_unknown(_KEY, "role", name, problem)
    elif role.answer != "review":
        problem = f"{IMPOSSIBLE}: the role {name!r} ({where}) gives the answer {role.answer!r}"
        notes.add(_KEY, f"{problem}; only a review can agree")


def _check_numbers(notes: StepNotes, found: Levels) -> None:
    shape = notes.draft.shape
    if shape.parallel is False:
        notes.add("parallel", "is false, but several roles always work side by side")
    rule = shape.aggregate.rule if shape.aggregate else None
    if rule == "majority":
        most = needed(shape) or 0
        # A run asks for one number of roles, or for all where there are fewer.
        if any(min(most, size) != majority(size) for size in sizes(shape)):
            problem = "is another number of roles at each level of `approvers`"
            notes.add("aggregate", f"{problem}; write all, any or N_of")
        return
    count, total = needed(shape), said_total(shape)
    for level, names in found.items():
        if count is not None and count > len(names):
            problem = f"{IMPOSSIBLE}: asks {count} roles to agree, but {level.value} has"
            notes.add("aggregate", f"{problem} {len(names)}: {', '.join(names)}")
        if total is not None and total != len(names):
            problem = f"speaks of {total} roles, but {level.value} has {len(names)}"
            notes.add("aggregate", problem)
