"""Who performs the effects of runs on kanbans in tests, and what its agents answer."""

from supervisor_ai.documents.kanban_reader import MarkdownKanbanReader
from supervisor_ai.drivers.kanban.performer import KanbanPerformer, kanban_performers
from supervisor_ai.drivers.kanban.ports import KanbanFiles, KanbanPorts
from supervisor_ai.engine.effects.performer import SHARED_PERFORMERS
from supervisor_ai.engine.world import Performers


def performers_with(files: KanbanFiles) -> Performers:
    """Let everything be performed that our drivers ask for, on a kanban with these files."""
    ports = KanbanPorts(files=files, reader=MarkdownKanbanReader())
    return {**SHARED_PERFORMERS, **kanban_performers(KanbanPerformer(ports=ports))}
