"""Other roles for the steps of one run: what the user says on the command line."""

from collections.abc import Callable, Mapping
from typing import Final

from supervisor_ai.control.slice_names import registered_answer
from supervisor_ai.definitions.schema.config import RoleShape, meant_role, step_roles
from supervisor_ai.definitions.sources.mistakes import suggestion
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Step, StepKind, Workflow
from supervisor_ai.domain.structs import replace

EVERY_STEP: Final = "*"
PackHint = Callable[[str], str | None]
"""Says which pack has a role that there is not."""


def assigned(
    workflow: Workflow,
    wanted: Mapping[str, str],
    roles: Mapping[str, RoleShape],
    pack_of: PackHint,
) -> Workflow:
    """Give steps the roles that were asked for; `*` stands for all whose answer is the same."""
    steps = dict(workflow.steps)
    for at, asked in wanted.items():
        name = meant_role(roles, asked)
        role = find_role(roles, name, pack_of)
        if at == EVERY_STEP:
            fitting = [step for step in steps.values() if _answer(step, roles) == role.answer]
            if not fitting:
                raise InvalidInput(
                    f"No step of {workflow.name!r} has a role that answers as {name!r} does."
                )
        else:
            fitting = [_fitting(workflow, at, name, roles)]
        steps |= {step.name: _alone(step, name) for step in fitting}
    return replace(workflow, steps=steps)


def _alone(step: Step, role: str) -> Step:
    return replace(step, role=role, roles=(), needed=None, approvers={})


def find_role(roles: Mapping[str, RoleShape], name: str, pack_of: PackHint) -> RoleShape:
    """Find a role by its name."""
    if name in roles:
        return roles[name]
    # Most people mean a role for a step, also where that of a driver is called almost the same.
    near = suggestion(name, step_roles(roles)) or suggestion(name, roles)
    listed = f"Did you mean {near!r}?" if near else f"Roles: {', '.join(sorted(roles))}."
    where = pack_of(name)
    hint = f"{where[0].upper()}{where[1:]}." if where else listed
    raise NotFound(f"Role {name!r} was asked for, but there is no such role.", hint=hint)


def _fitting(workflow: Workflow, at: str, name: str, roles: Mapping[str, RoleShape]) -> Step:
    step = workflow.steps.get(StepName(at))
    if step is None or step.kind != StepKind.ROLE:
        takers = [one.name for one in workflow.steps.values() if one.kind == StepKind.ROLE]
        near = suggestion(at, takers)
        hint = f"Did you mean {near!r}?" if near else f"Steps with a role: {', '.join(takers)}."
        raise NotFound(f"The workflow {workflow.name!r} has no step {at!r} with a role.", hint=hint)
    usual, other = _answer(step, roles), roles[name].answer
    if usual != other:
        raise InvalidInput(
            f"The step {at!r} needs a role that answers with {_a(usual)}, but {name!r} answers "
            f"with {_a(other)}."
        )
    return step


def _answer(step: Step, roles: Mapping[str, RoleShape]) -> str | None:
    return roles[step.crew[0]].answer if step.crew else None


def _a(answer: str | None) -> str:
    own = registered_answer(answer or "")
    if own is not None:
        return own.noun
    return f"an {answer}" if answer == AnswerKind.IMPLEMENTATION else f"a {answer}"
