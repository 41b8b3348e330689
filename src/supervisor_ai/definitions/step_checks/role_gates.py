"""The gates of roles become steps of the workflow, right after the steps of those roles."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from supervisor_ai.definitions.config.gate_build import in_step, make_gate
from supervisor_ai.definitions.config.gate_order import check_circles, unknown_gate, with_needed
from supervisor_ai.definitions.config.gates import (
    ConfiguredGate,
    Gates,
    merged_gate,
    refuse_command,
)
from supervisor_ai.definitions.config.known_gates import kind_of_gate
from supervisor_ai.definitions.config.settings import EffectiveSettings
from supervisor_ai.definitions.config.step_chains import GatedWorkflow, free_name, gate_step, linked
from supervisor_ai.definitions.roles.registry import MergedRole
from supervisor_ai.definitions.schema.gates import RoleGateShape
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace
from supervisor_ai.definitions.templates.step_notes import MissingDefinition
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Gate, Step, Workflow
from supervisor_ai.domain.run.gates import GateKind, GatePolicy
from supervisor_ai.domain.structs import replace


def with_role_gates(
    given: GatedWorkflow, roles: Mapping[str, MergedRole], around: EffectiveSettings
) -> GatedWorkflow:
    """Put every role's gates behind its steps, in the order in which the role names them."""
    steps: dict[StepName, Step] = {}
    line = _Line(around=around, gates=dict(given.gates))
    line.taken |= {*given.workflow.steps, *given.gates}
    for step in given.workflow.steps.values():
        following = line.behind(step, [roles[name] for name in step.crew])
        steps |= {one.name: one for one in linked(step, following)}
    for missing in line.missing:
        line.mistakes.add(missing.place, missing.problem)
    if line.mistakes:
        raise line.mistakes.error()
    return GatedWorkflow(workflow=replace(given.workflow, steps=steps), gates=line.gates)


def gaps(
    workflow: Workflow,
    roles: Mapping[str, MergedRole],
    around: EffectiveSettings,
    mistakes: FileMistakes,
) -> tuple[MissingDefinition, ...]:
    """List what the gates of a workflow's roles lack, and note what is wrong with them."""
    line = _Line(around=around, gates={}, mistakes=mistakes)
    for step in workflow.steps.values():
        line.look([roles[name] for name in step.crew if name in roles])
    return tuple(line.missing)


@dataclass(slots=True, kw_only=True)
class _Line:
    """The gates that were made so far, and the names that are taken."""

    around: EffectiveSettings
    gates: dict[str, Gate]
    taken: set[str] = field(default_factory=set)
    mistakes: FileMistakes = field(default_factory=FileMistakes)
    missing: list[MissingDefinition] = field(default_factory=list)

    def behind(self, step: Step, crew: list[MergedRole]) -> list[Step]:
        """Make the gate steps of those who do a step; what ran already is not run again."""
        known, made = self.look(crew), list[Step]()
        done: set[str] = set()
        for role, shape in _wanted(crew):
            if shape.name in done or not known[shape.name].is_enabled:
                continue
            names = [it for it in with_needed([shape.name], known) if it not in done]
            done.update(names)
            made.append(self._gate_step(step, role, shape, {it: known[it] for it in names}))
        return made

    def look(self, crew: list[MergedRole]) -> dict[str, ConfiguredGate]:
        """Lay the gates of the roles over those that are configured, and look what they lack."""
        known = dict(self.around.gates)
        wanted = list(_wanted(crew))
        known |= {shape.name: self._setting(role, shape) for role, shape in wanted}
        for role, shape in wanted:
            if known[shape.name].is_enabled:
                self._check(role, shape.name, known)
        if wanted:
            check_circles(known, self.mistakes)
        return known

    def _setting(self, role: MergedRole, shape: RoleGateShape) -> ConfiguredGate:
        number = [gate.name for gate in role.shape.gates].index(shape.name)
        said = role.tree.entries["gates"].items[number]
        gate = replace(said, value={key: it for key, it in said.entries.items() if key != "name"})
        refuse_command(shape.name, gate, self.mistakes)
        laid = merged_gate(self.around.gates.get(shape.name), shape.name, gate)
        each = role.shape.config.min_tests_per_component if shape.min_tests is None else None
        return replace(laid, policy=laid.policy or GatePolicy.BLOCK, min_tests_each=each)

    def _check(self, role: MergedRole, name: str, known: Gates) -> None:
        setting = known[name]
        kind = kind_of_gate(name, has_command=setting.command is not None)
        if kind == GateKind.COMMAND and setting.command is None:
            problem = (
                f"has no command, which the role {role.name!r} leaves to the project; "
                f"write `gates: {{{name}: {{command: ...}}}}` into the config"
            )
            self._miss(setting.place, name, problem)
        for it in setting.depends_on:
            if it not in known:
                self._miss(setting.place, it, unknown_gate(it, known))

    def _miss(self, place: FilePlace, gate: str, problem: str) -> None:
        self.missing.append(MissingDefinition(place=place, what="gate", name=gate, problem=problem))

    def _gate_step(
        self, step: Step, role: MergedRole, shape: RoleGateShape, settings: Gates
    ) -> Step:
        name = free_name(f"{step.name}-{shape.name}", self.taken)
        self.taken.add(name)
        back = step.on_reject or (step.name if role.shape.writes else None)
        limit = self.around.limits.step_timeout
        made = {
            it: (_blocking(make_gate(it, of, self.around.gates, limit=limit), back), of.depends_on)
            for it, of in settings.items()
        }
        gates = {
            key: replace(gate, judges=step.name if gate.min_tests_each else None)
            for key, gate in in_step(name, made).items()
        }
        self.gates |= gates
        tells = any(gate.policy is GatePolicy.FEEDBACK for gate in gates.values())
        return replace(
            gate_step(name, gates),
            on_fail=back if tells else None,
            max_retries=step.max_retries,
            description=f"What the role of {step.name} has to pass",
        )


def _blocking(gate: Gate, back: StepName | None) -> Gate:
    """Let a gate that has nobody to tell end the run."""
    if gate.policy is GatePolicy.FEEDBACK and back is None:
        return replace(gate, policy=GatePolicy.BLOCK)
    return gate


def _wanted(crew: list[MergedRole]) -> Iterator[tuple[MergedRole, RoleGateShape]]:
    """Let roles that work side by side share a gate of the same name."""
    seen: set[str] = set()
    for role in crew:
        for gate in role.shape.gates:
            if gate.name not in seen:
                seen.add(gate.name)
                yield role, gate
