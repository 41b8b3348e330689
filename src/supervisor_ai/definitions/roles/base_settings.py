"""What role files say, as the config files' words are laid over it."""

from collections.abc import Mapping

from supervisor_ai.definitions.role_terms import PlacedServer, Terms, areas, server_of
from supervisor_ai.definitions.roles.book import MergedRole
from supervisor_ai.definitions.roles.strategies import expanded
from supervisor_ai.definitions.settings import Choice, RoleSetting
from supervisor_ai.definitions.shelves import Origin


def base_settings(roles: Mapping[str, MergedRole]) -> dict[str, RoleSetting]:
    """Describe every role as far as its files do."""
    return {name: _setting(role) for name, role in roles.items()}


def _setting(role: MergedRole) -> RoleSetting:
    shape = role.shape
    return RoleSetting(
        place=role.file.written.place(),
        cli=_cli(role),
        timeout=shape.timeout,
        max_retries=shape.max_retries,
        allowed_tools=None if shape.allowed_tools is None else tuple(shape.allowed_tools),
        egress=tuple(shape.egress),
        hides=expanded(shape.hides),
        fallback=tuple(
            Choice(name=name, place=role.place("fallback", number))
            for number, name in enumerate(shape.fallback)
        ),
        terms=_terms(role),
    )


def _cli(role: MergedRole) -> Choice | None:
    """Return the agent that somebody chose; the package's is only what is left in the end."""
    piece = role.piece("cli")
    if piece is None or piece.origin is Origin.BUILT_IN:
        return None
    return Choice(name=str(piece.value), place=piece.place)


def _terms(role: MergedRole) -> Terms:
    shape = role.shape
    servers = {
        name: PlacedServer(server=server_of(name, server), place=role.place("mcp_servers", name))
        for name, server in shape.mcp_servers.items()
    }
    return Terms(
        system_prompt=shape.system_prompt,
        servers=servers,
        max_turns=shape.max_turns,
        is_optional=shape.optional,
        may_change=None if shape.may_change is None else areas(shape.may_change),
    )
