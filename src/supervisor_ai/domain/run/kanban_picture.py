"""What stands as the last verdict on a step after a kanban's events: its part of the picture."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.domain.envelope import Event
from supervisor_ai.drivers.kanban.events import KanbanRead, KanbanUnreadable

KANBAN_VERDICTS: Final[Mapping[type[Event], str]] = {
    KanbanRead: ":phase",
    KanbanUnreadable: "unreadable",
}
