"""What the config files say together about kanbans."""

from typing import Final

from supervisor_ai.definitions.config.gate_order import unknown_gate
from supervisor_ai.definitions.config.gates import Gates
from supervisor_ai.definitions.config.known_gates import kind_of_gate
from supervisor_ai.definitions.config.merged import (
    ConfigSection,
    MergedConfig,
    SectionSettings,
    over,
)
from supervisor_ai.definitions.kanban.shapes import KanbanShape
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace
from supervisor_ai.domain.run.gates import GateKind
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.settings import KanbanSettings

_COVERAGE: Final = "{coverage}"


class KanbanSetting(KanbanSettings, frozen=True, kw_only=True):
    """How the tasks of a kanban are worked on."""

    gates: tuple[tuple[str, FilePlace], ...] | None = None
    """What the work must pass; None: what the default workflow runs."""


def read_kanban(config: MergedConfig) -> KanbanSetting:
    """Make the settings of what the files say together."""
    shape = config.section("kanban", KanbanShape)
    placed = tuple((it.name, it.place) for it in config.choices("kanban", "gates"))
    setting = over(KanbanSetting(), shape)
    return setting if shape.gates is None else replace(setting, gates=placed)


def check_kanban(settings: SectionSettings, mistakes: FileMistakes) -> None:
    """Note gates that nobody has configured, and those that could not judge the work."""
    seen: set[str] = set()
    for name, place in settings.section(KANBAN).gates or ():
        problem = _problem(name, settings.gates)
        if name in seen:
            problem = f"names the gate {name!r} twice"
        if problem is not None:
            mistakes.add(place, problem)
        seen.add(name)


def _problem(name: str, gates: Gates) -> str | None:
    if name not in gates:
        return unknown_gate(name, gates)
    command = gates[name].command or ()
    if kind_of_gate(name, has_command=bool(command)) == GateKind.CLAIMS:
        return f"the gate {name!r} compares lists of files, which nobody gives at a kanban"
    if any(_COVERAGE in word for word in command):
        return f"the gate {name!r} needs a number for {_COVERAGE}; write it into its command"
    return None


KANBAN: Final = ConfigSection(
    key="kanban", shape=KanbanShape, build=read_kanban, check=check_kanban
)
"""The section `kanban` of the config."""
