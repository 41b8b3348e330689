"""One step of a workflow becomes a step of the domain, or a list of mistakes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

from msgspec import Struct, field

from supervisor_ai.control.slice_names import import_place, registered_step
from supervisor_ai.definitions.config.merged import Choice, over
from supervisor_ai.definitions.config.settings import EffectiveSettings
from supervisor_ai.definitions.overlay.layers import Layer, WrittenFile
from supervisor_ai.definitions.schema.config import RoleShape, meant_role
from supervisor_ai.definitions.schema.workflows import FollowShape, StepShape, WorkflowShape
from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.definitions.step_checks.role_checks import check_role_step
from supervisor_ai.definitions.step_checks.step_gates import read_gates
from supervisor_ai.definitions.templates.agreement import needed
from supervisor_ai.definitions.templates.approvers import levels
from supervisor_ai.definitions.templates.draft import DraftStep
from supervisor_ai.definitions.templates.kit import Kit
from supervisor_ai.definitions.templates.step_kinds import kind_of, pull_request_problem
from supervisor_ai.definitions.templates.step_notes import MissingDefinition, StepNotes
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import FollowPolicy, Gate, Step, StepKind, StepWord
from supervisor_ai.domain.run.failures.degradation import LEVELS
from supervisor_ai.domain.structs import replace

_EVERYWHERE: Final = frozenset(
    {
        *("type", "gate_type", "next", "terminal", "description"),
        *("position", "required", "outputs"),
    }
)
_MEANINGFUL: Final[Mapping[StepWord, frozenset[str]]] = {
    StepKind.ROLE: frozenset(
        {
            *("role", "roles", "approvers", "parallel", "aggregate", "gate", "on_reject"),
            *("max_retries", "retry_policy", "degrade", "timeout", "config", "context_scope"),
            "human_approval",
        }
    ),
    StepKind.GATE: frozenset(
        {
            *("gate", "gates", "command", "on_fail", "on_reject", "max_retries", "timeout"),
            "human_approval",
        }
    ),
    StepKind.HUMAN: frozenset({"on_reject", "max_retries"}),
    StepKind.COMMIT: frozenset({"command", "human_approval", "on_reject"}),
    StepKind.PULL_REQUEST: frozenset({"command", "human_approval", "on_reject", "follow"}),
}


StepForm = Callable[[StepNotes, EffectiveSettings], str]
"""Reads the options of a step of a slice, notes what is wrong, and returns what is pinned."""


class ReadStep(Struct, frozen=True, kw_only=True):
    """A step and, for a gate step, the gates that it runs, by the keys that it names."""

    step: Step
    gates: dict[str, Gate] = field(default_factory=dict)
    missing: tuple[MissingDefinition, ...] = ()


class Surroundings(Struct, frozen=True, kw_only=True):
    """What a workflow may name, and where its mistakes are noted."""

    workflow: WrittenFile[WorkflowShape]
    settings: EffectiveSettings
    roles: Mapping[str, RoleShape]
    mistakes: FileMistakes
    are_gates_known: bool
    layers: Sequence[Layer] = ()
    """Where the workflows stand that it may extend."""
    role_hint: Callable[[str], str | None] = lambda _: None
    """Says which pack has a role that there is not."""

    @property
    def kit(self) -> Kit:
        """Return what templates may use."""
        return Kit(
            roles=self.roles,
            gates=self.settings.gates,
            mistakes=self.mistakes,
            are_gates_known=self.are_gates_known,
        )


def read_step(around: Surroundings, draft: DraftStep, *, is_last: bool) -> ReadStep | None:
    """Return the step, or None when it cannot be told what it does."""
    if draft.shape.role is not None:
        draft = draft.changed(role=meant_role(around.roles, draft.shape.role))
    notes = StepNotes(draft, around.mistakes, around.role_hint)
    kind = kind_of(draft.name, draft.shape)
    if kind is None:
        notes.add_gap("type", "is missing, and so are `role`, `gate` and `command`")
        return None
    _check_keys(notes, kind)
    _check_end(notes, is_last=is_last)
    gates: dict[str, Gate] = {}
    if kind == StepKind.ROLE:
        check_role_step(notes, around.roles, around.settings.policies.retries)
    if kind == StepKind.PULL_REQUEST and draft.shape.command is not None:
        problem = pull_request_problem(draft.shape.command)
        if problem is not None:
            notes.add("command", problem)
    if kind == StepKind.GATE:
        gates = read_gates(notes, around.settings, are_gates_known=around.are_gates_known)
    step = _step(draft, kind, around.settings.step_policies)
    step = replace(step, particulars=_particulars(notes, kind, around.settings))
    if len(gates) > 1:
        step = replace(step, gate=None, gates=tuple(gates))
    return ReadStep(step=step, gates=gates, missing=tuple(notes.missing))


def _check_keys(notes: StepNotes, kind: StepWord) -> None:
    shape = notes.draft.shape
    said = {key for key in shape.model_fields_set if getattr(shape, key) is not None}
    # A pull request that nobody follows cannot fail.
    of_following = {"on_fail"} if kind == StepKind.PULL_REQUEST and shape.follow else set()
    for key in sorted(said - _EVERYWHERE - _keys(kind) - of_following):
        notes.add(key, f"has no meaning for a step of type {kind!r}")
    if shape.gate_type is not None and shape.type not in {None, f"{shape.gate_type}_gate"}:
        notes.add("gate_type", f"contradicts the type {shape.type!r}")


def _keys(kind: StepWord) -> frozenset[str]:
    registered = registered_step(kind)
    return _MEANINGFUL[kind] if registered is None else frozenset(registered.keys)


def _particulars(notes: StepNotes, kind: StepWord, settings: EffectiveSettings) -> str:
    """Let the slice that a kind of step belongs to read what it says in a way of its own."""
    registered = registered_step(kind)
    if registered is None or registered.form is None:
        return ""
    return cast("StepForm", import_place(registered.form))(notes, settings)


def _check_end(notes: StepNotes, *, is_last: bool) -> None:
    shape = notes.draft.shape
    if shape.terminal and shape.next is not None:
        notes.add("next", "contradicts `terminal: true`")
    if shape.next is None and not shape.terminal and not is_last:
        notes.add_gap("next", "is missing; name the next step or write `terminal: true`")


def _step(draft: DraftStep, kind: StepWord, usual: Mapping[str, Choice]) -> Step:
    shape, chosen = draft.shape, draft.shape.retry_policy
    below = usual.get(draft.name) if kind == StepKind.ROLE and chosen is None else None
    is_crew = len(draft.crew) > 1
    return Step(
        name=StepName(draft.name),
        kind=kind,
        role=None if is_crew else next(iter(draft.crew), None),
        roles=draft.crew if is_crew else (),
        needed=needed(shape) if is_crew else None,
        approvers=levels(shape.approvers) if shape.approvers else {},
        human_approval=bool(shape.human_approval),
        instructions="\n".join(draft.words),
        outputs=tuple(shape.outputs or ()),
        gate=draft.name if kind == StepKind.GATE else None,
        next=_target(shape.next),
        on_fail=_target(shape.on_fail),
        on_reject=_target(shape.on_reject),
        max_retries=_retries(shape),
        retry_policy=below.name if below else chosen.name if chosen else None,
        degrade=tuple(level for level in LEVELS if level in (shape.degrade or ())),
        asks_at_last=bool(chosen and chosen.on_failure),
        timeout=shape.timeout,
        terminal=shape.terminal or shape.next is None,
        description=shape.description,
        follow=_follow(shape.follow),
    )


def _follow(shape: FollowShape | None) -> FollowPolicy | None:
    return None if shape is None or not shape.enabled else over(FollowPolicy(), shape)


def _retries(shape: StepShape) -> int | None:
    chosen = shape.retry_policy
    if chosen is None or chosen.max_attempts is None:
        return shape.max_retries
    return chosen.max_attempts - 1


def _target(name: str | None) -> StepName | None:
    return None if name is None else StepName(name)
