"""Each real CLI as a member of a full lifecycle: it claims, does and completes what is its own."""

from pathlib import Path

import pytest
from tests.clis.outside import AgentDesktop, call
from tests.clis.stage import INSTALLED, conversation, require
from tests.support.lifecycle import OWNERS, SESSION, deeds, lifecycle, require_whole

from supervisor_ai.lab.server import LabServer


@pytest.mark.long
@pytest.mark.parametrize("agent", INSTALLED)
def test_a_cli_is_the_writer_of_a_full_lifecycle(tmp_path: Path, agent: str) -> None:
    require(agent)
    desk = AgentDesktop(agent, tmp_path)
    with LabServer(conversation({"text": "Nothing yet."})) as lab, lifecycle(desk) as session:
        desk.settle(lab)
        member = ("--role", "worker", "--member", "writer")
        desk.ask("agents", "install", agent, "--session", SESSION, *member, "--yes")

        def write(task: str) -> None:
            calls = [call(agent, tool, **arguments) for tool, arguments in deeds(task)]
            lab.load(conversation(*calls, {"text": f"{task} is done."}))
            printed = desk.converse(lab, f"Do {task}.")
            tasks = session.coordinator.call("task_list")["tasks"]
            status = {it["id"]: it["status"] for it in tasks}[task]
            assert status == "completed", printed

        others = {it: session.scripted(it) for it in set(OWNERS.values()) - {"writer"}}
        session.play({**others, "writer": write})
    require_whole(desk, session)
