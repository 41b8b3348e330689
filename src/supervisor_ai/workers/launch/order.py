"""What an agent is to be for one attempt, in words that fit every CLI."""

from dataclasses import dataclass
from typing import Final

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.definition import McpServer
from supervisor_ai.engine.ports.sandbox import MEMBERS
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.workers.environment import DOOR, MEMBERS_TOKEN

_OWN: Final = "supervisor"
"""The name of the server that has the tools of a session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOrder:
    """What is asked of a CLI besides the prompt; None leaves the choice to the CLI."""

    model: str | None = None
    system_prompt: str | None = None
    """What is said beside the CLI's own instructions, not instead of them."""
    allowed_tools: tuple[str, ...] | None = None
    """Names as in a role: `read_file`, `edit_file`, `write_file`, `run_command`, `web_fetch`, …"""
    mcp_servers: tuple[McpServer, ...] = ()
    max_turns: int | None = None
    flags: tuple[str, ...] = ()
    """Said after everything else, in the CLI's own words."""

    def __post_init__(self) -> None:
        """Refuse servers that are nowhere, or in two places."""
        for server in self.mcp_servers:
            if bool(server.command) == (server.url is not None) or server.url == "":
                found = "both" if server.command else "neither"
                raise InvalidInput(
                    f"The MCP server {server.name!r} needs a command or an address, "
                    f"and it has {found}.",
                    hint="Say either `command` or `url`.",
                )


def split_name(name: str) -> tuple[str, str | None]:
    """Split `claude:opus` into the CLI and its model; a model may have colons of its own."""
    cli, _, model = name.partition(":")
    return cli, model or None


def order_of(request: WorkerRequest) -> LaunchOrder:
    """Read from the request what the CLI is to be."""
    model = split_name(request.cli.name)[1] or next(iter(request.cli.models), None)
    return LaunchOrder(
        model=model,
        system_prompt=request.system_prompt or None,
        allowed_tools=request.allowed_tools,
        mcp_servers=_servers(request),
        max_turns=request.max_turns,
        flags=request.flags,
    )


def _servers(request: WorkerRequest) -> tuple[McpServer, ...]:
    """Add the tools of its session for a member; a role has no server of that name then."""
    if request.door is None:
        return request.mcp_servers
    others = (server for server in request.mcp_servers if server.name != _OWN)
    return (*others, McpServer(name=_OWN, url=f"{DOOR}{MEMBERS}", token_variable=MEMBERS_TOKEN))
