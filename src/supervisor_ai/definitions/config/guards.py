"""What looks at every change that a role makes, right behind the step that made it."""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.definitions.config.gate_build import in_step, make_gate
from supervisor_ai.definitions.config.known_gates import GUARDS, TEST
from supervisor_ai.definitions.config.settings import EffectiveSettings
from supervisor_ai.definitions.config.step_chains import GatedWorkflow, free_name, gate_step, linked
from supervisor_ai.definitions.schema.config import RoleShape
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Gate, Step, Workflow
from supervisor_ai.domain.run.gates import Area, GateKind, GatePolicy
from supervisor_ai.domain.structs import replace

_LOOKING: Final = frozenset({*GUARDS, GateKind.RED_BEFORE_GREEN})


def areas(role: RoleShape) -> tuple[Area, ...]:
    """Say what a role may change of that by which its work is judged, nothing twice."""
    return tuple(dict.fromkeys(Area(name) for name in role.may_change or ()))


class Guarding(Struct, frozen=True, kw_only=True):
    """What decides which guards stand behind a step."""

    settings: EffectiveSettings
    roles: Mapping[str, RoleShape]
    tdd: Mapping[StepName, bool]
    """The steps that say whether they work test first; the others leave it to their role."""
    spared: frozenset[StepName] = frozenset()
    """The steps that write, but nothing that is looked at."""

    def writer(self, step: Step) -> str | None:
        """Name the role of a step that changes files."""
        if step.name in self.spared:
            return None
        return next((name for name in step.crew if self.roles[name].writes), None)

    def may_change(self, role: str) -> tuple[Area, ...]:
        """Say what a role may change of that by which its work is judged."""
        return areas(self.roles[role])

    def is_test_first(self, step: Step, role: str) -> bool:
        """Tell whether the new tests of a step must have failed before."""
        return self.tdd.get(step.name, bool(self.roles[role].config.tdd))

    def is_on(self, gate: str) -> bool:
        """Tell whether a guard is turned on."""
        setting = self.settings.gates.get(gate)
        return setting is not None and setting.is_enabled


def with_guards(given: GatedWorkflow, guarding: Guarding) -> GatedWorkflow:
    """Put a step behind every step that writes, in which the guards look at what it did."""
    steps: dict[StepName, Step] = {}
    gates = {**given.gates, **_with_leave(given, guarding)}
    taken = {*given.workflow.steps, *given.gates}
    for step in given.workflow.steps.values():
        role = guarding.writer(step)
        wanted = {} if role is None else _guards(step, role, given.workflow, guarding)
        following: list[Step] = []
        if wanted:
            name = free_name(f"{step.name}-guard", taken)
            taken.add(name)
            made = in_step(name, {it: (gate, ()) for it, gate in wanted.items()})
            gates |= made
            following = [_guard_step(step, gate_step(name, made), wanted)]
        steps |= {one.name: one for one in linked(step, following)}
    return GatedWorkflow(workflow=replace(given.workflow, steps=steps), gates=gates)


def _guard_step(step: Step, made: Step, wanted: Mapping[str, Gate]) -> Step:
    return replace(
        made,
        on_fail=step.name,
        asks_at_last=True,
        max_retries=step.max_retries,
        description=f"What {step.name} reports and changes is looked at: {', '.join(wanted)}",
    )


def _guards(step: Step, role: str, workflow: Workflow, guarding: Guarding) -> dict[str, Gate]:
    limit, may_change = guarding.settings.limits.step_timeout, guarding.may_change(role)
    gates = guarding.settings.gates
    made = {
        name: make_gate(name, gates[name], gates, limit=limit)
        for name in _names(step, role, guarding)
    }
    if any(it.approvers for it in workflow.steps.values()):
        complexity = GateKind.COMPLEXITY
        made[complexity] = Gate(
            name=complexity,
            command=(),
            timeout=limit,
            is_advisory=True,
            kind=complexity,
            policy=GatePolicy.WARN,
        )
    return {
        name: replace(gate, may_change=may_change, judges=_judged(gate, step))
        for name, gate in made.items()
    }


def _judged(gate: Gate, step: Step) -> StepName | None:
    """Hold a step to its own new tests: nobody can mend what somebody else wrote."""
    return step.name if gate.kind == GateKind.RED_BEFORE_GREEN else None


def _names(step: Step, role: str, guarding: Guarding) -> Iterator[str]:
    own = guarding.roles[role].of_slice
    left_out = {GateKind.CLAIMS} if own is not None and not own.list_files else set()
    wanted = (guard for guard in GUARDS if guard not in left_out)
    yield from (name for name in wanted if guarding.is_on(name))
    red = GateKind.RED_BEFORE_GREEN
    if guarding.is_test_first(step, role) and guarding.is_on(red) and _can_test(guarding, red):
        yield red


def _can_test(guarding: Guarding, red: str) -> bool:
    """Tell whether there is a command that runs the tests."""
    gates = guarding.settings.gates
    test = gates.get(TEST)
    own = gates[red].command
    return own is not None or (test is not None and test.is_enabled and test.command is not None)


def _with_leave(given: GatedWorkflow, guarding: Guarding) -> dict[str, Gate]:
    """Let a guard that a file names know what those may change to whom it goes back."""
    found: dict[str, Gate] = {}
    steps = given.workflow.steps
    for step in steps.values():
        back = steps.get(step.on_fail) if step.on_fail else None
        role = guarding.writer(back) if back else None
        for key in step.checks if role else ():
            gate = given.gates[key]
            if role and back and gate.kind in _LOOKING:
                may_change, judged = guarding.may_change(role), _judged(gate, back)
                found[key] = replace(gate, may_change=may_change, judges=judged)
    return found
