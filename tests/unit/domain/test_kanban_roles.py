"""Who does a task: its header says so, else the Implementor."""

import pytest

from supervisor_ai.drivers.kanban.board.kanban import Agent
from supervisor_ai.drivers.kanban.board.roles import determine_role


def test_a_task_without_a_role_is_the_implementors() -> None:
    assert determine_role(None) is Agent.IMPLEMENTOR


@pytest.mark.parametrize("agent", Agent)
def test_the_header_of_a_task_comes_first(agent: Agent) -> None:
    assert determine_role(agent) is agent
