"""The few ways in which CLIs are told things; the tables choose among them."""

import json
from collections.abc import Callable, Mapping

from supervisor_ai.domain.run.definition import McpServer
from supervisor_ai.workers.launch.order import LaunchOrder
from supervisor_ai.workers.launch.profile import Addition, Json, Means

Render = Callable[[McpServer], Json]


def model_flag(flag: str, *, otherwise: str | None = None) -> Means:
    """Say the model after a flag; some CLIs need one to be named."""

    def tell(order: LaunchOrder) -> Addition:
        model = order.model or otherwise
        return Addition(words=(flag, model) if model else ())

    return Means(
        how=f"`{flag}`" + (f", {otherwise} if none is named" if otherwise else ""), tell=tell
    )


def turns_flag(flag: str) -> Means:
    """Say how many turns there may be after a flag."""

    def tell(order: LaunchOrder) -> Addition:
        return Addition(words=() if order.max_turns is None else (flag, str(order.max_turns)))

    return Means(how=f"`{flag}`", tell=tell)


def prompt_file(path: str) -> Means:
    """Put the words into a file of the home that the CLI reads by itself."""

    def tell(order: LaunchOrder) -> Addition:
        return Addition(files={path: order.system_prompt} if order.system_prompt else {})

    return Means(how=f"`~/{path}`", tell=tell)


def server_settings(key: str, render: Render) -> Means:
    """List the servers in the settings file."""

    def tell(order: LaunchOrder) -> Addition:
        listed = {server.name: render(server) for server in order.mcp_servers}
        return Addition(settings={key: listed} if listed else {})

    return Means(how=f"`{key}` in its settings", tell=tell)


def bearer_header(server: McpServer, reference: str) -> Json:
    """Let requests to a server carry what a variable holds, as the CLI refers to one."""
    if not server.token_variable:
        return {}
    return {"headers": {"Authorization": f"Bearer {reference % server.token_variable}"}}


def own_names(
    tools: Mapping[str, tuple[str, ...]],
    allowed: tuple[str, ...] | None,
    provider_side: tuple[str, ...] = (),
) -> list[str]:
    """Translate what a role may use; a tool that the CLI does not have is none.

    What the model's provider does itself has to be named.
    """
    wanted = [name for name in tools if name not in provider_side] if allowed is None else allowed
    return list(dict.fromkeys(own for name in wanted for own in tools.get(name, ())))


def toml(value: object) -> str:
    """Write a text, or texts, as TOML; both notations agree but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
