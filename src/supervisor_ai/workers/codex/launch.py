"""How Codex is started: arguments, variables, settings and tools."""

from collections.abc import Iterator
from typing import Final

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.definition import Broker, McpServer
from supervisor_ai.workers.codex.login import LOGIN
from supervisor_ai.workers.environment import DOOR, PLACEHOLDER
from supervisor_ai.workers.launch.means import model_flag, toml
from supervisor_ai.workers.launch.order import LaunchOrder
from supervisor_ai.workers.launch.profile import (
    Addition,
    Aspect,
    LaunchProfile,
    Means,
    Telling,
)

_KEY: Final = "SUPERVISOR_MODEL_KEY"
_PROVIDER: Final = (
    f'{{name="supervisor",base_url="{DOOR}/v1",env_key="{_KEY}",wire_api="responses",'
    "request_max_retries=0,stream_max_retries=1,stream_idle_timeout_ms=300000}"
)
_FEATURES: Final = (
    *("apps", "plugins", "remote_plugin", "unbounded_connection_retries"),
    # The broker reads no compressed requests, and passes no tool of the provider's on.
    *("enable_request_compression", "image_generation"),
)
_LONGEST_ARGUMENT: Final = 100 << 10
"""Linux takes 128 KiB; settings of the user's are ignored, so there is no file to put more into."""


def _option(key: str, value: str) -> tuple[str, str]:
    return "-c", f"{key}={value}"


def _tools(order: LaunchOrder) -> Addition:
    if "web_search" in (order.allowed_tools or ()):
        return Addition()
    return Addition(words=_option("web_search", toml("disabled")))


def _system_prompt(order: LaunchOrder) -> Addition:
    if not order.system_prompt:
        return Addition()
    words = toml(order.system_prompt)
    if len(words.encode()) > _LONGEST_ARGUMENT:
        raise InvalidInput(
            f"A system prompt of {len(words.encode())} bytes is too long for Codex, "
            f"which takes {_LONGEST_ARGUMENT}.",
            hint="Shorten it, or let another CLI work in this role.",
        )
    return Addition(words=_option("developer_instructions", words))


def _servers(order: LaunchOrder) -> Addition:
    return Addition(words=tuple(word for each in order.mcp_servers for word in _server(each)))


def _server(server: McpServer) -> Iterator[str]:
    key = f"mcp_servers.{server.name}"
    if server.url is not None:
        yield from _option(f"{key}.url", toml(server.url))
        if server.token_variable:
            yield from _option(f"{key}.bearer_token_env_var", toml(server.token_variable))
    else:
        yield from _option(f"{key}.command", toml(server.command[0]))
        yield from _option(f"{key}.args", toml(server.command[1:]))
        for name, value in server.environment.items():
            yield from _option(f"{key}.env.{name}", toml(value))
    yield from _option(f"{key}.default_tools_approval_mode", toml("approve"))


CODEX: Final = LaunchProfile(
    adapter="codex",
    program="codex",
    words=(
        *("exec", "--ephemeral"),
        # Its own sandbox fails inside ours, which holds it already.
        *("--skip-git-repo-check", "--sandbox", "danger-full-access"),
        *_option("model_provider", toml("supervisor")),
        *_option("model_providers.supervisor", _PROVIDER),
        *_option("shell_environment_policy", '{inherit="core"}'),
        *_option("analytics.enabled", "false"),
        *(word for feature in _FEATURES for word in ("--disable", feature)),
    ),
    stream=("--json",),
    # What it calls the user's settings are those of the repository too.
    shields=("--ignore-user-config", "--ignore-rules"),
    last_words=("-",),
    environment={_KEY: PLACEHOLDER},
    retries="`request_max_retries` is 0, `stream_max_retries` 1",
    tells=frozenset({Telling.SESSION, Telling.USAGE}),
    means={
        Aspect.MODEL: model_flag("-m"),
        Aspect.TOOLS: Means(
            how="only `web_search` can be turned off; the sandbox bounds the others", tell=_tools
        ),
        Aspect.SYSTEM_PROMPT: Means(how="`developer_instructions`, 100 KiB", tell=_system_prompt),
        Aspect.MCP: Means(how="`mcp_servers`", tell=_servers),
        Aspect.MAX_TURNS: Means(how="no; time and tokens bound it"),
    },
    broker=Broker(
        upstream="https://api.openai.com",
        paths=("POST /v1/responses",),
        base_url="OPENAI_BASE_URL",
        header="authorization: Bearer ${OPENAI_API_KEY}",
        placeholder="OPENAI_API_KEY",
    ),
    login=LOGIN,
)
