"""What happens to a kanban's files, in a person's words."""

from collections.abc import Sequence
from typing import Final

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.kanban.roles import determine_role
from supervisor_ai.domain.run import events as e

_LISTED: Final = 8
_SHORT: Final = 12


def kanban_fact(event: Event) -> str | None:
    """Say in one line what became of the files; None: it is about something else."""
    match event:
        case e.KanbanReadStarted(file=file):
            return f"reads {file}"
        case e.KanbanRead():
            return _read(event)
        case e.KanbanUnreadable(reason=reason):
            return f"cannot be read: {reason}"
        case e.KanbanReadLost():
            return "had not read the kanban when its owner died"
        case e.KanbanSaveStarted(snapshot=snapshot):
            return f"the files of {snapshot[:_SHORT]} are to be written into their directory"
        case e.KanbanSaved():
            return "the directory has the files"
        case e.KanbanSaveRefused(reason=reason):
            return f"the directory does not have the files: {reason}"
        case e.KanbanSaveLost():
            return "nobody knows whether the directory has the files; its owner died"
        case _:
            return None


def listed(paths: Sequence[str]) -> str:
    """Name the first of many files."""
    shown = ", ".join(paths[:_LISTED])
    return f"{shown} and {len(paths) - _LISTED} more" if len(paths) > _LISTED else shown


def _read(event: e.KanbanRead) -> str:
    phase = event.phase.value + (f" ({event.sub_phase})" if event.sub_phase else "")
    words = f"{phase}, {len(event.open)} of {len(event.tasks)} tasks open"
    if event.current is None:
        return f"{words}, nothing is next"
    role = determine_role(event.role)
    return f"{words}, next {event.current} ({role.value})"
