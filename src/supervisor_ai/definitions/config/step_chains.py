"""Gate steps that no file describes are put behind the steps that they belong to."""

from collections.abc import Collection, Iterator, Sequence
from itertools import count
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Gate, Step, StepKind, Workflow
from supervisor_ai.domain.structs import replace

_LONGEST_NAME: Final = 64


class GatedWorkflow(Struct, frozen=True, kw_only=True):
    """A workflow, and the gates that its steps name."""

    workflow: Workflow
    gates: dict[str, Gate]


def gate_step(name: StepName, gates: Collection[str]) -> Step:
    """Make a step that runs these gates."""
    if len(gates) == 1:
        return Step(name=name, kind=StepKind.GATE, gate=next(iter(gates)))
    return Step(name=name, kind=StepKind.GATE, gates=tuple(gates))


def linked(step: Step, following: Sequence[Step]) -> Iterator[Step]:
    """Lead from the step through those that follow it to where it led before."""
    line = [step, *following]
    for number, one in enumerate(line):
        if number < len(line) - 1:
            yield replace(one, next=line[number + 1].name, terminal=False)
        else:
            yield replace(one, next=step.next, terminal=step.terminal)


def free_name(wanted: str, taken: Collection[str]) -> StepName:
    """Find a name that no step has; what must be cut is numbered, so that none gets lost."""
    names = (wanted[: _LONGEST_NAME - len(tail)] + tail for tail in _tails())
    return StepName(next(name for name in names if name not in taken))


def _tails() -> Iterator[str]:
    yield ""
    yield from (f"_{number}" for number in count(2))
