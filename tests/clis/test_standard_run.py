"""A whole run of the workflow `standard` with a real CLI in every role, as a user starts it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest
from tests.clis.stage import INSTALLED, KEY, PATH, Stage
from tests.e2e.command import User, make_user

from supervisor_ai.lab.server import LabServer

CONFIG: Final = "gates: {test: {command: [grep, -q, made, made.txt]}}\n"
ANSWERS: Final[Mapping[str, Mapping[str, object]]] = {
    "Review the work against the task": {"status": "APPROVED", "summary": "Good.", "issues": []},
    "You are the planner": {"status": "COMPLETE", "summary": "One file."},
}
IMPLEMENTED: Final = {
    "status": "SUCCESS",
    "summary": "Wrote it.",
    "files_created": ["made.txt"],
    "files_modified": [],
    "tests_written": [],
}


def fenced(answer: Mapping[str, object]) -> dict[str, object]:
    return {"text": f"Here it is.\n```json\n{json.dumps(answer)}\n```"}


def script(stage: Stage) -> dict[str, object]:
    """Let the model answer each role; whoever neither plans nor reviews implements."""
    others = [{"match": match, "turns": [fenced(answer)]} for match, answer in ANSWERS.items()]
    work = stage.words.create("made.txt", "made by a tool")
    turns = [work, fenced(IMPLEMENTED)]
    return {"cursor": "history", "scenarios": [*others, {"turns": turns}]}


def configure(user: User, stage: Stage, lab: LabServer) -> None:
    """Send the CLI to another upstream, as the user's own config can."""
    own = stage.profile.broker
    assert own is not None
    broker = {
        "upstream": lab.url + urlsplit(own.upstream).path,
        "paths": list(own.paths),
        "base_url": own.base_url,
        "header": own.header,
        "placeholder": own.placeholder,
    }
    command = [stage.adapter, *(("-m", stage.words.model) if stage.words.model else ())]
    cli = {"adapter": stage.adapter, "command": command, "broker": broker}
    (user.home / "config").mkdir()
    # JSON is YAML.
    (user.home / "config" / "config.yaml").write_text(json.dumps({"clis": {stage.adapter: cli}}))
    keys = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY")
    user.environment.update({"PATH": PATH, **dict.fromkeys(keys, KEY)})


@pytest.mark.parametrize("adapter", INSTALLED)
def test_a_real_cli_goes_through_a_standard_run(stage: Stage, tmp_path: Path) -> None:
    user = make_user(tmp_path / "user", tmp_path / "state")
    user.commit({".supervisor/config.yaml": CONFIG, "README.md": "A project.\n"})
    with LabServer(script(stage)) as lab:
        configure(user, stage, lab)
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
