"""How Claude Code is started: arguments, variables, settings and tools."""

import json
from typing import Final

from supervisor_ai.domain.run.definition import Broker, McpServer
from supervisor_ai.workers.claude.login import LOGIN
from supervisor_ai.workers.launch.means import bearer_header, model_flag, own_names, turns_flag
from supervisor_ai.workers.launch.order import LaunchOrder
from supervisor_ai.workers.launch.profile import (
    HOME,
    Addition,
    Aspect,
    Json,
    LaunchProfile,
    Means,
    Telling,
)

_TOOLS: Final = {
    "read_file": ("Read", "Glob", "Grep"),
    "edit_file": ("Edit", "NotebookEdit"),
    "write_file": ("Write",),
    "run_command": ("Bash",),
    "web_fetch": ("WebFetch",),
    "web_search": ("WebSearch",),
}
_SYSTEM_PROMPT: Final = ".supervisor/system-prompt.md"
_SERVERS: Final = ".supervisor/mcp.json"


def _tools(order: LaunchOrder) -> Addition:
    """Say what exists and, as nobody is there to be asked, that all of it is permitted."""
    names = own_names(_TOOLS, order.allowed_tools, ("web_search",))
    permitted = [*names, *(f"mcp__{server.name}" for server in order.mcp_servers)]
    allowed = ("--allowedTools", ",".join(permitted)) if permitted else ()
    return Addition(words=("--tools", ",".join(names), *allowed))


def _system_prompt(order: LaunchOrder) -> Addition:
    if not order.system_prompt:
        return Addition()
    return Addition(
        words=("--append-system-prompt-file", f"{HOME}/{_SYSTEM_PROMPT}"),
        files={_SYSTEM_PROMPT: order.system_prompt},
    )


def _servers(order: LaunchOrder) -> Addition:
    if not order.mcp_servers:
        return Addition()
    listed = {server.name: _server(server) for server in order.mcp_servers}
    return Addition(
        words=("--mcp-config", f"{HOME}/{_SERVERS}"),
        files={_SERVERS: json.dumps({"mcpServers": listed})},
    )


def _server(server: McpServer) -> Json:
    if server.url is not None:
        headers = bearer_header(server, "${%s}")
        return {"type": "http", "url": server.url, "alwaysLoad": True, **headers}
    command, *arguments = server.command
    environment = dict(server.environment)
    return {"command": command, "args": arguments, "env": environment, "alwaysLoad": True}


CLAUDE: Final = LaunchProfile(
    adapter="claude",
    program="claude",
    words=(
        *("-p", "--no-session-persistence"),
        *("--permission-mode", "acceptEdits", "--permission-prompts", "none"),
    ),
    stream=("--output-format", "stream-json", "--verbose"),
    shields=("--setting-sources", "user", "--strict-mcp-config"),
    environment={
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_MAX_RETRIES": "1",
    },
    retries="`CLAUDE_CODE_MAX_RETRIES` is 1",
    tells=frozenset(Telling),
    means={
        Aspect.MODEL: model_flag("--model"),
        Aspect.TOOLS: Means(how="`--tools` and `--allowedTools`", tell=_tools),
        Aspect.SYSTEM_PROMPT: Means(how="`--append-system-prompt-file`", tell=_system_prompt),
        Aspect.MCP: Means(how="`--mcp-config`, with `--strict-mcp-config`", tell=_servers),
        Aspect.MAX_TURNS: turns_flag("--max-turns"),
    },
    broker=Broker(
        upstream="https://api.anthropic.com",
        paths=("POST /v1/messages", "POST /v1/messages/count_tokens"),
        base_url="ANTHROPIC_BASE_URL",
        header="x-api-key: ${ANTHROPIC_API_KEY}",
        placeholder="ANTHROPIC_API_KEY",
    ),
    login=LOGIN,
)
