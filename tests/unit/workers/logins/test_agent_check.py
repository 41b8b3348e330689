"""Whether an agent could be started: program, variables, key or login, each told in a sentence."""

import asyncio
import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.support.token_service import TokenService, auth_json, jwt, serving

from supervisor_ai.control.ports.logins import AgentCheck, GivenLogin, LoginState
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.run.definition import Broker, Cli
from supervisor_ai.workers.logins.agent_check import version_of
from supervisor_ai.workers.logins.choice import AccessChoice
from supervisor_ai.workers.logins.user_logins import UserLogins

TOKEN = "sk-ant-oat01-31415926535897932384626433"
CLAUDE = Cli(name="claude", adapter="claude")
CODEX = Cli(name="codex", adapter="codex")


class Place:
    """A user with programs on their PATH, a home and a config directory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.environment = {"PATH": str(root / "bin")}
        self.now = datetime.now(UTC)
        for name in ("claude", "codex"):
            self.install(name)

    @property
    def logins(self) -> UserLogins:
        choice = AccessChoice(
            self.environment, self.root / "config", self.root / "home", lambda: self.now
        )
        return UserLogins(choice)

    @property
    def kept(self) -> Path:
        return self.root / "config" / "logins"

    def install(self, name: str) -> Path:
        program = self.root / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        return program

    def log_in(self, cli: str, text: str | None, **more: str) -> None:
        self.logins.keep(GivenLogin(cli=cli, text=text, **more), dry_run=False)

    def check(self, cli: Cli, *, has_host_programs: bool = True) -> AgentCheck:
        return asyncio.run(self.logins.check(cli, has_host_programs=has_host_programs))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_without_key_and_login_it_is_said_what_to_do(place: Place) -> None:
    found = place.check(CLAUDE)
    assert found.problem == (
        "no key and no login was found: ANTHROPIC_API_KEY and CLAUDE_CODE_OAUTH_TOKEN are not set,"
        " and no login is kept"
    )
    assert found.hint == (
        "Run `claude setup-token`, which prints a token that holds for a year, and give it once to"
        " `supervisor login claude`, or set ANTHROPIC_API_KEY."
    )


def test_the_clis_own_login_is_offered_where_there_is_one(place: Place) -> None:
    store = place.root / "home" / ".codex" / "auth.json"
    store.parent.mkdir(parents=True)
    store.write_text(json.dumps(auth_json(jwt("mine"))))
    store.chmod(0o600)
    offered = place.check(CODEX).hint or ""
    assert f"Use the login in {str(store)!r} with `supervisor login codex --from-cli`" in offered
    place.log_in("codex", None)
    assert place.check(CODEX).problem is None
    view = place.logins.view("codex")
    assert (view.source, view.is_renewed, view.warnings) == (str(store), True, ())
    store.unlink()
    assert "cannot be used: the file is gone" in (place.check(CODEX).problem or "")


def test_a_missing_program_is_named_unless_it_is_in_the_image(place: Place) -> None:
    place.environment["GEMINI_API_KEY"] = "k"
    gemini = Cli(name="gemini", adapter="gemini")
    assert place.check(gemini).problem == "its program 'gemini' was not found on your PATH"
    assert place.check(gemini, has_host_programs=False).problem is None
    absolute = Cli(name="mine", adapter="command", command=("/nowhere/agent", "-x"))
    assert place.check(absolute).problem == "its program '/nowhere/agent' was not found"
    relative = Cli(name="mine", adapter="command", command=("./agent",))
    assert place.check(relative).problem is None, "it comes from the base commit"


def test_the_version_is_read_from_the_files_of_a_program(tmp_path: Path) -> None:
    module = tmp_path / "lib" / "node_modules" / "agent"
    (module / "bin").mkdir(parents=True)
    (module / "bin" / "agent.js").touch()
    (module / "package.json").write_text('{"version": "1.2.3"}')
    (tmp_path / "agent").symlink_to(module / "bin" / "agent.js")
    assert version_of(tmp_path / "agent") == "1.2.3"
    (tmp_path / "versions").mkdir()
    (tmp_path / "versions" / "4.5.6").touch()
    assert version_of(tmp_path / "versions" / "4.5.6") == "4.5.6"
    assert version_of(tmp_path / "nowhere") is None
    (module / "package.json").write_text('{"version": ["1"]}')
    assert version_of(tmp_path / "agent") is None


def test_a_login_is_kept_for_its_user_alone(place: Place) -> None:
    place.log_in("claude", TOKEN)
    assert stat.S_IMODE(place.kept.stat().st_mode) == 0o700
    assert stat.S_IMODE((place.kept / "claude.json").stat().st_mode) == 0o600
    assert (place.kept / ".gitignore").read_text() == "*\n"
    assert [it.name for it in place.kept.iterdir() if it.name.startswith(".claude")] == []
    found = place.check(CLAUDE)
    assert found.problem is None
    assert TOKEN not in repr(found)


def test_an_expired_login_is_told_with_its_end(place: Place) -> None:
    place.log_in("claude", TOKEN)
    place.now += timedelta(days=400)
    found = place.check(CLAUDE)
    assert "claude.json' ended at" in (found.problem or "")
    assert "claude setup-token" in (found.hint or "")
    assert place.logins.view("claude").state is LoginState.EXPIRED


def test_claudes_own_login_is_claudes_to_renew(place: Place) -> None:
    store = place.root / "home" / ".claude" / ".credentials.json"
    store.parent.mkdir(parents=True)
    ends = place.now + timedelta(hours=8)
    kept = {"accessToken": TOKEN, "refreshToken": "r", "expiresAt": int(ends.timestamp() * 1000)}
    store.write_text(json.dumps({"claudeAiOauth": kept}))
    place.log_in("claude", None)
    assert place.check(CLAUDE).problem is None
    [warning] = place.logins.view("claude").warnings
    assert str(store) in warning, "it is open to others"
    place.now += timedelta(hours=9)
    found = place.check(CLAUDE)
    assert f"{str(store)!r} ended at" in (found.problem or "")
    assert (found.hint or "").startswith("Start `claude` once, which renews its own login, or run")
    later = {**kept, "expiresAt": int(ends.timestamp() * 1000) + 10**8}
    store.write_text(json.dumps({"claudeAiOauth": later}))
    assert place.check(CLAUDE).problem is None


def test_an_expired_login_that_can_be_renewed_is_renewed_before_a_run(place: Place) -> None:
    old = json.dumps(auth_json(jwt("old", ends_in=timedelta(hours=-1))))
    with serving(TokenService()) as service:
        place.log_in("codex", old, token_url=service.url)
        assert place.check(CODEX).problem is None
        assert len(service.asked) == 1
        service.valid = "nobody's"
        place.now += timedelta(hours=2)
        found = place.check(CODEX)
    assert "The login of 'codex' could not be renewed: 127.0.0.1 answered with status 401" in (
        found.problem or ""
    )
    assert found.hint == "Log in again: supervisor login codex"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"document": 1}',
        '{"document": {}}',
        "\x00" * 50,
        '{"document": {}, "source": 7}',
        '{"document": {}, "upstream": "http://evil.example"}',
        '{"document": {}, "upstream": "http://["}',
    ],
)
def test_a_malformed_store_is_told_and_never_a_traceback(place: Place, content: str) -> None:
    place.kept.mkdir(parents=True)
    (place.kept / "claude.json").write_text(content)
    found = place.check(CLAUDE)
    assert (found.problem or "").startswith("the login in ")
    assert "cannot be used" in (found.problem or "")
    assert place.logins.view("claude").state is LoginState.UNREADABLE
    assert place.logins.forget("claude", dry_run=False)
    assert place.logins.view("claude").state is LoginState.MISSING


def test_a_directory_or_a_pipe_in_its_place_is_told(place: Place) -> None:
    (place.kept / "claude.json").mkdir(parents=True)
    assert "cannot be used" in (place.check(CLAUDE).problem or "")


def test_a_store_that_others_can_read_is_warned_about(place: Place) -> None:
    place.log_in("claude", TOKEN)
    (place.kept / "claude.json").chmod(0o644)
    [warning] = place.logins.view("claude").warnings
    assert "is open to other users (mode 0644); do: chmod 600" in warning
    assert place.check(CLAUDE).problem is None


@pytest.mark.parametrize(
    ("variables", "uses"),
    [
        (
            {"ANTHROPIC_API_KEY": "sk-ant-api03-x", "CLAUDE_CODE_OAUTH_TOKEN": TOKEN},
            "ANTHROPIC_API_KEY",
        ),
        ({"ANTHROPIC_API_KEY": " ", "CLAUDE_CODE_OAUTH_TOKEN": TOKEN}, "CLAUDE_CODE_OAUTH_TOKEN"),
        ({"CLAUDE_CODE_OAUTH_TOKEN": ""}, "login"),
    ],
)
def test_the_environment_wins_over_what_is_kept(
    place: Place, variables: dict[str, str], uses: str
) -> None:
    place.log_in("claude", TOKEN.replace("3", "9"))
    place.environment |= variables
    view = place.logins.view("claude")
    assert view.uses == uses
    assert [f"because {uses} is set" in it for it in view.warnings] == [True] * (uses != "login")
    choice = AccessChoice(place.environment, place.root / "config", place.root / "home")
    login = choice.login_of("claude")
    assert (login is None) == (uses == "ANTHROPIC_API_KEY")


def test_a_token_is_never_taken_for_a_key(place: Place) -> None:
    place.environment["ANTHROPIC_API_KEY"] = TOKEN
    found = place.check(CLAUDE)
    assert found.problem == "ANTHROPIC_API_KEY holds the token of a login, which is no key"
    assert found.hint == (
        "Set it as CLAUDE_CODE_OAUTH_TOKEN instead, and take ANTHROPIC_API_KEY away."
    )
    assert TOKEN not in repr(found)


@pytest.mark.parametrize("url", ["https://gateway.example/v1", "nonsense", "http://["])
def test_a_key_for_another_service_is_not_sent_to_the_usual_one(place: Place, url: str) -> None:
    place.environment |= {"ANTHROPIC_API_KEY": "sk-ant-api03-x", "ANTHROPIC_BASE_URL": url}
    assert place.check(CLAUDE).problem == (
        f"ANTHROPIC_BASE_URL names {url!r}, but its requests go to 'https://api.anthropic.com'"
    )
    place.environment["ANTHROPIC_BASE_URL"] = "https://api.anthropic.com/"
    assert place.check(CLAUDE).problem is None


def test_a_configured_broker_needs_its_own_variable_and_nothing_else(place: Place) -> None:
    broker = Broker(
        upstream="https://gateway.example",
        paths=("POST /v1/messages",),
        base_url="ANTHROPIC_BASE_URL",
        header="x-api-key: ${GATEWAY_KEY}",
    )
    cli = Cli(name="claude", adapter="claude", broker=broker)
    found = place.check(cli)
    assert found.problem == "it needs the environment variable 'GATEWAY_KEY', which is not set"
    place.environment["GATEWAY_KEY"] = "k"
    assert place.check(cli).problem is None


def test_an_api_agent_needs_the_key_of_one_of_its_models(place: Place) -> None:
    chain = [
        {"name": "a", "provider": "anthropic", "model": "m", "key": "${KEY_A}"},
        {"name": "b", "provider": "openrouter", "model": "m", "key": "${KEY_B}"},
    ]
    cli = Cli(name="api", adapter="api", script=json.dumps(chain))
    assert place.check(cli).problem == (
        "none of its models has a key (The environment variable 'KEY_A' is not set; "
        "The environment variable 'KEY_B' is not set)"
    )
    place.environment["KEY_B"] = "k"
    assert place.check(cli).problem is None


def test_what_nobody_could_use_is_not_kept(place: Place) -> None:
    with pytest.raises(InvalidInput, match="but what was given is none: it is an API key"):
        place.log_in("claude", "sk-ant-api03-aaaaaaaaaaaaaaaa")
    with pytest.raises(InvalidInput, match="its address does not begin with https://"):
        place.log_in("claude", TOKEN, upstream="http://example.com")
    with pytest.raises(InvalidInput, match=r"\.credentials\.json' is none: there is no such file"):
        place.log_in("claude", None)
    ended = jwt("old", ends_in=timedelta(hours=-1))
    with pytest.raises(InvalidInput, match="it ended at"):
        place.log_in("codex", ended)
    with pytest.raises(InvalidInput, match="cannot be logged in here"):
        place.log_in("gemini", "token")
    with pytest.raises(NotFound):
        place.log_in("nobody", "token")
    place.logins.keep(GivenLogin(cli="claude", text=TOKEN), dry_run=True)
    assert not place.kept.exists()
    assert not place.logins.forget("claude", dry_run=False)
