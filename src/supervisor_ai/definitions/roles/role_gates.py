"""The gates of roles become steps of the workflow, right after the steps of those roles."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count

from supervisor_ai.definitions.mistakes import Mistakes
from supervisor_ai.definitions.role_shapes import RoleGateShape
from supervisor_ai.definitions.roles.book import MergedRole
from supervisor_ai.definitions.settings import Settings
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Gate, Step, StepKind, Workflow

_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedWorkflow:
    """A workflow with the gates of its roles."""

    workflow: Workflow
    gates: dict[str, Gate]


def with_role_gates(
    workflow: Workflow, gates: Mapping[str, Gate], roles: Mapping[str, MergedRole], around: Settings
) -> GatedWorkflow:
    """Put every role's gates behind its steps, in the order in which the role names them."""
    steps: dict[StepName, Step] = {}
    made: dict[str, Gate] = dict(gates)
    mistakes = Mistakes()
    taken = {*workflow.steps, *gates}
    for step in workflow.steps.values():
        wanted = [(roles[name], gate) for name in step.crew for gate in roles[name].shape.gates]
        added: list[tuple[Step, Gate]] = []
        for role, shape in _distinct(wanted):
            gate_step = _gate_step(taken, step, shape, writes=role.shape.writes)
            taken.add(gate_step.name)
            added.append((gate_step, _gate(role, shape, around, mistakes)))
        for one in _linked(step, [gate_step for gate_step, _ in added]):
            steps[one.name] = one
        made |= {gate_step.name: gate for gate_step, gate in added}
    if mistakes:
        raise mistakes.error()
    return GatedWorkflow(workflow=replace(workflow, steps=steps), gates=made)


def _distinct(
    wanted: list[tuple[MergedRole, RoleGateShape]],
) -> Iterator[tuple[MergedRole, RoleGateShape]]:
    """Let roles that work side by side share a gate of the same name."""
    seen: set[str] = set()
    for role, gate in wanted:
        if gate.name not in seen:
            seen.add(gate.name)
            yield role, gate


def _linked(step: Step, following: list[Step]) -> Iterator[Step]:
    """Lead from the step through its gates to where it led before."""
    line = [step, *following]
    for number, one in enumerate(line):
        if number < len(line) - 1:
            yield replace(one, next=line[number + 1].name, terminal=False)
        else:
            yield replace(one, next=step.next, terminal=step.terminal)


def _free_name(wanted: str, taken: Collection[str]) -> StepName:
    """Find a name that no step has; what must be cut is numbered, so that none gets lost."""
    names = (wanted[: _LONGEST_NAME - len(tail)] + tail for tail in _tails())
    return StepName(next(name for name in names if name not in taken))


def _tails() -> Iterator[str]:
    yield ""
    yield from (f"_{number}" for number in count(2))


def _gate_step(taken: Collection[str], step: Step, shape: RoleGateShape, *, writes: bool) -> Step:
    name = _free_name(f"{step.name}-{shape.name}", taken)
    back = step.on_reject or (step.name if writes else None)
    return Step(
        name=name,
        kind=StepKind.GATE,
        gate=name,
        on_fail=back if shape.on_fail == "retry" else None,
        max_retries=step.max_retries,
        description=f"What the role of {step.name} has to pass",
    )


def _gate(role: MergedRole, shape: RoleGateShape, around: Settings, mistakes: Mistakes) -> Gate:
    setting = around.gates.get(shape.name)
    command = shape.command or (setting.command if setting else None)
    if command is None:
        number = [gate.name for gate in role.shape.gates].index(shape.name)
        problem = (
            f"has no command, which the role {role.name!r} leaves to the project; "
            f"write `gates: {{{shape.name}: {{command: ...}}}}` into the config"
        )
        mistakes.add(role.place("gates", number), problem)
    timeout = shape.timeout or (setting.timeout if setting else None)
    return Gate(
        name=shape.name,
        command=tuple(command or ()),
        timeout=timeout or around.limits.step_timeout,
        is_advisory=shape.on_fail == "warn",
        min_tests=_min_tests(role, shape),
    )


def _min_tests(role: MergedRole, shape: RoleGateShape) -> int | None:
    wanted = (
        role.shape.config.min_tests_per_component if shape.min_tests is None else shape.min_tests
    )
    return wanted or None
