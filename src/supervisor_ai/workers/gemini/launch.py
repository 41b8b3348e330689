"""How Gemini CLI is started: arguments, variables, settings and tools."""

from typing import Final

from supervisor_ai.domain.run.definition import Broker, McpServer
from supervisor_ai.workers.launch.means import (
    bearer_header,
    model_flag,
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

TOOLS: Final = {
    "read_file": ("read_file", "read_many_files", "list_directory", "glob", "grep_search"),
    "edit_file": ("replace",),
    "write_file": ("write_file",),
    "run_command": (*("run_shell_command", "list_background_processes", "read_background_output"),),
    "web_fetch": ("web_fetch",),
    "web_search": ("google_web_search",),
}
TELLS: Final = frozenset({Telling.SESSION, Telling.MODEL, Telling.USAGE})


def _tools(order: LaunchOrder) -> Addition:
    # The list is for all tools, those of servers included.
    servers = [f"mcp_{server.name}_*" for server in order.mcp_servers]
    names = own_names(TOOLS, order.allowed_tools, ("web_fetch", "web_search"))
    return only_tools([*names, *servers])


def only_tools(names: list[str]) -> Addition:
    """Allow these tools and no others."""
    # An empty list would stand for everything.
    return Addition(settings={"tools": {"core": names or ["none"]}})


def _turns(order: LaunchOrder) -> Addition:
    if order.max_turns is None:
        return Addition()
    return Addition(settings={"model": {"maxSessionTurns": order.max_turns}})


def server_entry(server: McpServer) -> Json:
    """Describe an MCP server as the settings file does."""
    if server.url is not None:
        return {"httpUrl": server.url, "trust": True, **bearer_header(server, "${%s}")}
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
    tells=TELLS,
    means={
        # Without one, a call to choose it comes before the first turn.
        Aspect.MODEL: model_flag("-m", otherwise="gemini-2.5-pro"),
        Aspect.TOOLS: Means(how="`tools.core` in its settings", tell=_tools),
        Aspect.SYSTEM_PROMPT: prompt_file(".gemini/GEMINI.md"),
        Aspect.MCP: server_settings("mcpServers", server_entry),
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
    no_login="a login of Gemini CLI needs a browser and goes to another host than keys do",
)
