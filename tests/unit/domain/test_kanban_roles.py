"""Who does a task: its header, else the phase, else the Implementor."""

import pytest

from supervisor_ai.domain.kanban.kanban import Agent, Phase
from supervisor_ai.domain.kanban.roles import determine_role


@pytest.mark.parametrize(
    ("phase", "sub_phase", "agent"),
    [
        (Phase.EXPLORATION, None, Agent.ARCHITECT),
        (Phase.DESIGN, None, Agent.ARCHITECT),
        (Phase.PLAN, None, Agent.MANAGER),
        (Phase.EXECUTE, "review", Agent.ARCHITECT),
        (Phase.EXECUTE, None, Agent.IMPLEMENTOR),
        (Phase.EXECUTE, "something", Agent.IMPLEMENTOR),
        (Phase.VALIDATE, None, Agent.ARCHITECT),
        (Phase.COMPLETE, None, Agent.IMPLEMENTOR),
    ],
)
def test_a_phase_calls_for_an_agent(phase: Phase, sub_phase: str | None, agent: Agent) -> None:
    assert determine_role(None, phase, sub_phase) is agent


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("agent", Agent)
def test_the_header_of_a_task_comes_first(agent: Agent, phase: Phase) -> None:
    assert determine_role(agent, phase, "review") is agent
