"""`supervisor agents`, as a person meets it."""

import json

import pytest
from tests.e2e.command import User
from tests.e2e.terminal import Terminal

FILES = {
    "claude": [
        ".claude/agents/team-supervisor.md",
        ".claude/skills/supervisor/SKILL.md",
        ".mcp.json",
    ],
    "codex": [
        *(".codex/agents/team-supervisor.toml", ".codex/skills/supervisor/SKILL.md"),
        ".codex/config.toml",
    ],
    "gemini": [
        ".gemini/agents/team-supervisor.md",
        ".gemini/commands/supervisor/session.toml",
        ".gemini/commands/supervisor/checkpoint.toml",
        ".gemini/skills/supervisor/SKILL.md",
        ".gemini/settings.json",
    ],
}


@pytest.mark.parametrize("agent", FILES)
def test_an_agent_is_told_and_forgets(user: User, agent: str) -> None:
    clean = user.git("status", "--porcelain")
    tried = user.call("agents", "install", agent, "--session", "s1", "--dry-run", "--json").json
    assert (tried["applied"], tried["dry_run"]) == (False, True)
    assert user.git("status", "--porcelain") == clean
    done = user.call("agents", "install", agent, "--session", "s1", "--yes", "--json").json
    assert done["applied"] is True
    assert done["changes"] == tried["changes"]
    assert [it["path"] for it in done["changes"]] == FILES[agent]
    (told,) = user.call("agents", "list", "--json").json["agents"]
    assert (told["agent"], told["scope"], told["role"]) == (agent, "project", "coordinator")
    assert {it["standing"] for it in told["files"]} == {"as written"}
    again = user.call("agents", "install", agent, "--session", "s1", "--yes")
    assert "Everything is as you want it." in again.out
    assert agent in user.call("agents", "list").out
    assert user.call("agents", "uninstall", agent, "--yes").code == 0
    assert user.git("status", "--porcelain") == clean
    assert "No agent was told" in user.call("agents", "list").err


def test_every_line_is_shown_before_a_person_agrees(user: User) -> None:
    user.commit({".mcp.json": '{"mcpServers": {"mine": {"command": "x\\u001b[31m"}}}\n'})
    terminal = Terminal(user, "agents", "install", "claude")
    terminal.wait_for("Change these files in")
    for told in ("--- a/.mcp.json", '+  "supervisor": {', "+name: team-supervisor"):
        assert told in terminal.seen
    terminal.type("n\n")
    assert terminal.wait() == 7
    assert user.git("status", "--porcelain") == ""
    terminal = Terminal(user, "agents", "install", "claude")
    terminal.wait_for("Change these files in")
    terminal.type("y\n")
    assert terminal.wait() == 0
    assert (
        'claude -p "Begin: the skill supervisor says how." --mcp-config .mcp.json' in terminal.seen
    )
    servers = json.loads((user.repository / ".mcp.json").read_text())["mcpServers"]
    assert list(servers) == ["mine", "supervisor"]
    assert servers["supervisor"]["args"] == ["mcp", "--role", "coordinator"]


def test_a_diff_of_hostile_settings_is_harmless(user: User) -> None:
    user.commit({".mcp.json": '{"a\x1b]0;title\x07": 1}\n'})
    said = user.call("agents", "install", "claude", "--dry-run")
    assert said.code in {0, 4}
    assert "\x1b" not in said.out + said.err


def test_a_pipe_cannot_agree(user: User) -> None:
    said = user.call("agents", "install", "gemini", "--json")
    assert (said.code, said.error["kind"]) == (7, "denied")
    assert "--yes" in said.error["hint"]
    assert user.git("status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("install", "cursor"), 2, "'cursor' is not one of"),
        (("install", "claude", "--role", "supervisor"), 2, "'supervisor' is not one of"),
        (("install", "claude", "--session", "a b"), 2, "no name of a session"),
        (("install", "claude", "--member", "all", "--role", "worker"), 2, "'all'"),
        (("uninstall", "claude"), 3, "Nothing of ours was put in"),
    ],
)
def test_mistakes_are_told(user: User, words: tuple[str, ...], code: int, told: str) -> None:
    said = user.call("agents", *words, "--yes")
    assert (said.code, told in said.err) == (code, True), said


def test_a_changed_file_is_left_and_the_way_out_is_told(user: User) -> None:
    user.call("agents", "install", "codex", "--yes")
    place = user.repository / ".codex/config.toml"
    place.write_text(place.read_text().replace('"mcp"', '"other"'))
    said = user.call("agents", "uninstall", "codex", "--yes", "--json")
    assert (said.code, said.error["kind"]) == (4, "conflict")
    assert "Move your version away" in said.error["hint"]
    assert ".codex/config.toml changed" in user.call("agents", "list").out


def test_the_users_own_directory_is_another_place(user: User) -> None:
    said = user.call("agents", "install", "claude", "--user", "--yes")
    assert "claude mcp add --scope user supervisor -- " in said.err
    assert (user.home / ".claude/skills/supervisor/SKILL.md").exists()
    assert not (user.home / ".claude.json").exists()
    assert user.git("status", "--porcelain") == ""
    gone = user.call("agents", "uninstall", "claude", "--user", "--yes")
    assert "claude mcp remove --scope user supervisor" in gone.err
    assert not (user.home / ".claude").exists()
