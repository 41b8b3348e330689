"""A whole run of the workflow `standard` with a real CLI in every role, as a user starts it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
from tests.clis.stage import INSTALLED, KEY, Stage
from tests.clis.whole_run import configure, fenced, work
from tests.e2e.command import make_user

from supervisor_ai.lab.server import LabServer

CONFIG: Final = "gates: {test: {command: [grep, -q, made, made.txt]}}\n"
ANSWERS: Final[Mapping[str, Mapping[str, object]]] = {
    "Review the work against the task": {"status": "APPROVED", "summary": "Good.", "issues": []},
    "You are the planner": {"status": "COMPLETE", "summary": "One file."},
}


def script(stage: Stage) -> dict[str, object]:
    """Let the model answer each role; whoever neither plans nor reviews implements."""
    others = [{"match": match, "turns": [fenced(answer)]} for match, answer in ANSWERS.items()]
    return {"cursor": "history", "scenarios": [*others, {"turns": work(stage)}]}


@pytest.mark.parametrize("adapter", INSTALLED)
def test_a_real_cli_goes_through_a_standard_run(stage: Stage, tmp_path: Path) -> None:
    user = make_user(tmp_path / "user", tmp_path / "state")
    user.commit({".supervisor/config.yaml": CONFIG, "README.md": "A project.\n"})
    with LabServer(script(stage)) as lab:
        configure(user, {stage: lab})
        said = user.run("--workflow", "standard", "--cli", stage.adapter)
    assert said.code == 0, said.out + said.err
    run = said.run
    assert user.git("show", f"{run['branch']}:made.txt") == "made by a tool"
    assert run["usage"]["tokens_in"] >= 400
    kept = b"".join(
        file.read_bytes() for file in (user.repository / ".supervisor").rglob("*") if file.is_file()
    )
    assert KEY.encode() not in kept
    assert {seen.key for seen in lab.requests} == {KEY}
