"""The registry of drivers: the one list of those that there are, by name and module."""

from typing import Final

from supervisor_ai.control.slices import SliceName

SLICES: Final = (
    SliceName("workflow", "supervisor_ai.drivers.workflow.slice"),
    SliceName("kanban", "supervisor_ai.drivers.kanban.slice"),
)
"""Each is imported when something of it is asked for."""
