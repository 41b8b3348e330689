"""MCP servers of roles, and whether a sandbox lets an agent reach them."""

from typing import Final
from urllib.parse import urlsplit

from supervisor_ai.definitions.schema import hosts
from supervisor_ai.definitions.schema.config import RoleShape
from supervisor_ai.definitions.schema.roles import McpShape
from supervisor_ai.domain.run.definition import BROWSING_TOOLS, McpServer

_PORTS: Final = {"http": 80, "https": 443}


def server_of(name: str, shape: McpShape) -> McpServer:
    """Make a server of what is written about it."""
    return McpServer(
        name=name,
        command=tuple(shape.command or ()),
        environment=dict(shape.env),
        url=shape.url,
    )


def unreachable(server: McpShape, role: RoleShape) -> str | None:
    """Say why the sandbox would not let an agent reach its server."""
    wanted = _destination(server)
    if wanted is None:
        return None
    if wanted not in role.egress:
        return f"is outside the sandbox; write {wanted!r} into the role's `egress` too"
    if role.allowed_tools is not None and BROWSING_TOOLS.isdisjoint(role.allowed_tools):
        listed = " or ".join(sorted(BROWSING_TOOLS))
        return f"is outside the sandbox, where this role reaches nothing without {listed}"
    return None


def _destination(server: McpShape) -> str | None:
    """Return the host and port that must be reached, where that is outside the sandbox."""
    if server.url is None or hosts.is_local(server.url):
        return None
    parts = urlsplit(server.url)
    return f"{parts.hostname}:{parts.port or _PORTS[parts.scheme]}"
