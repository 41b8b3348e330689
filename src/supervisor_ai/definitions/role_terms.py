"""What a role is told and given besides its prompt, laid over what was said below."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import urlsplit

from supervisor_ai.definitions import hosts
from supervisor_ai.definitions.layers import Written
from supervisor_ai.definitions.mistakes import Place
from supervisor_ai.definitions.role_shapes import McpShape
from supervisor_ai.definitions.shapes import ConfigShape
from supervisor_ai.domain.run.definition import BROWSING_TOOLS, McpServer
from supervisor_ai.domain.run.gates import Area

_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedServer:
    """A server, and where its address would be written."""

    server: McpServer
    place: Place

    @property
    def destination(self) -> str | None:
        """Return the host and port that must be reached, where that is outside the sandbox."""
        if self.server.url is None or hosts.is_local(self.server.url):
            return None
        parts = urlsplit(self.server.url)
        return f"{parts.hostname}:{parts.port or _PORTS[parts.scheme]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What the config files say about a role; None leaves it to the role's own file."""

    system_prompt: str | None = None
    servers: dict[str, PlacedServer] = field(default_factory=dict)
    max_turns: int | None = None
    is_optional: bool | None = None
    optional_at: Place | None = None
    may_change: tuple[Area, ...] | None = None


def lay_terms(below: Terms, config: Written[ConfigShape], role: str) -> Terms:
    """Lay one file's word on a role over the others'; a server is replaced as a whole."""
    shape = config.shape.roles[role]
    said = replace(
        below,
        system_prompt=below.system_prompt if shape.system_prompt is None else shape.system_prompt,
        servers={**below.servers, **_servers(config, role)},
        max_turns=shape.max_turns or below.max_turns,
        may_change=below.may_change if shape.may_change is None else areas(shape.may_change),
    )
    if shape.optional is None:
        return said
    place = config.place("roles", role, "optional")
    return replace(said, is_optional=shape.optional, optional_at=place)


def areas(names: Iterable[str]) -> tuple[Area, ...]:
    """Return the areas of these names, none twice."""
    return tuple(dict.fromkeys(Area(name) for name in names))


def server_of(name: str, shape: McpShape) -> McpServer:
    """Make a server of what is written about it."""
    return McpServer(
        name=name,
        command=tuple(shape.command or ()),
        environment=dict(shape.env),
        url=shape.url,
    )


def unreachable(
    server: PlacedServer, egress: tuple[str, ...], tools: tuple[str, ...] | None
) -> str | None:
    """Say why the sandbox would not let an agent reach its server."""
    wanted = server.destination
    if wanted is None:
        return None
    if wanted not in egress:
        return f"is outside the sandbox; write {wanted!r} into the role's `egress` too"
    if tools is not None and BROWSING_TOOLS.isdisjoint(tools):
        listed = " or ".join(sorted(BROWSING_TOOLS))
        return f"is outside the sandbox, where this role reaches nothing without {listed}"
    return None


def _servers(config: Written[ConfigShape], role: str) -> Mapping[str, PlacedServer]:
    return {
        name: PlacedServer(
            server=server_of(name, shape),
            place=config.place("roles", role, "mcp_servers", name, "url"),
        )
        for name, shape in config.shape.roles[role].mcp_servers.items()
    }
