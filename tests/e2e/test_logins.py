"""No run without an agent that could start, and logins that are given once and never shown."""

import json
import os
import subprocess

import pytest
from tests.e2e.command import SUPERVISOR, User
from tests.e2e.terminal import Terminal
from tests.support.token_service import auth_json, jwt

TOKEN = "sk-ant-oat01-31415926535897932384626433"
OWN = {
    "adapter": "command",
    "command": ["python3", "tools/agent.py"],
    "env": {"HAS_KEY": "${AGENT_KEY}"},
}
UNAVAILABLE = 6
WAITS = 5


@pytest.fixture
def subscriber(user: User) -> User:
    """Give the test a user who has programs, and no key."""
    programs = user.home / "bin"
    programs.mkdir()
    for name in ("claude", "codex"):
        (programs / name).write_text("#!/bin/sh\nexit 1\n")
        (programs / name).chmod(0o755)
    keys = ("ANTHROPIC_", "OPENAI_", "CODEX_", "CLAUDE_")
    for name in [name for name in user.environment if name.startswith(keys)]:
        del user.environment[name]
    user.environment["PATH"] = f"{programs}:{os.environ['PATH']}"
    return user


def give(user: User, cli: str, text: str, *more: str) -> subprocess.CompletedProcess[str]:
    """Log in with what comes through a pipe."""
    return subprocess.run(
        [SUPERVISOR, "login", cli, *more],
        cwd=user.home,
        env=user.environment,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_run_is_made_without_a_key_or_a_login(subscriber: User) -> None:
    for arguments in (
        ("run", "Do it", "--workflow", "quick", "--cli", "claude", "--yes"),
        ("kanban", "new", "Do it", "--cli", "codex", "--manager", "model", "--yes"),
    ):
        said = subscriber.call(*arguments, "--json")
        assert said.code == UNAVAILABLE, said
        assert said.error["kind"] == "unavailable"
        assert "cannot be started: no key and no login was found" in said.error["message"]
        assert "supervisor login" in said.error["hint"]
    assert subscriber.newest() is None
    assert subscriber.git("branch", "--list", "ai/*") == ""
    shown = subscriber.call("run", "Do it", "--workflow", "quick", "--cli", "claude", "--dry-run")
    assert shown.code == 0, "to look costs nothing"


def test_who_lacks_something_starts_no_worker_later_either(user: User) -> None:
    user.script(implement=["blocked", "well"])
    config = user.home / "config"
    config.mkdir()
    (config / "config.yaml").write_text(json.dumps({"clis": {"mine": OWN}}))
    began = user.run("--workflow", "quick", "--cli", "mine", AGENT_KEY="k")
    assert began.code == WAITS, began
    run = began.run["id"]
    for arguments in (("approve", run, "--drive"), ("fork", run, "--at", "implement")):
        said = user.call(*arguments, "--json")
        assert said.code == UNAVAILABLE, (arguments, said)
        assert "'AGENT_KEY', which is not set" in said.error["message"]
    assert len(user.call("status", "--json").json["runs"]) == 1
    assert user.call("resume", run, "--json").code == WAITS, "it waits, and nobody would start"
    assert user.call("approve", run, "--json").code == 0
    assert user.call("resume", run, "--json").code == UNAVAILABLE
    went_on = user.call("resume", run, "--json", AGENT_KEY="k")
    assert went_on.code == 0, went_on


def test_a_login_is_given_once_and_shown_never(subscriber: User) -> None:
    given = give(subscriber, "claude", f"{TOKEN}\n", "--json")
    assert given.returncode == 0, given
    assert json.loads(given.stdout)["applied"] is True
    second = give(subscriber, "codex", json.dumps(auth_json(access := jwt("mine"))))
    assert second.returncode == 0, second
    status = subscriber.call("login", "--status", "--json")
    told = {it["cli"]: it for it in status.json["logins"]}
    assert (told["claude"]["state"], told["claude"]["uses"]) == ("ready", "login")
    assert told["claude"]["until"] is not None
    assert (told["codex"]["state"], told["codex"]["is_renewed"]) == ("ready", True)
    assert told["gemini"]["state"] == "missing"
    doctor = subscriber.call("doctor")
    assert "agent: claude" in doctor.out
    assert "the login in" in doctor.out
    everything = "".join(
        (given.stdout, given.stderr, second.stdout, second.stderr, status.out, doctor.out)
    )
    assert [it for it in (TOKEN, access, "rt-first") if it in everything] == []
    assert subscriber.git("status", "--porcelain") == ""
    forgotten = subscriber.call("logout", "claude", "--json")
    assert forgotten.json["applied"] is True
    assert subscriber.call("logout", "claude", "--json").json["applied"] is False


@pytest.mark.parametrize(
    ("cli", "text", "code"),
    [("claude", "", 2), ("claude", "nonsense-secret", 2), ("gemini", "x", 2), ("nobody", "x", 3)],
)
def test_what_is_no_login_is_refused(subscriber: User, cli: str, text: str, code: int) -> None:
    said = give(subscriber, cli, text, "--json")
    assert said.returncode == code, said
    assert "secret" not in said.stdout + said.stderr
    assert json.loads(said.stdout)["error"]["hint"]


def test_on_a_terminal_it_is_asked_for_and_not_shown(subscriber: User) -> None:
    terminal = Terminal(subscriber, "login", "claude")
    terminal.wait_for("The login of claude: ")
    terminal.type(f"{TOKEN}\n")
    assert terminal.wait() == 0
    assert TOKEN not in terminal.seen
    assert "A run would use the login in" in terminal.seen
