"""Tools that are not there: recorded, routed, systemic at three, decided, resolved, summed up."""

import pytest
from tests.unit.drivers.team.scene import TeamScene, W, working

from supervisor_ai.drivers.team.decisions.tools import MOST_TOOLS
from supervisor_ai.drivers.team.machines.tool_register import SYSTEMIC, ToolStatus
from supervisor_ai.drivers.team.queries.post_mortem import post_mortem, tool_health
from supervisor_ai.drivers.team.words import RefusalCode, ToolDecision


def report(scene: TeamScene, who: str, tool: str = "WebSearch", task: str = "1") -> str:
    return scene.send(W.TOOL_UNAVAILABLE, who, tool=tool, task_id=task).event


def test_the_register_has_tool_agent_task_and_time() -> None:
    scene = working()
    report(scene, "ada")
    [told] = scene.state.tools["WebSearch"].reports
    assert (told.agent, told.task, told.at) == ("ada", "1", scene.state.latest)
    assert scene.send(W.TOOL_UNAVAILABLE, "ada", tool="WebSearch", task_id="1").facts == ()


def test_three_agents_make_it_systemic() -> None:
    assert SYSTEMIC == 3
    scene = working()
    spelt = {"ada": "WebSearch", "bob": "websearch", "rev": "Web search", "tech": "web_search"}
    assert [report(scene, who, tool) for who, tool in spelt.items()] == [
        "TOOL_UNAVAILABLE",
        "TOOL_UNAVAILABLE",
        "TOOL_SYSTEMIC",
        "TOOL_UNAVAILABLE",
    ]
    assert scene.state.alerts["TOOL_UNAVAILABLE:WebSearch"].severity == "WARN"
    assert scene.state.tools["WebSearch"].was_systemic


@pytest.mark.parametrize("decision", list(ToolDecision))
def test_the_lead_decides_skip_retry_or_caveat(decision: ToolDecision) -> None:
    scene = working()
    report(scene, "ada")
    assert scene.send(W.TOOL_DECISION, "lead", tool="websearch", decision=decision).accepted
    assert scene.state.tools["WebSearch"].decision is decision
    assert scene.state.alerts == {}


def test_a_resolution_is_tracked_into_the_health_summary() -> None:
    scene = working()
    report(scene, "ada")
    scene.wait(12)
    assert scene.send(W.TOOL_RESOLVED, "ada", tool="WebSearch").accepted
    report(scene, "bob", tool="Context7")
    scene.send(W.TOOL_DECISION, "lead", tool="Context7", decision=ToolDecision.SKIP)
    web, context = sorted(tool_health(scene.state), key=lambda it: it.tool, reverse=True)
    assert (web.status, web.agents, web.down) == (ToolStatus.RESOLVED, 1, "12m")
    assert (context.status, context.decision, context.down) == (ToolStatus.DECIDED, "skip", "")
    text = post_mortem(scene.state, scene.facts, scene.now)
    assert "- WebSearch: resolved, 1 agents, down 12m" in text
    assert "- Context7: decided, 1 agents, skip" in text


def test_a_team_without_trouble_says_so() -> None:
    scene = working()
    assert "- every tool was there" in post_mortem(scene.state, scene.facts, scene.now)
    assert post_mortem(scene.state, [], scene.now)


def test_trouble_that_comes_back_begins_anew() -> None:
    scene = working()
    for who in ("ada", "bob", "rev"):
        report(scene, who)
    scene.send(W.TOOL_RESOLVED, "ada", tool="WebSearch")
    assert report(scene, "ada") == "TOOL_UNAVAILABLE"
    assert scene.state.tools["WebSearch"].agents == ("ada",)
    decided = scene.send(W.TOOL_DECISION, "lead", tool="nothing", decision=ToolDecision.SKIP)
    assert decided.code is RefusalCode.NOT_POSSIBLE


def test_the_register_is_bounded() -> None:
    scene = working()
    for number in range(MOST_TOOLS):
        report(scene, "ada", tool=f"tool {number}")
    ruling = scene.send(W.TOOL_UNAVAILABLE, "ada", tool="one more", task_id="1")
    assert ruling.code is RefusalCode.NOT_POSSIBLE
