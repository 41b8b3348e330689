"""A workflow file becomes a workflow of the domain, or a list of mistakes."""

from collections.abc import Mapping
from dataclasses import dataclass

from supervisor_ai.definitions import graph
from supervisor_ai.definitions.layers import Written
from supervisor_ai.definitions.mistakes import Mistakes, unknown
from supervisor_ai.definitions.shapes import WorkflowShape
from supervisor_ai.definitions.shelves import Origin
from supervisor_ai.definitions.steps import Surroundings, read_step
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Gate, Step, Workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadWorkflow:
    """A workflow, and the gates of its gate steps by the step's name."""

    workflow: Workflow
    gates: dict[str, Gate]
    origin: Origin


def read_workflow(name: str, around: Surroundings) -> ReadWorkflow | None:
    """Read a workflow; None, with the mistakes noted, when it cannot be run."""
    written, mistakes = around.workflow, around.mistakes
    shape, names = written.shape, _step_names(written)
    if not names:
        mistakes.add(written.place("steps"), "is empty; a workflow needs a step")
        return None
    read = [read_step(around, step, is_last=step == names[-1]) for step in shape.steps]
    steps = {entry.step.name: entry.step for entry in read if entry is not None}
    initial = StepName(shape.initial_step or names[0])
    _check_arrows(written, steps, initial, mistakes)
    if mistakes.any_below(written.document.file):
        return None
    return ReadWorkflow(
        workflow=Workflow(
            name=name, description=shape.description, initial_step=initial, steps=steps
        ),
        gates={entry.step.name: entry.gate for entry in read if entry and entry.gate},
        origin=written.origin,
    )


def _check_arrows(
    written: Written[WorkflowShape],
    steps: Mapping[StepName, Step],
    initial: StepName,
    mistakes: Mistakes,
) -> None:
    known = _step_names(written)
    if initial not in known:
        mistakes.add(written.place("initial_step"), unknown("step", initial, known))
    for name, step in steps.items():
        for key, target in graph.targets(step).items():
            if target not in known:
                mistakes.add(written.place("steps", name, key), unknown("step", target, known))
    for circle in graph.circles(steps):
        problem = f"never reaches an end: {' -> '.join(circle)}"
        mistakes.add(written.place("steps", circle[0], "next"), problem)
    if mistakes.any_below(written.document.file):
        return
    for name in graph.unreachable(steps, initial):
        mistakes.add(written.place("steps", name), "cannot be reached: no step leads here")


def _step_names(written: Written[WorkflowShape]) -> list[str]:
    """List the steps as written, so that a mistake inside a step does not hide its name."""
    path = (*written.path, "steps")
    return [str(keys[-1]) for keys in written.document.lines if keys[:-1] == path]
