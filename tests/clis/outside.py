"""A real CLI that a user runs in a project of theirs, with what was installed for it.

It has a home of its own, a key that is none, and a model on this machine.
"""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.clis.stage import PATH, Model
from tests.clis.vocabulary import Turn
from tests.support.desktop import Desktop
from tests.support.processes import PATIENCE

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


def call(agent: str, tool: str, **arguments: object) -> Turn:
    """Let the scripted model call a tool of ours as the agent names it."""
    names = {key: str(it).format(tool) for key, it in NAMES[agent].items()}
    return {"tool": {**names, "input": arguments}}


class AgentDesktop(Desktop):
    """A user who runs one of the CLIs."""

    def __init__(self, agent: str, ground: Path) -> None:
        super().__init__(ground, path=PATH)
        self.agent = agent

    def settle(self, lab: Model) -> None:
        """Write the user's own settings, before anything of ours is installed."""
        if self.agent == "codex":
            place = self.home / ".codex"
            place.mkdir()
            (place / "config.toml").write_text(
                '# Mine.\nmodel = "tiny"\nmodel_provider = "w"\n\n[model_providers.w]\nname = "w"\n'
                f'base_url = "{lab.url}/v1"\nenv_key = "WORKER_KEY"\nwire_api = "responses"\n'
                "request_max_retries = 0\nstream_max_retries = 0\n\n"
                f'[analytics]\nenabled = false\n\n[projects."{self.project}"]\n'
                'trust_level = "trusted"\n'
            )
        if self.agent == "gemini":
            place = self.home / ".gemini"
            place.mkdir()
            (place / "settings.json").write_text(json.dumps(GEMINI))

    def run(self, command: Sequence[str]) -> None:
        """Run another program as the user does."""
        subprocess.run(
            command, cwd=self.project, env=self.environment, capture_output=True, check=True
        )

    def converse(self, lab: Model, words: str) -> str:
        """Run the CLI in the project until it has nothing more to say; return what it printed."""
        command, more = _COMMANDS[self.agent]
        if not (self.project / ".mcp.json").exists():
            command = tuple(it for it in command if it not in {"--mcp-config", ".mcp.json"})
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
