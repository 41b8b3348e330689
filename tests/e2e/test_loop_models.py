"""A loop whose roles take the models that the user names, on two services of this machine."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.e2e.command import User

from supervisor_ai.lab.server import LabServer

KEY: Final = "sk-canary-of-the-router"
CONFIG: Final = """\
cli: my_agent
clis: {my_agent: {adapter: command, command: [python3, tools/agent.py]}}
loop: {gates: []}
"""
TASK: Final = "Build app/m1_1.txt"
OF_LOOP: Final[Mapping[str, tuple[Mapping[str, object], ...]]] = {
    "scope_agent": ({"remit": "Build the app.", "milestones": [{"outcome": "It works"}]},),
    "task_planner": (
        {"status": "implement", "task": "First I ask.", "questions": ["Where do files go?"]},
        {"status": "implement", "task": TASK, "plan": "Write it."},
        {"status": "milestone_done", "task": "The file is there."},
    ),
    "loop_qa": ({"status": "pass", "feedback": "It is built."},),
    "assessor": ({"status": "milestone_complete", "summary": "I looked."},),
}
WORK: Final = {
    "status": "SUCCESS",
    "files_created": ["app/m1_1.txt"],
    "files_modified": [],
    "tests_written": [],
}
RESEARCH: Final = {"answers": [{"question": "Where do files go?", "answer": "Into app/."}]}
OF_SUPERVISORS: Final[Mapping[str, tuple[Mapping[str, object], ...]]] = {
    # It has no tools, whatever it says that it wrote.
    "code_style_supervisor": (
        {"conventions_updated": ["docs/knowledge/conventions/a.md"], "directives": []},
    ),
    "design_supervisor": ({"design_updates": [], "directives": []},),
    "internaliser": ({"knowledge_items": [{"category": "lesson", "content": "One by one"}]},),
}


def lab_of(answers: Mapping[str, tuple[Mapping[str, object], ...]]) -> LabServer:
    """Answer these roles and no others; each is known by how its prompt begins."""
    scenarios = [
        {"match": f"You are the {role} of", "turns": [_turn(it) for it in said]}
        for role, said in answers.items()
    ]
    return LabServer({"scenarios": scenarios, "side_calls": False})


def _turn(answer: Mapping[str, object]) -> dict[str, object]:
    said = {"nonce": "{{nonce}}", "summary": "So.", **answer}
    if {"feedback", "task"} & answer.keys():
        del said["summary"]
    return {"text": json.dumps(said), "usage": {"in": 5000, "out": 1000}}


def own_config(user: User, **said: object) -> None:
    """Write the user's own config."""
    (user.home / "config").mkdir()
    (user.home / "config" / "config.yaml").write_text(json.dumps(said))
    user.environment["ROUTER_KEY"] = KEY


def test_each_role_asks_its_model_and_a_look_has_its_price(user: User) -> None:
    """A local Ollama plays the loop, also with tools; a router its supervisors and questions."""
    user.commit({".supervisor/config.yaml": CONFIG, "app/README": "An app.\n"})
    stub = user.home / "qwen"
    shutil.copy(Path(__file__).with_name("qwen_stub.py"), stub)
    of_router = {**OF_SUPERVISORS, "loop_researcher": (RESEARCH,)}
    of_local = {**OF_LOOP, "loop_implementor": (WORK,)}
    with lab_of(of_local) as local, lab_of(of_router) as router:
        asked = {"provider": "openrouter", "base_url": f"{router.url}/v1", "key": "${ROUTER_KEY}"}
        own_config(
            user,
            models={
                "primary": {"provider": "ollama", "base_url": local.url, "model": "qwen3"},
                "supervisor": {**asked, "model": "anthropic/claude-sonnet-4"},
                "research": {**asked, "model": "openai/gpt-5", "fallback": ["primary"]},
            },
            clis={"hands": {"adapter": "qwen", "model": "primary", "command": [str(stub)]}},
            sandbox={"ro_paths": [str(stub)]},
        )
        said = user.call("loop", "run", "Build the app", "--yes", "--json")
    assert said.code == 0, said.out + said.err
    run = said.json["run"]["id"]
    events = user.events(run)
    began = [it["payload"] for it in events if it["type"] == "AttemptStarted"]
    worked = {it["role"]: it["cli"] for it in began}
    assert worked == {
        **dict.fromkeys(OF_LOOP, "primary"),
        **dict.fromkeys(OF_SUPERVISORS, "supervisor"),
        "loop_researcher": "research",
        "loop_implementor": "hands",
    }
    assert user.git("show", f"{said.json['run']['branch']}:app/m1_1.txt") == "built"
    paths = [it.path for it in local.requests]
    assert (paths.count("/api/chat"), paths.count("/v1/chat/completions")) == (6, 1)
    assert {it.model for it in local.requests} == {"qwen3"}
    assert len(router.requests) == 4
    assert {it.key for it in local.requests if it.path == "/api/chat"} == {None}
    assert {(it.key or "").removeprefix("Bearer ") for it in router.requests} == {KEY}
    plans = user.call("logs", run, "--step", "task_planner").out
    assert "Into app/." in plans
    looks = [it["payload"] for it in events if it["type"] == "SupervisorRan"]
    assert [len(it["updated"]) for it in looks] == [0, 0, 1]
    expected = "0.02 to 0.04 $ were expected"
    cost = looks[1]["usage"]["cost"]
    assert f"cost {cost} $ where {expected}" in user.call("events", run).out
    report = user.call("loop", "report", run).out
    assert f"design: 1 look cost {cost} $; {expected}" in report
    costs = user.call("loop", "report", run, "--json").json["benefit"]["supervisors"]
    assert {(it["supervisor"], it["looks"], it["expected_least"]) for it in costs} == {
        (it, 1, 0.02) for it in ("code_style", "design", "internaliser")
    }
    assert KEY not in json.dumps(events)
