"""Agents of the user's, told of us by `supervisor agents install`: they find tools and skill."""

import json
import shlex
from pathlib import Path

import pytest
from tests.clis.outside import AgentDesktop, call
from tests.clis.stage import INSTALLED, conversation, require

from supervisor_ai.lab.server import LabServer

SCOPES = [*((name, "--project") for name in INSTALLED)]
USERS = [pytest.param(name, "--user", marks=pytest.mark.long) for name in INSTALLED]


@pytest.mark.parametrize(("agent", "scope"), [*SCOPES, *USERS])
def test_an_agent_coordinates_a_session_with_what_was_installed(
    tmp_path: Path, agent: str, scope: str
) -> None:
    require(agent)
    desk = AgentDesktop(agent, tmp_path)
    desk.supervisor("session", "new", "S1", "--pipeline", "full-lifecycle", "--requirement", "It.")
    script = conversation(
        call(agent, "team_msg", operation="log", to="all", summary="We begin."),
        call(agent, "task_list"),
        call(
            agent,
            "checkpoint_request",
            task_id="CHECKPOINT-001",
            scope=["DRAFT-001", "DRAFT-002"],
            pipeline_progress="3/10",
        ),
        {"text": "Asked."},
    )
    with LabServer(script) as lab:
        desk.settle(lab)
        done = desk.ask("agents", "install", agent, "--session", "S1", scope, "--yes")
        if (agent, scope) == ("claude", "--user"):
            # Its own list of servers is not ours to write: the user types what is offered.
            desk.run(shlex.split(done["offers"][0]["text"]))
        printed = desk.converse(lab, "Begin.")
    assert "Asked." in printed
    first, *_, last = [json.dumps(it.body) for it in lab.requests if it.place != "side"]
    assert "How to work in a supervised session as its coordinator" in first
    assert "team-supervisor" in first
    for told in ("MSG-001", "DRAFT-001", "MSG-002"):
        assert told in last
    said = desk.ask("msg", "list", "--session", "S1")["messages"]
    assert [(it["from"], it["to"], it["type"]) for it in said] == [
        ("coordinator", "all", "message"),
        ("coordinator", "supervisor", "checkpoint_request"),
    ]
    assert said[1]["data"]["content"] == (
        "## Checkpoint Request\ntask_id: CHECKPOINT-001\nscope: [DRAFT-001, DRAFT-002]\n"
        "pipeline_progress: 3/10 tasks completed"
    )
    before = desk.ask("agents", "uninstall", agent, scope, "--yes")
    assert before["applied"] is True
    assert desk.ask("agents", "list")["agents"] == []
