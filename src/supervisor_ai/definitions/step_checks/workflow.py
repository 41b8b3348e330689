"""A workflow file becomes a workflow of the domain, checked as a whole."""

from collections.abc import Mapping, Sequence
from itertools import dropwhile

from msgspec import Struct, field

from supervisor_ai.definitions.config.gates import ConfiguredGate
from supervisor_ai.definitions.schema.gates import policy_called
from supervisor_ai.definitions.sources.files import Origin
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace, Note, unknown
from supervisor_ai.definitions.step_checks import graph
from supervisor_ai.definitions.step_checks.steps import ReadStep, Surroundings, read_step
from supervisor_ai.definitions.templates.assembly import assemble
from supervisor_ai.definitions.templates.draft import DraftStep, WorkflowDraft
from supervisor_ai.definitions.templates.inheritance import parent_key
from supervisor_ai.definitions.templates.kit import is_kind
from supervisor_ai.definitions.templates.step_notes import MissingDefinition
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Gate, Step, StepKind, Workflow
from supervisor_ai.domain.structs import replace


class Particulars(Struct, frozen=True, kw_only=True):
    """What must be known of a workflow besides its steps before it can be run."""

    gates: Mapping[str, ConfiguredGate] = field(default_factory=dict)
    """The gates that it could name: the config's, and over them its own."""
    tdd: Mapping[StepName, bool] = field(default_factory=dict)
    """The steps that say whether they work test first."""
    approvers_at: Mapping[StepName, FilePlace] = field(default_factory=dict)
    spared: frozenset[StepName] = frozenset()
    """The steps that write, but nothing that guards look at."""
    publishes_at: FilePlace | None = None
    """What brings a pull request about, in the words of the workflow's own file."""


class ReadWorkflow(Struct, frozen=True, kw_only=True):
    """A workflow, and the gates of its gate steps by the keys that those name."""

    workflow: Workflow
    gates: dict[str, Gate]
    origin: Origin
    particulars: Particulars = field(default_factory=Particulars)
    missing: tuple[MissingDefinition, ...] = ()
    """What must be defined before it can be run."""
    role_gaps: tuple[MissingDefinition, ...] = ()
    """What the gates of its roles lack; another role for a step may lack nothing."""
    notes: tuple[Note, ...] = ()

    @property
    def needs(self) -> tuple[str, ...]:
        """Name what must be configured before it can be run: `gate ci`."""
        lacking = (*self.missing, *self.role_gaps)
        return tuple(dict.fromkeys(f"{it.what} {it.name}" for it in lacking))


def read_workflow(name: str, around: Surroundings) -> ReadWorkflow | None:
    """Read a workflow; None, with the mistakes noted, when it cannot be run."""
    written, mistakes = around.workflow, around.mistakes
    draft = assemble(name, written, around.layers, around.kit)
    if draft is None:
        return None
    if not draft.known:
        mistakes.add(written.place("steps"), "is empty; a workflow needs a step")
        return None
    around = replace(around, settings=replace(around.settings, gates=dict(draft.gates)))
    read = [
        it
        for step in draft.steps.values()
        if (it := read_step(around, step, is_last=_is_last(draft, step))) is not None
    ]
    _check_arrows(draft, {it.step.name: it.step for it in read}, mistakes)
    _check_publishing(draft, mistakes)
    if any(mistakes.any_below(file) for file in draft.files):
        return None
    return _workflow(draft, read)


def _workflow(draft: WorkflowDraft, read: list[ReadStep]) -> ReadWorkflow:
    return ReadWorkflow(
        workflow=Workflow(
            name=draft.name,
            description=draft.description,
            initial_step=StepName(draft.initial_step),
            steps={it.step.name: it.step for it in read},
        ),
        gates={key: gate for it in read for key, gate in it.gates.items()},
        origin=draft.written.origin,
        particulars=_particulars(draft),
        missing=tuple(missing for it in read for missing in it.missing),
        notes=draft.notes,
    )


def _particulars(draft: WorkflowDraft) -> Particulars:
    steps = draft.steps.values()
    said = {it.name: it.shape.config.tdd for it in steps if it.shape.config is not None}
    publishing = [step for step in steps if is_kind(step, StepKind.PULL_REQUEST)]
    return Particulars(
        gates=draft.gates,
        tdd={StepName(name): tdd for name, tdd in said.items() if tdd is not None},
        approvers_at={
            StepName(it.name): it.place("approvers") for it in steps if it.shape.approvers
        },
        publishes_at=next((_publishes_at(draft, step) for step in publishing), None),
    )


def _publishes_at(draft: WorkflowDraft, step: DraftStep) -> FilePlace:
    """Find what brings a pull request about; an inherited one, the name of the parent does."""
    own = step.home.written.document.file == draft.written.document.file
    return step.place("type") if own else draft.written.place(parent_key(draft.written))


def _is_last(draft: WorkflowDraft, step: DraftStep) -> bool:
    """Tell whether a step may end the run without saying so."""
    if draft.is_inherited and is_kind(step, StepKind.COMMIT):
        return True
    names = draft.steps if draft.is_inherited else draft.known
    # What a config, a hook or a setting brought about stands in no file.
    written = [it for it in names if it not in draft.steps or draft.steps[it].cause is None]
    return step.name in written[-1:]


def _check_publishing(draft: WorkflowDraft, mistakes: FileMistakes) -> None:
    """Note a pull request that has nothing to show."""
    commits = dropwhile(lambda step: not is_kind(step, StepKind.COMMIT), draft.path)
    behind = {step.name for step in commits}
    for step in draft.steps.values():
        if is_kind(step, StepKind.PULL_REQUEST) and step.name not in behind:
            mistakes.add(step.place("type"), "must come after a step that commits")


def _check_arrows(
    draft: WorkflowDraft, steps: Mapping[StepName, Step], mistakes: FileMistakes
) -> None:
    known, initial = draft.known, StepName(draft.initial_step)
    if initial not in known:
        mistakes.add(draft.written.place("initial_step"), unknown("step", initial, known))
    for name, step in steps.items():
        for key, target in graph.targets(step).items():
            if target not in known:
                mistakes.add(draft.steps[name].place(key), _nowhere(key, target, known))
    for circle in graph.circles(steps):
        problem = f"never reaches an end: {' -> '.join(circle)}"
        mistakes.add(draft.steps[circle[0]].place("next"), problem)
    if any(mistakes.any_below(file) for file in draft.files):
        return
    for name in graph.unreachable(steps, initial):
        mistakes.add(draft.steps[name].place(), "cannot be reached: no step leads here")


def _nowhere(key: str, target: str, known: Sequence[str]) -> str:
    """Say that an arrow leads nowhere, and how to write what was probably meant."""
    problem = unknown("step", target, known)
    policy = policy_called(target) if key == "on_fail" else None
    if policy is None:
        return problem
    return f"{problem}; a gate's policy is written `policy: {policy.value}` at the gate"
