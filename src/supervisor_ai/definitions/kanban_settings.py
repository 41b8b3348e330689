"""What the config files say together about kanbans."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from supervisor_ai.definitions.gate_order import unknown_gate
from supervisor_ai.definitions.gate_settings import Gates
from supervisor_ai.definitions.gate_table import kind_of_gate
from supervisor_ai.definitions.layers import Written
from supervisor_ai.definitions.mistakes import Mistakes, Place
from supervisor_ai.definitions.shapes import ConfigShape
from supervisor_ai.domain.kanban.policy import MAX_ITERATIONS, ManagerKind
from supervisor_ai.domain.run.gates import GateKind

EXACT: Final = "exact"
_COVERAGE: Final = "{coverage}"


@dataclass(frozen=True, slots=True, kw_only=True)
class KanbanSetting:
    """How the tasks of a kanban are worked on."""

    manager: ManagerKind = ManagerKind.MODEL
    retry: str = EXACT
    max_iterations: int = MAX_ITERATIONS
    gates: tuple[tuple[str, Place], ...] | None = None
    """What the work must pass; None: what the default workflow runs."""
    folder: str = "tasks"


def lay_kanban(below: KanbanSetting, config: Written[ConfigShape]) -> KanbanSetting:
    """Lay one file's word over the others'; the gates are replaced as a whole."""
    shape = config.shape.kanban
    return KanbanSetting(
        manager=shape.manager or below.manager,
        retry=shape.retry or below.retry,
        max_iterations=shape.max_iterations or below.max_iterations,
        gates=below.gates if shape.gates is None else tuple(_placed(config, shape.gates)),
        folder=shape.folder or below.folder,
    )


def check_kanban(setting: KanbanSetting, gates: Gates, mistakes: Mistakes) -> None:
    """Note gates that nobody has configured, and those that could not judge the work."""
    seen: set[str] = set()
    for name, place in setting.gates or ():
        problem = _problem(name, gates)
        if name in seen:
            problem = f"names the gate {name!r} twice"
        if problem is not None:
            mistakes.add(place, problem)
        seen.add(name)


def _problem(name: str, gates: Gates) -> str | None:
    if name not in gates:
        return unknown_gate(name, gates)
    command = gates[name].command or ()
    if kind_of_gate(name, has_command=bool(command)) is GateKind.CLAIMS:
        return f"the gate {name!r} compares lists of files, which nobody gives at a kanban"
    if any(_COVERAGE in word for word in command):
        return f"the gate {name!r} needs a number for {_COVERAGE}; write it into its command"
    return None


def _placed(config: Written[ConfigShape], names: list[str]) -> Iterator[tuple[str, Place]]:
    for number, name in enumerate(names):
        yield name, config.place("kanban", "gates", number)
