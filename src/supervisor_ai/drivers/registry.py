"""The registry of drivers: the one list of those that there are, by name and module."""

from typing import Final

from supervisor_ai.control.slice_names import SliceName, SliceVerb

SLICES: Final = (
    SliceName("workflow", "supervisor_ai.drivers.workflow.slice"),
    SliceName(
        "kanban",
        "supervisor_ai.drivers.kanban.slice",
        ports={
            "files": "supervisor_ai.workspaces.kanban.files:open_kanban_files",
            "reader": "supervisor_ai.documents.kanban_reader:open_kanban_reader",
        },
        section="supervisor_ai.definitions.kanban.settings:KANBAN",
        resolver="supervisor_ai.definitions.kanban.resolution:resolve_kanban",
        verb=SliceVerb(
            place="supervisor_ai.cli.commands.kanban:kanban",
            help="Work through a kanban, task by task",
        ),
    ),
)
"""Each is imported when something of it is asked for."""
