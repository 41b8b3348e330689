"""A real CLI that a user runs in a project of theirs, with what was installed for it.

It has a home of its own, a key that is none, and a model on this machine.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tests.clis.stage import PATH, Model
from tests.clis.vocabulary import Turn
from tests.support.processes import PATIENCE, Owned

SUPERVISOR: Final = Path(sys.executable).with_name("supervisor")
NAMES: Final[Mapping[str, Turn]] = {
    "claude": {"name": "mcp__supervisor__{}"},
    "codex": {"name": "{}", "namespace": "mcp__supervisor"},
    "gemini": {"name": "mcp_supervisor_{}"},
}
GEMINI: Final = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False, "maxAttempts": 1},
}
FEATURES: Final = ("apps", "plugins", "remote_plugin", "unbounded_connection_retries")
Json = dict[str, Any]


def call(agent: str, tool: str, **arguments: object) -> Turn:
    """Let the scripted model call a tool of ours as the agent names it."""
    names = {key: str(it).format(tool) for key, it in NAMES[agent].items()}
    return {"tool": {**names, "input": arguments}}


class Desktop:
    """A user with a project, and one of the CLIs."""

    def __init__(self, agent: str, ground: Path) -> None:
        self.agent = agent
        self.home, self.project = ground / "home", ground / "project"
        self.home.mkdir()
        self.project.mkdir()
        self.environment = {
            "PATH": PATH,
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TMPDIR": str(ground),
            "NO_PROXY": "127.0.0.1",
            "SUPERVISOR_STATE": str(ground / "state"),
            "SUPERVISOR_CONFIG": str(ground / "config"),
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        self._git("init", "--quiet", "--initial-branch=main")
        self._git("config", "user.name", "Ada")
        self._git("config", "user.email", "ada@example.org")
        self.write("README.md", "A project.\n")
        self.commit()

    def write(self, name: str, text: str) -> Path:
        place = self.project / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    def commit(self) -> None:
        self._git("add", "--all")
        self._git("commit", "--quiet", "--allow-empty", "--message", "user")

    def _git(self, *words: str) -> None:
        subprocess.run(["git", *words], cwd=self.project, env=self.environment, check=True)

    def supervisor(self, *words: str, code: int = 0) -> str:
        """Call our command as the user does."""
        done = subprocess.run(
            [SUPERVISOR, *words],
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
        return done.stdout

    def ask(self, *words: str, code: int = 0) -> Json:
        """Call our command and read the JSON that it prints."""
        told: Json = json.loads(self.supervisor(*words, "--json", code=code))
        return told

    def start(self, *words: str) -> Owned:
        """Call our command and do not wait."""
        return Owned(
            [SUPERVISOR, *words],
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def settle(self, lab: Model) -> None:
        """Write the user's own settings, before anything of ours is installed."""
        if self.agent == "codex":
            place = self.home / ".codex"
            place.mkdir()
            (place / "config.toml").write_text(
                '# Mine.\nmodel = "tiny"\nmodel_provider = "w"\n\n'
                '[model_providers.w]\nname = "w"\n'
                f'base_url = "{lab.url}/v1"\nenv_key = "WORKER_KEY"\nwire_api = "responses"\n'
                "request_max_retries = 0\nstream_max_retries = 0\n\n"
                f'[analytics]\nenabled = false\n\n[projects."{self.project}"]\n'
                'trust_level = "trusted"\n'
            )
        if self.agent == "gemini":
            place = self.home / ".gemini"
            place.mkdir()
            (place / "settings.json").write_text(json.dumps(GEMINI))

    def converse(self, lab: Model, words: str) -> str:
        """Run the CLI in the project until it has nothing more to say; return what it printed."""
        command, more = _COMMANDS[self.agent]
        done = subprocess.run(
            command,
            input=words,
            cwd=self.project,
            env={**self.environment, **{key: it.format(lab.url) for key, it in more.items()}},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
        return done.stdout


_CLAUDE: Final = (
    *("claude", "-p", "--mcp-config", ".mcp.json", "--allowedTools", "mcp__supervisor"),
    *("--output-format", "stream-json", "--verbose", "--permission-prompts", "none"),
)
_CODEX: Final = (
    *(
        "codex",
        "exec",
        "-c",
        "mcp_servers.supervisor.required=true",
        "--json",
        "--ephemeral",
        "--sandbox",
        "read-only",
    ),
    *(word for feature in FEATURES for word in ("--disable", feature)),
    "-",
)
_COMMANDS: Final[Mapping[str, tuple[tuple[str, ...], Mapping[str, str]]]] = {
    "claude": (
        _CLAUDE,
        {
            "ANTHROPIC_BASE_URL": "{}",
            "ANTHROPIC_API_KEY": "test-key",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0",
        },
    ),
    "codex": (_CODEX, {"WORKER_KEY": "test-key"}),
    "gemini": (
        ("gemini", "-o", "stream-json", "-m", "gemini-2.5-flash"),
        {
            "GOOGLE_GEMINI_BASE_URL": "{}",
            "GEMINI_API_KEY": "test-key",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_CLI_NO_RELAUNCH": "true",
        },
    ),
}
