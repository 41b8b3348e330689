"""A workflow file becomes a workflow of the domain, checked as a whole."""

from collections.abc import Mapping
from dataclasses import dataclass

from supervisor_ai.definitions import graph
from supervisor_ai.definitions.mistakes import Mistakes, unknown
from supervisor_ai.definitions.shelves import Origin
from supervisor_ai.definitions.steps import ReadStep, Surroundings, read_step
from supervisor_ai.definitions.templates.assembly import assemble
from supervisor_ai.definitions.templates.draft import Draft, DraftStep, Note
from supervisor_ai.definitions.templates.kit import is_kind
from supervisor_ai.definitions.templates.step_notes import Missing
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Gate, Step, StepKind, Workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadWorkflow:
    """A workflow, and the gates of its gate steps by the step's name."""

    workflow: Workflow
    gates: dict[str, Gate]
    origin: Origin
    missing: tuple[Missing, ...] = ()
    """What must be defined before it can be run."""
    notes: tuple[Note, ...] = ()


def read_workflow(name: str, around: Surroundings) -> ReadWorkflow | None:
    """Read a workflow; None, with the mistakes noted, when it cannot be run."""
    written, mistakes = around.workflow, around.mistakes
    draft = assemble(name, written, around.layers, around.kit)
    if draft is None:
        return None
    if not draft.known:
        mistakes.add(written.place("steps"), "is empty; a workflow needs a step")
        return None
    read = [
        it
        for step in draft.steps.values()
        if (it := read_step(around, step, is_last=_is_last(draft, step))) is not None
    ]
    _check_arrows(draft, {it.step.name: it.step for it in read}, mistakes)
    if any(mistakes.any_below(file) for file in draft.files):
        return None
    return _workflow(draft, read)


def _workflow(draft: Draft, read: list[ReadStep]) -> ReadWorkflow:
    return ReadWorkflow(
        workflow=Workflow(
            name=draft.name,
            description=draft.description,
            initial_step=StepName(draft.initial_step),
            steps={it.step.name: it.step for it in read},
        ),
        gates={it.step.name: it.gate for it in read if it.gate},
        origin=draft.written.origin,
        missing=tuple(missing for it in read for missing in it.missing),
        notes=draft.notes,
    )


def _is_last(draft: Draft, step: DraftStep) -> bool:
    """Tell whether a step may end the run without saying so."""
    if draft.is_inherited:
        return is_kind(step, StepKind.COMMIT) or step.name == list(draft.steps)[-1]
    return step.name == draft.known[-1]


def _check_arrows(draft: Draft, steps: Mapping[StepName, Step], mistakes: Mistakes) -> None:
    known, initial = draft.known, StepName(draft.initial_step)
    if initial not in known:
        mistakes.add(draft.written.place("initial_step"), unknown("step", initial, known))
    for name, step in steps.items():
        for key, target in graph.targets(step).items():
            if target not in known:
                mistakes.add(draft.steps[name].place(key), unknown("step", target, known))
    for circle in graph.circles(steps):
        problem = f"never reaches an end: {' -> '.join(circle)}"
        mistakes.add(draft.steps[circle[0]].place("next"), problem)
    if any(mistakes.any_below(file) for file in draft.files):
        return
    for name in graph.unreachable(steps, initial):
        mistakes.add(draft.steps[name].place(), "cannot be reached: no step leads here")
