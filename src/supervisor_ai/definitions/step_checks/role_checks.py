"""What must hold for a step that roles do."""

from collections.abc import Mapping

from supervisor_ai.definitions.schema.config import RoleShape, step_roles
from supervisor_ai.definitions.sources.mistakes import suggestion, unknown
from supervisor_ai.definitions.step_checks.approver_checks import check_approvers
from supervisor_ai.definitions.templates.agreement import OF_ALL, is_structured, needed, said_total
from supervisor_ai.definitions.templates.step_notes import StepNotes
from supervisor_ai.domain.run.answers import MEANINGS, AnswerWord, Meaning
from supervisor_ai.domain.run.failures.retries import RetryPolicy


def check_role_step(
    notes: StepNotes, roles: Mapping[str, RoleShape], policies: Mapping[str, RetryPolicy]
) -> None:
    """Note everything that is wrong with a step that roles do."""
    shape, crew = notes.draft.shape, notes.draft.crew
    _check_gate(notes)
    _check_retries(notes, policies)
    if shape.role is not None and shape.roles is not None:
        notes.add("roles", "contradicts `role`; give one of the two")
    if shape.approvers is not None:
        check_approvers(notes, shape.approvers, roles)
        return
    if not crew:
        notes.add_gap("role", "is missing")
    if len(crew) > 1:
        _check_crew(notes, roles)
    elif shape.parallel or shape.aggregate is not None:
        key = "parallel" if shape.parallel else "aggregate"
        notes.add(key, "has no meaning for one role; name several: `roles: [...]`")
    for name in crew:
        _check_role(notes, name, roles)


def _check_gate(notes: StepNotes) -> None:
    shape = notes.draft.shape
    if shape.gate is None:
        return
    if not is_structured(shape.gate):
        problem = "has no meaning for a step of type 'role'; make the gate a step of its own"
        notes.add("gate", problem)
    elif shape.gate in OF_ALL and len(notes.draft.crew) == 1:
        notes.add("gate", f"{shape.gate!r} needs several roles; name them: `roles: [...]`")
    elif shape.gate in OF_ALL and needed(shape) is not None:
        notes.add("aggregate", f"contradicts the gate {shape.gate!r}")


def _check_retries(notes: StepNotes, policies: Mapping[str, RetryPolicy]) -> None:
    shape, chosen = notes.draft.shape, notes.draft.shape.retry_policy
    if chosen is None:
        return
    if chosen.name is not None and chosen.name not in policies:
        notes.add("retry_policy", unknown("retry policy", chosen.name, sorted(policies)))
    if chosen.max_attempts is not None and shape.max_retries is not None:
        notes.add("max_retries", "contradicts `retry_policy.max_attempts`; give one of the two")


def _check_crew(notes: StepNotes, roles: Mapping[str, RoleShape]) -> None:
    shape, crew = notes.draft.shape, notes.draft.crew
    if shape.parallel is False:
        notes.add("parallel", "is false, but several roles always work side by side")
    if len(set(crew)) < len(crew):
        notes.add("roles", "names a role twice; give the second one a role of its own")
    count, total = needed(shape), said_total(shape)
    if count is not None and count > len(crew):
        notes.add("aggregate", f"asks {count} roles to agree, but the step has {len(crew)}")
    if total is not None and total != len(crew):
        notes.add("aggregate", f"speaks of {total} roles, but the step has {len(crew)}")
    if any(name in roles and roles[name].writes for name in crew):
        notes.add("roles", "names a role that writes; only roles that judge can share a step")


def _check_role(notes: StepNotes, name: str, roles: Mapping[str, RoleShape]) -> None:
    shape, role = notes.draft.shape, roles.get(name)
    key, known = "role" if shape.roles is None else "roles", step_roles(roles)
    if role is None:
        notes.add_unknown(key, "role", name, unknown("role", name, known))
        return
    if role.of_slice is not None:
        near = suggestion(name, known)
        meant = f"; did you mean {near!r}?" if near else ", not for steps of a workflow"
        notes.add(key, f"names {name!r}, a role for {role.of_slice.works_on}{meant}")
        return
    if shape.on_reject is not None and not (_can_reject(role) or shape.human_approval):
        notes.add("on_reject", f"has no meaning: the role {name!r} never rejects")
    if shape.degrade and not role.writes:
        notes.add("degrade", f"has no meaning: the role {name!r} implements nothing")


def _can_reject(role: RoleShape) -> bool:
    return Meaning.REJECT in MEANINGS[AnswerWord(role.answer)].values()
