"""Who acts on a task: its header says so, else the phase of its kanban does."""

from typing import Final

from supervisor_ai.domain.kanban.kanban import Agent, Phase

_REVIEW: Final = "review"

ROLE_TABLE: Final[dict[tuple[Phase, str | None], Agent]] = {
    (Phase.EXPLORATION, None): Agent.ARCHITECT,
    (Phase.DESIGN, None): Agent.ARCHITECT,
    (Phase.PLAN, None): Agent.MANAGER,
    (Phase.EXECUTE, _REVIEW): Agent.ARCHITECT,
    (Phase.EXECUTE, None): Agent.IMPLEMENTOR,
    (Phase.VALIDATE, None): Agent.ARCHITECT,
}
"""Whom a phase calls for, and a part of a phase before the whole of it."""


def determine_role(header: Agent | None, phase: Phase, sub_phase: str | None) -> Agent:
    """Say who does the current task of a kanban."""
    if header is not None:
        return header
    found = ROLE_TABLE.get((phase, sub_phase)) or ROLE_TABLE.get((phase, None))
    return found or Agent.IMPLEMENTOR
