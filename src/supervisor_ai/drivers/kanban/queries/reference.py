"""What the generated pages say about kanbans."""

from typing import Final

from supervisor_ai.control.slices import SliceReference
from supervisor_ai.drivers.kanban.board.kanban import Mistake
from supervisor_ai.drivers.kanban.commands.check import InadequateItem, KanbanCheck
from supervisor_ai.drivers.kanban.queries.about import KanbanOfRun
from supervisor_ai.drivers.kanban.queries.log import KanbanLogEntry
from supervisor_ai.drivers.kanban.queries.status import (
    KanbanRunView,
    KanbanSource,
    KanbanView,
    TaskView,
)

_PRINTS: Final = """\
`kanban new` and `kanban run`, and other verbs on their runs, print
`{"run": RunView, "kanban": KanbanOfRun}`; `kanban run` prints `{"run": null, "kanban": …}` for a
kanban that is complete. `kanban status` prints `{"kanban": KanbanView}`, `kanban check` prints
`{"check": KanbanCheck, "valid": true or false}`, `kanban log` prints
`{"log": [KanbanLogEntry, …]}`.
"""
REFERENCE: Final = SliceReference(
    whose="a kanban's",
    prints=_PRINTS,
    shapes=(
        *(KanbanOfRun, KanbanView, TaskView, KanbanSource, KanbanRunView),
        *(KanbanCheck, Mistake, InadequateItem, KanbanLogEntry),
    ),
)
