"""`supervisor role`, and roles for one run."""

from tests.e2e.command import AGENT as SCRIPTED
from tests.e2e.command import CONFIG, User

STRICT = """\
extends: reviewer
description: A review that asks twice
system_prompt_additions: |
  Ask twice.
context:
  token_budget: 9000
"""
AGENT = """\
---
name: code-reviewer
description: Reviews code
tools: Read, Grep, Glob
model: sonnet
---

You review code.
"""


def test_a_role_of_the_project_is_listed_and_shown(user: User) -> None:
    user.commit({".supervisor/roles/strict.yaml": STRICT})
    roles = {it["name"]: it for it in user.call("role", "list", "--json").json["roles"]}
    assert roles["strict"] == {
        "name": "strict",
        "description": "A review that asks twice",
        "origin": "project",
        "pack": None,
        "extends": "reviewer",
        "answer": "review",
        "writes": False,
        "cli": "my_agent",
        "version": None,
    }
    lines = user.call("role", "list").out.splitlines()
    assert lines[0].startswith("  [built-in] ")
    assert "  [project] strict" in lines
    assert lines[lines.index("") + 1].split() == [
        "ROLE",
        "ORIGIN",
        "EXTENDS",
        "AGENT",
        "ANSWERS",
        "DESCRIPTION",
    ]
    page = user.call("role", "show", "strict").out
    assert ".supervisor/roles/strict.yaml:6" in page
    assert "builtin/roles/reviewer.yaml:1" in page
    assert "at most 9000 tokens" in page
    shown = user.call("role", "show", "strict", "--json").json["role"]
    assert shown["role"]["system_prompt"] == "Ask twice."
    assert {
        "key": "context.token_budget",
        "value": "9000",
        "file": ".supervisor/roles/strict.yaml",
        "line": 6,
        "origin": "project",
    } in shown["values"]


def test_roles_are_compared(user: User) -> None:
    user.commit({".supervisor/roles/strict.yaml": STRICT})
    said = user.call("role", "diff", "strict")
    assert said.out == (
        "reviewer -> strict\n"
        "  description\n    - Strict code review\n    + A review that asks twice\n"
        "  context.token_budget\n    - 15000\n    + 9000\n"
        "  system_prompt\n    + Ask twice.\n"
    )
    found = user.call("role", "diff", "strict", "reviewer", "--json").json["diff"]
    assert (found["before"], found["after"]) == ("strict", "reviewer")
    assert found["changes"][-1] == {"key": "system_prompt", "before": ["Ask twice.\n"], "after": []}
    assert (
        user.call("role", "diff", "planner", "planner").out
        == "planner -> planner\n  no difference\n"
    )
    assert user.call("role", "diff", "planner").code == 2


def test_mistakes_and_unknown_names(user: User) -> None:
    assert user.call("role", "validate", "planner").out == "No mistakes in planner.\n"
    assert "planner" in user.call("role", "validate", "--json").json["valid"]
    said = user.call("role", "show", "plannr", "--json")
    assert (said.error["kind"], said.error["hint"]) == ("not_found", "Did you mean 'planner'?")
    user.commit({".supervisor/roles/strict.yaml": STRICT.replace("reviewer", "reviw")})
    said = user.call("role", "validate")
    assert said.code == 2
    assert "strict.yaml:1: extends: unknown role 'reviw'; did you mean 'reviewer'?" in said.err


def test_another_role_for_one_run(user: User) -> None:
    agent = SCRIPTED.read_text().replace('"reviewer": {', '"strict": {')
    user.commit({".supervisor/roles/strict.yaml": STRICT, "tools/agent.py": agent})
    said = user.run("--workflow", "reviewed", "--role", "review=strict")
    assert said.code == 0, said.err
    run = said.run["id"]
    began = [it for it in user.events(run) if it["type"] == "AttemptStarted"]
    assert [it["payload"]["role"] for it in began] == ["implementer", "strict"]
    assert user.run("--role", "documenter", "--dry-run").code == 0
    for wrong in ("review=planner", "nothing=strict", "=strict", "review="):
        assert user.run("--workflow", "reviewed", "--role", wrong).code in {2, 3}, wrong
    twice = ("--role", "review=strict", "--role", "review=reviewer")
    assert user.run("--workflow", "reviewed", *twice).code == 2


def test_what_a_role_file_widens_needs_trust(user: User) -> None:
    agreed = user.call("trust", "--show", "--json").json["trust"]["fingerprint"]
    user.call("trust", "--fingerprint", agreed)
    user.commit({".supervisor/roles/reviewer.yaml": 'egress: ["pypi.org:443"]\n'})
    said = user.run("--workflow", "reviewed", SUPERVISOR_TRUST="")
    assert said.code == 7
    assert '+ .supervisor/roles/reviewer.yaml:1 egress = ["pypi.org:443"]' in said.error["message"]


def test_the_gate_of_a_role_is_run(user: User) -> None:
    gates = (
        "gates:\n- {name: made, command: test -f done.txt}\n"
        "- {name: odd, command: 'false', on_fail: warn}\n"
    )
    user.commit({".supervisor/roles/implementer.yaml": gates})
    said = user.run("--workflow", "quick")
    assert said.code == 0, said.err
    steps = [step["step"] for step in said.run["steps"]]
    assert steps == ["implement", "implement-guard", "implement-made", "implement-odd", "commit"]


def test_agents_in_markdown_come_and_go(user: User) -> None:
    user.write({".claude/agents/code-reviewer.md": AGENT})
    dry = user.call("role", "import", ".claude/agents", "--dry-run", "--json").json["files"]
    assert [it["mutation"]["applied"] for it in dry] == [False]
    place = user.repository / ".supervisor/roles/code-reviewer.yaml"
    assert not place.exists()
    assert user.call("role", "import", ".claude/agents/code-reviewer.md").code == 0
    assert "claude:sonnet" in place.read_text()
    again = user.call("role", "import", ".claude/agents/code-reviewer.md", "--json")
    assert (again.code, again.error["kind"]) == (4, "conflict")
    assert user.call("role", "import", ".claude/agents", "--force").code == 0
    config = CONFIG + "roles: {code-reviewer: {cli: my_agent}}\n"
    user.commit({".supervisor/config.yaml": config})
    assert user.call("role", "validate", "code-reviewer").code == 0
    assert user.call("role", "export", "test_engineer").code == 0
    written = (user.repository / ".claude/agents/test-engineer.md").read_text()
    assert written.startswith("---\nname: test-engineer\n")
    assert user.call("role", "export", "test_engineer").code == 4


def test_an_import_does_not_leave_the_project(user: User) -> None:
    user.write({"agent.md": AGENT})
    outside = user.home / "outside"
    outside.mkdir()
    (user.repository / ".supervisor/roles").symlink_to(outside)
    said = user.call("role", "import", "agent.md", "--json")
    assert (said.code, said.error["kind"]) == (7, "denied")
    assert not list(outside.iterdir())
    assert user.call("role", "import", "missing.md").code == 3
    (user.repository / "empty").mkdir()
    assert user.call("role", "import", "empty").code == 3
