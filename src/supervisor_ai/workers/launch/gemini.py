"""How Gemini CLI is started, and Qwen Code, which was made from it."""

from typing import Final

from supervisor_ai.domain.run.definition import Broker, McpServer
from supervisor_ai.workers.launch.means import (
    model_flag,
    own_names,
    prompt_file,
    server_settings,
    turns_flag,
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

_TOOLS: Final = {
    "read_file": ("read_file", "read_many_files", "list_directory", "glob", "grep_search"),
    "edit_file": ("replace",),
    "write_file": ("write_file",),
    "run_command": (*("run_shell_command", "list_background_processes", "read_background_output"),),
    "web_fetch": ("web_fetch",),
    "web_search": ("google_web_search",),
}
_TELLS: Final = frozenset({Telling.SESSION, Telling.MODEL, Telling.USAGE})
_QWEN_TOOLS: Final = {
    **_TOOLS,
    "edit_file": ("edit",),
    "web_search": ("web_search",),
}


def _tools(order: LaunchOrder) -> Addition:
    # The list is for all tools, those of servers included.
    servers = [f"mcp_{server.name}_*" for server in order.mcp_servers]
    return _only([*own_names(_TOOLS, order.allowed_tools), *servers])


def _qwen_tools(order: LaunchOrder) -> Addition:
    return _only(own_names(_QWEN_TOOLS, order.allowed_tools))


def _only(names: list[str]) -> Addition:
    # An empty list would stand for everything.
    return Addition(settings={"tools": {"core": names or ["none"]}})


def _turns(order: LaunchOrder) -> Addition:
    if order.max_turns is None:
        return Addition()
    return Addition(settings={"model": {"maxSessionTurns": order.max_turns}})


def _server(server: McpServer) -> Json:
    if server.url is not None:
        return {"httpUrl": server.url, "trust": True}
    command, *arguments = server.command
    environment = dict(server.environment)
    return {"command": command, "args": arguments, "env": environment, "trust": True}


GEMINI: Final = LaunchProfile(
    adapter="gemini",
    program="gemini",
    words=("--approval-mode", "yolo"),
    stream=("-o", "stream-json"),
    environment={"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_CLI_NO_RELAUNCH": "true"},
    settings_file=".gemini/settings.json",
    settings={
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {
            "enableAutoUpdate": False,
            "enableAutoUpdateNotification": False,
            "maxAttempts": 2,
        },
        "advanced": {"ignoreLocalEnv": True},
    },
    covers=(".gemini",),
    retries="`general.maxAttempts` is 2",
    tells=_TELLS,
    means={
        # Without one, a call to choose it comes before the first turn.
        Aspect.MODEL: model_flag("-m", otherwise="gemini-2.5-pro"),
        Aspect.TOOLS: Means(how="`tools.core` in its settings", tell=_tools),
        Aspect.SYSTEM_PROMPT: prompt_file(".gemini/GEMINI.md"),
        Aspect.MCP: server_settings("mcpServers", _server),
        Aspect.MAX_TURNS: Means(how="`model.maxSessionTurns` in its settings", tell=_turns),
    },
    broker=Broker(
        upstream="https://generativelanguage.googleapis.com",
        paths=(
            "POST /v1beta/models/*:streamGenerateContent",
            "POST /v1beta/models/*:generateContent",
            "POST /v1beta/models/*:countTokens",
        ),
        base_url="GOOGLE_GEMINI_BASE_URL",
        header="x-goog-api-key: ${GEMINI_API_KEY}",
        placeholder="GEMINI_API_KEY",
    ),
)

QWEN: Final = LaunchProfile(
    adapter="qwen",
    program="qwen",
    words=("--auth-type", "openai", "--approval-mode", "yolo"),
    stream=("-o", "stream-json"),
    settings_file=".qwen/settings.json",
    settings={
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False},
        "advanced": {"ignoreLocalEnv": True},
        # Else every one of its further requests is repeated thrice.
        "model": {"generationConfig": {"maxRetries": 0}},
        # Else a second agent, with all tools, writes memories that nobody keeps.
        "memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False},
    },
    covers=(".qwen",),
    retries="`generationConfig.maxRetries` is 0, but 6 repeats of an outage or a limit remain",
    tells=_TELLS,
    means={
        Aspect.MODEL: model_flag("-m", otherwise="qwen3-coder-plus"),
        Aspect.TOOLS: Means(how="`tools.core` in its settings", tell=_qwen_tools),
        Aspect.SYSTEM_PROMPT: prompt_file(".qwen/QWEN.md"),
        Aspect.MCP: server_settings("mcpServers", _server),
        Aspect.MAX_TURNS: turns_flag("--max-session-turns"),
    },
    broker=Broker(
        # The variable is the whole base of its paths, so the version stands upstream.
        upstream="https://api.openai.com/v1",
        paths=("POST /chat/completions",),
        base_url="OPENAI_BASE_URL",
        header="authorization: Bearer ${OPENAI_API_KEY}",
        placeholder="OPENAI_API_KEY",
    ),
)
