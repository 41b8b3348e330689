"""One step of a workflow file becomes a step of the domain, or a list of mistakes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from supervisor_ai.definitions.layers import Written
from supervisor_ai.definitions.mistakes import Mistakes, unknown
from supervisor_ai.definitions.settings import Settings
from supervisor_ai.definitions.shapes import RoleShape, StepShape, WorkflowShape
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.answers import MEANINGS, AnswerKind, Meaning
from supervisor_ai.domain.run.definition import Gate, Step, StepKind
from supervisor_ai.domain.run.degradation import LEVELS

_COMMIT_COMMAND: Final = ["git", "commit"]
_COMMIT_STEP: Final = "commit"
_EVERYWHERE: Final = frozenset({"type", "gate_type", "next", "terminal", "description"})
_MEANINGFUL: Final[Mapping[StepKind, frozenset[str]]] = {
    StepKind.ROLE: frozenset(
        {"role", "gate", "on_reject", "max_retries", "retry_policy", "degrade", "timeout"}
    ),
    StepKind.GATE: frozenset({"gate", "command", "on_fail", "max_retries", "timeout"}),
    StepKind.HUMAN: frozenset({"on_reject", "max_retries"}),
    StepKind.COMMIT: frozenset({"command"}),
}
_STRUCTURED_GATES: Final = frozenset({"structured_json_only", "REVIEW_STATUS: APPROVED"})
"""Names that older workflows give to what every role step does: the answer itself is the gate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadStep:
    """A step and, for a gate step, the gate that it runs."""

    step: Step
    gate: Gate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a step may name, and where its mistakes are noted."""

    workflow: Written[WorkflowShape]
    settings: Settings
    roles: Mapping[str, RoleShape]
    mistakes: Mistakes
    are_gates_known: bool


def read_step(around: Surroundings, name: str, *, is_last: bool) -> ReadStep | None:
    """Return the step, or None when it cannot be told what it does."""
    return _StepReader(around, name).read(is_last=is_last)


class _StepReader:
    def __init__(self, around: Surroundings, name: str) -> None:
        self._around = around
        self._name = name
        self._shape = around.workflow.shape.steps[name]
        place = around.workflow.place("steps", name)
        self._is_damaged = around.mistakes.any_below(place.file, place.key)

    def read(self, *, is_last: bool) -> ReadStep | None:
        kind = kind_of(self._name, self._shape)
        if kind is None:
            self._note_missing("type", "is missing, and so are `role`, `gate` and `command`")
            return None
        self._check_keys(kind)
        self._check_end(is_last=is_last)
        if kind is StepKind.ROLE:
            self._check_role()
        gate = self._gate() if kind is StepKind.GATE else None
        return ReadStep(step=_step(self._name, self._shape, kind), gate=gate)

    def _note(self, key: str, problem: str) -> None:
        self._around.mistakes.add(self._around.workflow.place("steps", self._name, key), problem)

    def _note_missing(self, key: str, problem: str) -> None:
        """Note a missing key, unless a key that could not be read explains it."""
        if not self._is_damaged:
            self._note(key, problem)

    def _check_keys(self, kind: StepKind) -> None:
        shape = self._shape
        for key in sorted(shape.model_fields_set - _EVERYWHERE - _MEANINGFUL[kind]):
            self._note(key, f"has no meaning for a step of type {kind.value!r}")
        if shape.gate_type is not None and shape.type not in {None, f"{shape.gate_type}_gate"}:
            self._note("gate_type", f"contradicts the type {shape.type!r}")

    def _check_end(self, *, is_last: bool) -> None:
        shape = self._shape
        if shape.terminal and shape.next is not None:
            self._note("next", "contradicts `terminal: true`")
        if shape.next is None and not shape.terminal and not is_last:
            problem = "is missing; name the next step or write `terminal: true`"
            self._note_missing("next", problem)

    def _check_role(self) -> None:
        shape, roles = self._shape, self._around.roles
        if shape.gate is not None and shape.gate not in _STRUCTURED_GATES:
            problem = "has no meaning for a step of type 'role'; make the gate a step of its own"
            self._note("gate", problem)
        policies = self._around.settings.policies.retries
        if shape.retry_policy is not None and shape.retry_policy not in policies:
            problem = unknown("retry policy", shape.retry_policy, sorted(policies))
            self._note("retry_policy", problem)
        if shape.role is None:
            self._note_missing("role", "is missing")
            return
        role = roles.get(shape.role)
        if role is None:
            self._note("role", unknown("role", shape.role, sorted(roles)))
        elif shape.on_reject is not None and not _can_reject(role):
            self._note("on_reject", f"has no meaning: the role {shape.role!r} never rejects")
        if role is not None and shape.degrade and not role.writes:
            self._note("degrade", f"has no meaning: the role {shape.role!r} implements nothing")

    def _gate(self) -> Gate | None:
        shape, settings = self._shape, self._around.settings
        limit = settings.limits.step_timeout
        if shape.command is not None:
            if shape.gate is not None:
                self._note("gate", "contradicts `command`; give one of the two")
            command = tuple(shape.command)
            return Gate(name=self._name, command=command, timeout=shape.timeout or limit)
        if shape.gate is None:
            problem = "is missing; an orchestrator gate needs a `command` or the name of a `gate`"
            self._note_missing("command", problem)
            return None
        setting = settings.gates.get(shape.gate)
        if setting is None:
            if self._around.are_gates_known:
                known = sorted(settings.gates)
                self._note("gate", unknown("gate", shape.gate, known))
            return None
        timeout = shape.timeout or setting.timeout or limit
        return Gate(name=shape.gate, command=setting.command or (), timeout=timeout)


def kind_of(name: str, shape: StepShape) -> StepKind | None:
    """Tell what a step does."""
    kind = _declared(shape)
    if kind is not StepKind.GATE or shape.gate is not None:
        return kind
    if shape.command is None:
        return StepKind.COMMIT if name == _COMMIT_STEP else kind
    return StepKind.COMMIT if shape.command == _COMMIT_COMMAND else kind


def _declared(shape: StepShape) -> StepKind | None:
    if shape.type is not None:
        return StepKind(shape.type)
    if shape.gate_type is not None:
        return StepKind(f"{shape.gate_type}_gate")
    if shape.role is not None:
        return StepKind.ROLE
    return StepKind.GATE if shape.command or shape.gate else None


def _can_reject(role: RoleShape) -> bool:
    return Meaning.REJECT in MEANINGS[AnswerKind(role.answer)].values()


def _step(name: str, shape: StepShape, kind: StepKind) -> Step:
    return Step(
        name=StepName(name),
        kind=kind,
        role=shape.role,
        gate=name if kind is StepKind.GATE else None,
        next=_target(shape.next),
        on_fail=_target(shape.on_fail),
        on_reject=_target(shape.on_reject),
        max_retries=shape.max_retries,
        retry_policy=shape.retry_policy,
        degrade=tuple(level for level in LEVELS if level in (shape.degrade or ())),
        timeout=shape.timeout,
        terminal=shape.terminal or shape.next is None,
        description=shape.description,
    )


def _target(name: str | None) -> StepName | None:
    return None if name is None else StepName(name)
