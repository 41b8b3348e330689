"""A remit that a real CLI works on in a loop: it scopes, plans, implements, judges and assesses."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
from tests.clis.stage import KEY, Stage
from tests.clis.vocabulary import Turn
from tests.clis.whole_run import configure, fenced
from tests.e2e.command import make_user

from supervisor_ai.lab.server import LabServer

CONFIG: Final = """\
gates: {test: {command: [grep, -q, project, README.md]}}
loop: {gates: [test]}
quality: {supervisors: {design: {enabled: false}, internaliser: {enabled: false}}}
"""
RULES: Final = "docs/knowledge/conventions/files.md"
CONVENTION: Final = """\
# Files

_Last updated by: code_style_supervisor, task_2_
_Status: provisional_

## Rules

1. Write one line per file"""


def plan(name: str) -> Turn:
    return fenced({"status": "implement", "task": f"Write {name}", "files": [name]})


def work(stage: Stage, name: str) -> list[Turn]:
    """Write the file of a task and say so."""
    changed = {"files_created": [name], "files_modified": [], "tests_written": []}
    said = {"status": "SUCCESS", "summary": f"Wrote {name}.", **changed}
    return [stage.words.create(name, "made by a tool"), fenced(said)]


def script(stage: Stage) -> dict[str, object]:
    """Let the model play each role, the planner and the implementor by what is done already."""
    milestones = [{"outcome": "Both files can be read"}]
    looked = {"conventions_updated": [RULES], "directives": [], "summary": "One rule."}
    roles: Mapping[str, list[Turn]] = {
        "scope_agent": [fenced({"remit": "Two files.", "milestones": milestones})],
        r"task_planner.*\(done\): Write two": [
            fenced({"status": "milestone_done", "task": "Both files are there."})
        ],
        r"task_planner.*\(done\): Write one": [plan("two.txt")],
        "task_planner": [plan("one.txt")],
        r"loop_implementor.*task_\d+: Write two": work(stage, "two.txt"),
        "loop_implementor": work(stage, "one.txt"),
        "loop_qa": [fenced({"status": "pass", "feedback": "The file is there."})],
        "assessor": [fenced({"status": "milestone_complete", "summary": "Both are there."})],
        "code_style_supervisor": [stage.words.create(RULES, CONVENTION), fenced(looked)],
    }
    scenarios = [{"match": f"You are the {role}", "turns": turns} for role, turns in roles.items()]
    return {"cursor": "history", "scenarios": scenarios}


@pytest.mark.long
@pytest.mark.parametrize("adapter", ["claude"])
def test_a_real_cli_works_on_a_remit_until_it_is_complete(stage: Stage, tmp_path: Path) -> None:
    user = make_user(tmp_path / "user", tmp_path / "state")
    user.commit({".supervisor/config.yaml": CONFIG, "README.md": "A project.\n"})
    with LabServer(script(stage)) as lab:
        configure(user, {stage: lab})
        said = user.call("loop", "run", "Write two files", "--cli", "claude", "--yes", "--json")
    assert said.code == 0, said.out + said.err
    loop = user.call("loop", "show", "--json").json["loop"]
    assert [it["status"] for it in loop["milestones"]] == ["reached"]
    assert [(it["outcome"], it["qa_failures"]) for it in loop["done_list"]] == [("done", 0)] * 2
    branch = said.run["branch"]
    subjects = user.git("log", "--reverse", "--format=%s", f"main..{branch}").splitlines()
    assert subjects[:2] == ["Write one.txt", "Write two.txt"]
    assert [it.startswith("knowledge: ") for it in subjects[2:]] == [True]
    for name in ("one.txt", "two.txt"):
        assert user.git("show", f"{branch}:{name}") == "made by a tool"
    assert "1. Write one line per file" in user.git("show", f"{branch}:{RULES}")
    assert "# Work report" in user.call("loop", "report").out
    assert {seen.key for seen in lab.requests} == {KEY}
