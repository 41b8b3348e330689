"""How opencode is started: arguments, variables, settings and tools."""

from typing import Final

from supervisor_ai.domain.run.definition import Broker, McpServer
from supervisor_ai.workers.environment import DOOR, PLACEHOLDER
from supervisor_ai.workers.launch.means import (
    bearer_header,
    own_names,
    prompt_file,
    server_settings,
)
from supervisor_ai.workers.launch.order import LaunchOrder
from supervisor_ai.workers.launch.profile import (
    Addition,
    Aspect,
    Json,
    LaunchProfile,
    Means,
    Telling,
)

_PROVIDER: Final = "supervisor"
_MODEL: Final = "gpt-5.5-codex"
_CHANGES: Final = ("edit", "write", "apply_patch")
"""One switch for all: without one, there is none of them, and the model decides which it has."""
_TOOLS: Final = {
    "read_file": ("read", "list", "glob", "grep"),
    "edit_file": _CHANGES,
    "write_file": _CHANGES,
    "run_command": ("bash",),
    "web_fetch": ("webfetch",),
    "web_search": ("websearch",),
}


def _model(order: LaunchOrder) -> Addition:
    model = order.model or _MODEL
    known = {"provider": {_PROVIDER: {"models": {model: {"name": model}}}}}
    return Addition(words=("-m", f"{_PROVIDER}/{model}"), settings=known)


def _tools(order: LaunchOrder) -> Addition:
    """Say of every tool whether it is there."""
    allowed = own_names(_TOOLS, order.allowed_tools)
    return Addition(settings={"tools": {name: name in allowed for name in own_names(_TOOLS, None)}})


def _server(server: McpServer) -> Json:
    if server.url is not None:
        headers = bearer_header(server, "{env:%s}")
        return {"type": "remote", "url": server.url, "enabled": True, **headers}
    return {
        "type": "local",
        "command": list(server.command),
        "environment": dict(server.environment),
        "enabled": True,
    }


OPENCODE: Final = LaunchProfile(
    adapter="opencode",
    program="opencode",
    words=("run", "--auto"),
    stream=("--format", "json"),
    environment={
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
    },
    settings_file=".config/opencode/opencode.json",
    settings={
        "autoupdate": False,
        "share": "disabled",
        "provider": {
            _PROVIDER: {
                "npm": "@ai-sdk/openai-compatible",
                "options": {"baseURL": f"{DOOR}/v1", "apiKey": PLACEHOLDER},
            }
        },
    },
    covers=(".opencode", "opencode.json", "opencode.jsonc"),
    retries="no: 5 repeats of an outage or a limit remain",
    tells=frozenset({Telling.SESSION, Telling.USAGE, Telling.COST}),
    means={
        Aspect.MODEL: Means(how=f"`-m`, {_MODEL} if none is named", tell=_model),
        Aspect.TOOLS: Means(how="`tools` in its settings", tell=_tools),
        Aspect.SYSTEM_PROMPT: prompt_file(".config/opencode/AGENTS.md"),
        Aspect.MCP: server_settings("mcp", _server),
        Aspect.MAX_TURNS: Means(how="no; time and tokens bound it"),
    },
    broker=Broker(
        upstream="https://api.openai.com",
        paths=("POST /v1/chat/completions",),
        base_url="OPENAI_BASE_URL",
        header="authorization: Bearer ${OPENAI_API_KEY}",
        placeholder="OPENAI_API_KEY",
    ),
    no_login="it is started with keys only",
)
