"""Real CLIs as members of a session: each calls a tool through the door of its sandbox."""

import asyncio
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
from tests.clis.stage import INSTALLED, Stage, conversation
from tests.clis.vocabulary import Turn

from supervisor_ai.bootstrap.projects import open_project, read_settings
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.sessions.bus import Bus
from supervisor_ai.control.sessions.desk import NewSession, open_desk, open_session
from supervisor_ai.control.sessions.members import user_as_coordinator
from supervisor_ai.domain.ids import RunId, SessionId
from supervisor_ai.engine.ports.members import Newcomer
from supervisor_ai.engine.ports.workers import WorkerReport
from supervisor_ai.lab.server import LabServer

NAMES: Final[Mapping[str, Turn]] = {
    "claude": {"name": "mcp__supervisor__team_msg"},
    "codex": {"name": "team_msg", "namespace": "mcp__supervisor"},
    "gemini": {"name": "mcp_supervisor_team_msg"},
}
SAID: Final = {"operation": "log", "type": "progress", "summary": "Half of it is done."}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenProject:
    """Make a project with a session, for a user of its own."""
    place = tmp_path / "project"
    subprocess.run(["git", "init", "--quiet", str(place)], check=True)
    for name, directory in (("SUPERVISOR_STATE", "own"), ("SUPERVISOR_CONFIG", "config")):
        monkeypatch.setenv(name, str(tmp_path / directory))
    opened = open_project(place, read_settings())
    wanted = NewSession(name="S1", team="blue", pipeline="full", requirement="A file.")
    open_session(open_desk(opened), wanted, opened.actor)
    return opened


@pytest.mark.parametrize("adapter", INSTALLED)
def test_a_cli_says_something_on_the_bus_of_its_session(stage: Stage, project: OpenProject) -> None:
    newcomer = Newcomer(
        session=SessionId("S1"), run=RunId("r1"), role="implementer", slot=1, attempt=1
    )

    async def work(lab: LabServer) -> WorkerReport:
        async with project.world.doors.open(newcomer) as door:
            request = stage.request(lab, door=door)
            return await stage.worker().run(request, stage.hear)

    call: Turn = {"tool": {**NAMES[stage.adapter], "input": SAID}}
    with LabServer(conversation(call, {"text": "Done."})) as lab:
        report = asyncio.run(work(lab))
    assert report.output == "Done.", (report.diagnosis, stage.said)
    bus = Bus(open_desk(project), SessionId("S1"), user_as_coordinator(project.actor))
    assert [(it.sender, it.type, it.summary) for it in bus.list()] == [
        ("implementer-1.r1", "progress", "Half of it is done.")
    ]
    heard = json.dumps([seen.body for seen in lab.requests if seen.place != "side"])
    assert "MSG-001" in heard
    assert stage.refused == []
