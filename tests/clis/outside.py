"""A real CLI that a user runs in a project of theirs, with what was installed for it.

It has a home of its own, a key that is none, and a model on this machine.
"""

import json
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.clis.stage import PATH, Model
from tests.clis.vocabulary import Turn
from tests.support.desktop import Desktop
from tests.support.processes import PATIENCE, Owned

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
        """Run the CLI as the guide says, until it has nothing more to say; return its output."""
        line = next(it for it in DOCUMENTED if it.startswith(f"{self.agent} "))
        command = [words if it == SAID else it for it in shlex.split(line)]
        if not (self.project / ".mcp.json").exists():
            command = [it for it in command if it not in {"--mcp-config", ".mcp.json"}]
        with self.play(lab, self.agent, command, self.project) as done:
            out, err = done.communicate(timeout=PATIENCE)
        assert done.returncode == 0, (done.returncode, out, err)
        return str(out)

    def play(self, lab: Model, agent: str, command: Sequence[str], place: Path) -> Owned:
        """Start a CLI with a scripted model, saying all that it does."""
        more, variables = _SURROUNDINGS[agent]
        # Codex has no sandbox where its own files are among temporary ones.
        temporary = self.home / "temporary"
        temporary.mkdir(exist_ok=True)
        told = {key: it.format(lab.url) for key, it in variables.items()}
        first = command.index("gemini") + 1 if agent == "gemini" else len(command)
        return Owned(
            [*command[:first], *more, *command[first:]],
            cwd=place,
            env={**self.environment, "TMPDIR": str(temporary), **told},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )


SAID: Final = "Coordinate the session."
GUIDE: Final = Path(__file__).parents[2] / "docs/howto/your-own-agent.md"
DOCUMENTED: Final = [it for it in GUIDE.read_text().splitlines() if f'"{SAID}"' in it]
"""The lines that start an agent without a terminal, as the guide has them."""
_SURROUNDINGS: Final[Mapping[str, tuple[Sequence[str], Mapping[str, str]]]] = {
    "claude": (
        ("--output-format", "stream-json", "--verbose", "--permission-prompts", "none"),
        {
            "ANTHROPIC_BASE_URL": "{}",
            "ANTHROPIC_API_KEY": "test-key",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0",
        },
    ),
    "codex": (
        ("--json", "--ephemeral", *(it for name in FEATURES for it in ("--disable", name))),
        {"WORKER_KEY": "test-key"},
    ),
    "gemini": (
        ("-o", "stream-json", "-m", "gemini-2.5-flash"),
        {
            "GOOGLE_GEMINI_BASE_URL": "{}",
            "GEMINI_API_KEY": "test-key",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_CLI_NO_RELAUNCH": "true",
        },
    ),
}
"""What a test adds to a line: more output, and where the model is."""
