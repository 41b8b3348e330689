"""Sentences about a kanban's events: what happens to its files, in a person's words."""

from typing import Final

from supervisor_ai.control.phrases import short
from supervisor_ai.control.registered_kinds import ApprovalPhrases, StepPhrases
from supervisor_ai.control.sentence_table import SentenceTable, on
from supervisor_ai.drivers.kanban import events as k
from supervisor_ai.drivers.kanban.board.roles import determine_role


def _read(event: k.KanbanRead) -> str:
    phase = event.phase.value + (f" ({event.sub_phase})" if event.sub_phase else "")
    words = f"{phase}, {len(event.open)} of {len(event.tasks)} tasks open"
    if event.current is None:
        return f"{words}, nothing is next"
    role = determine_role(event.role)
    return f"{words}, next {event.current} ({role.shown})"


def _mark_of_read(event: k.KanbanRead) -> str:
    named = f", {event.current.rpartition('/')[2]}" if event.current else ""
    return f"{len(event.open)} of {len(event.tasks)} open{named}"


KANBAN_SENTENCES: Final[SentenceTable] = (
    on(k.KanbanReadStarted, lambda it: f"reads {it.file}", is_routine=True),
    on(k.KanbanRead, _read, mark=_mark_of_read),
    on(k.KanbanUnreadable, lambda it: f"cannot be read: {it.reason}", mark="unreadable"),
    on(k.KanbanReadLost, lambda _: "had not read the kanban when its owner died"),
    on(
        k.KanbanSaveStarted,
        lambda it: f"the files of {short(it.snapshot)} are to be written into their directory",
        is_routine=True,
    ),
    on(k.KanbanSaved, lambda _: "the directory has the files"),
    on(
        k.KanbanSaveRefused,
        lambda it: f"the directory does not have the files: {it.reason}",
        mark="could not be put there",
    ),
    on(
        k.KanbanSaveLost,
        lambda _: "nobody knows whether the directory has the files; its owner died",
    ),
)
READ_FILES: Final = StepPhrases(deed="reads the kanban", preview="read the kanban's files")
UNREADABLE: Final = ApprovalPhrases(
    asking="cannot read the kanban and ",
    why="the kanban's files cannot be read as they are",
    yes="you mended the files, and they are read again",
    no="the run ends",
    mend="mend",
)
