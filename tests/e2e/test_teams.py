"""Teams from the command line: JSON for programs, mistakes that are explained, a resident."""

import json
import subprocess
import time
from hashlib import sha256
from os import devnull
from pathlib import Path

import pytest
from tests.e2e.command import User

from supervisor_ai.bootstrap.projects import open_preflight, open_records, read_settings
from supervisor_ai.control.dashboard.task_lists import read_tasks
from supervisor_ai.control.slices import TaskDesk, TaskList
from supervisor_ai.domain.ids import RunId


def make(user: User, *words: str) -> None:
    user.call("team", "create", "auth", *words)


def test_the_json_is_what_programs_rely_on(user: User) -> None:
    said = user.call("team", "create", "auth", "--complexity", "medium", "--json")
    assert said.code == 0, said.err
    team = said.json["team"]
    assert {"name", "owner", "epoch", "lock", "teardown", "roster", "tasks", "alerts"} <= set(team)
    assert (team["owner"], team["complexity"], team["phase"]) == ("lead", "MEDIUM", "BOOTSTRAP")
    told = user.call("team", "handoff", "auth", "--json").json
    assert set(told) == {"accepted", "event", "reason"}
    assert (told["accepted"], told["event"]) == (True, "STATE_OWNERSHIP_HANDOFF")
    again = user.call("team", "handoff", "auth", "--json").json
    assert (again["accepted"], again["event"]) == (True, "HANDOFF_DUPLICATE")
    assert user.call("team", "ack", "auth", "--json").json["event"] == "STATE_OWNERSHIP_ACK"
    joined = user.call("team", "join", "auth", "rev", "--role", "logic-reviewer", "--json").json
    assert set(joined) == {"team", "member", "role", "token"}
    refused = user.call("team", "send", "auth", "CLAIM", "--from", "rev", "--json")
    assert (refused.code, refused.json["accepted"]) == (4, False)
    secret = "ghp_" + "Ab1" * 12
    added = ("TASK_ADDED", "--task", "1", "--text", secret, "--current")
    assert user.call("team", "send", "auth", *added).code == 0
    for place in (user.repository / ".claude", user.repository / ".supervisor"):
        files = [it for it in place.rglob("*") if it.is_file()]
        assert [it for it in files if secret.encode() in it.read_bytes()] == []
    state = (user.repository / ".claude/teams/auth/state.md").read_text()
    assert "- #1: [REDACTED_SECRET] — PENDING (unassigned)" in state
    report = user.call("team", "report", "auth", "--json").json["report"]
    assert set(report) == {"window", "healthy", "alerts", "actions", "needs_decision"}
    assert report["healthy"] == 1


def test_one_command_makes_a_team_that_agents_can_be_in(user: User) -> None:
    user.commit()
    wanted = ("claude:lead", "claude:coder-1", "codex:coder-2", "gemini:rev")
    members = (word for it in wanted for word in ("--member", it))
    said = user.call("team", "create", "auth", *members, "--todo", "A form", "--json")
    assert said.code == 0, said.err
    ready = {it["member"]: it for it in said.json["members"]}
    assert [ready[it]["role"] for it in ("lead", "coder-1", "rev")] == [
        *("lead", "coder", "unified-reviewer")
    ]
    assert ready["lead"]["token"] is None
    team = said.json["team"]
    assert (team["owner"], [it["subject"] for it in team["tasks"]]) == ("supervisor@1", ["A form"])
    coder = Path(ready["coder-1"]["directory"])
    assert coder == user.repository / ".supervisor/teams/auth/coder-1"
    told = json.loads((coder / ".mcp.json").read_text())["mcpServers"]["supervisor"]
    assert told["args"][-4:] == ["--role", "worker", "--member", "coder-1"]
    guide = (coder / ".claude/skills/supervisor/SKILL.md").read_text()
    assert "You are **coder-1**, the coder of team **auth**." in guide
    assert "CLAIM: task N." in guide
    other = Path(ready["lead"]["directory"]) / ".claude/skills/supervisor/SKILL.md"
    assert "You decide about scope" in other.read_text()
    for place in (user.repository, coder):
        shown = subprocess.run(
            ["git", "status", "--short"], cwd=place, capture_output=True, check=True
        )
        assert shown.stdout == b""
    # Another member has no place in a checkout that is somebody's.
    install = ("agents", "install", "claude", "--session", "auth", "--role", "worker", "--yes")
    refused = user.call("-C", str(coder), *install, "--member", "coder-9", "--json")
    assert (refused.code, "git worktree add" in refused.error["hint"]) == (4, True)
    late = ("team", "join", "auth", "coder-3", "--role", "coder", "--agent", "gemini", "--json")
    assert "gemini --skip-trust" in user.call(*late).json["member"]["start"]
    asked = ("team", "inbox", "auth", "--from", "coder-1")
    assert user.call(*asked, "--hook", "PostToolUse").out == ""
    stop = user.call(*asked, "--hook", "Stop").json
    assert stop["decision"] == "block"
    assert "There is task #1." in stop["reason"]
    assert user.call(*asked, "--hook", "Stop").out == ""
    assert user.call(*asked, "--json").json == {"messages": []}
    listed = user.call("team", "list", "--json").json["teams"]
    assert [it["name"] for it in listed] == ["auth"]
    assert "auth  EXECUTION" in user.call("team", "list").out


def test_an_edit_of_the_state_is_written_over_and_shown_by_its_name(user: User) -> None:
    user.call("team", "create", "auth", "--todo", "A form")
    page = user.repository / ".claude/teams/auth/state.md"
    page.write_text(page.read_text().replace("PENDING (unassigned)", "DONE (coder-1)"))
    found = user.call("team", "reconcile", "auth", "--json")
    assert (found.code, "DONE" in page.read_text()) == (4, False)
    assert "DONE (coder-1)" in user.call("ledger", "show", found.json["edit"]).out
    kept = user.call("ledger", "show", found.json["edit"], "--json").json
    assert kept["artifact"] == found.json["edit"]


MISTAKES: list[tuple[tuple[str, ...], int, str]] = [
    (("status", "nobody"), 3, "There is no team 'nobody'."),
    (("create", "../x"), 2, "'../x' is no team."),
    (("create", "a\x1b[31mb"), 2, "is no team."),
    (("create", "auth"), 4, "There is a team 'auth' already."),
    (("create", "b", "--message", "hello"), 2, "'hello' is no message."),
    (("create", "b", "--message", "gentle_ping={x}"), 2, "unknown placeholders: {x}"),
    (("create", "b", "--dir", ".git/teams"), 2, "no place for the files"),
    (("create", "b", "--sla", "coder=20m/10m/30m"), 2, "three times that rise"),
    (("create", "b", "--sla", "coder=soon"), 2, "three times that rise"),
    (("create", "b", "--member", "claude:boss-1"), 2, "'claude:boss-1' is no member"),
    (("join", "auth", "a", "--role", "boss"), 2, "'boss' is no role of a team."),
    (("join", "auth", "a", "--role", "coder"), 4, "The supervisor comes first"),
    (("report", "auth", "--since", "yesterday"), 2, "must be a duration"),
    (("send", "auth", "STUCK", "--waits", "x"), 2, "cannot be sent"),
]


def test_every_mistake_is_explained(user: User) -> None:
    make(user)
    for words, code, message in MISTAKES:
        said = user.call("team", *words, "--json")
        assert said.code == code, (words, said.out, said.err)
        assert message in said.error["message"]
        assert "\x1b" not in said.err


def test_who_joins_twice_at_once_has_one_token_that_is_valid_and_was_shown(user: User) -> None:
    make(user)
    user.call("team", "handoff", "auth")
    user.call("team", "ack", "auth")
    for number in range(3):
        if number:
            user.call("team", "leave", "auth", f"rev{number - 1}")
        words = ("team", "join", "auth", f"rev{number}", "--role", "logic-reviewer", "--json")
        with user.start(*words) as one, user.start(*words) as other:
            said = [it.communicate(timeout=60)[0] for it in (one, other)]
        codes = sorted([one.returncode, other.returncode])
        assert codes in ([0, 4], [0, 0]), said
        shown = [
            sha256(json.loads(out)["token"].encode()).hexdigest()
            for out, it in zip(said, (one, other), strict=True)
            if it.returncode == 0
        ]
        facts = map(json.loads, user.call("events", "--json").out.splitlines())
        added = [it["payload"]["token"] for it in facts if it["type"] == "MemberAdded"]
        assert added[-1] in shown
        assert user.call(*words).code == 4


def test_a_team_is_only_shown_where_nothing_is_to_be_done(user: User) -> None:
    said = user.call("team", "create", "auth", "--files", "12", "--dry-run", "--json")
    assert said.json == {"team": {"name": "auth", "complexity": "COMPLEX"}}
    assert "5+ files, 10+ files" in said.err
    assert user.call("team", "status", "auth").code == 3


def test_a_resident_that_was_killed_before_its_first_look_is_gone_on_with(user: User) -> None:
    make(user)
    begun = user.call("team", "serve", "auth", "--queue", "--yes", "--json").run["id"]
    assert "ResidentStarted" not in user.types(begun)
    again = user.call("team", "serve", "auth", "--queue", "--yes", "--json")
    assert (again.code, again.run["id"]) == (0, begun)


def test_a_resident_is_queued_once_and_shows_its_team(user: User) -> None:
    make(user)
    begun = user.call("team", "serve", "auth", "--queue", "--yes", "--json")
    assert begun.code == 0, begun.err
    user.call("team", "handoff", "auth")
    user.call("serve", "--once")
    team = user.call("team", "status", "auth", "--json").json["team"]
    assert team["owner"] == "supervisor@1"
    again = user.call("team", "serve", "auth", "--queue", "--yes")
    assert "this team's supervisor and nobody drives it" in again.err
    live = read_live(user, RunId(begun.run["id"]))
    assert (live.title, live.noun, live.phase) == ("auth", "team", "EXECUTION")
    assert live.panels[0].rows[1][:3] == ("supervisor@1", "1", "OPEN")
    # One that waits for its next look, a minute away, is stopped at once.
    begin = time.monotonic()
    assert user.call("cancel", begun.run["id"], "--json").run["status"] == "cancelled"
    assert time.monotonic() - begin < 30
    begun = user.call("team", "serve", "auth", "--queue", "--yes", "--json")
    user.call("serve", "--once")
    user.call("team", "teardown", "auth")
    assert user.call("team", "delete", "auth").code == 0
    assert user.call("status", begun.run["id"], "--json").run["status"] == "completed"
    assert user.call("team", "serve", "auth", "--yes").code == 4


def read_live(user: User, run: RunId) -> TaskList:
    settings = read_settings({**user.environment, "GIT_CONFIG_GLOBAL": devnull})
    records = open_records(user.repository, settings)
    assert records is not None
    preflight = open_preflight(user.repository, settings)
    desk = TaskDesk(records=records, preflight=preflight, start=user.repository)
    return read_tasks(desk, run, lambda driver, port: pytest.fail(f"{driver} asks for {port}."))
