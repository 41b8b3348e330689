"""Who acts on a task."""

from supervisor_ai.drivers.kanban.board.kanban import Agent


def determine_role(header: Agent | None) -> Agent:
    """Say who does a task: whom its header names, else the Implementor, whatever the phase."""
    return header or Agent.IMPLEMENTOR
