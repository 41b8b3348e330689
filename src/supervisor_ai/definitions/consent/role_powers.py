"""What a project's role files ask the user to trust."""

from collections.abc import Iterable, Iterator

from supervisor_ai.control.ports.definitions import Power
from supervisor_ai.definitions.consent.powers import power
from supervisor_ai.definitions.overlay.project_limits import (
    ROLE_LIMITS,
    asked_for,
    foreign_packer,
    taken_back,
)
from supervisor_ai.definitions.roles.files import RoleFile
from supervisor_ai.definitions.roles.registry import MergedRole, RoleRegistry
from supervisor_ai.definitions.roles.strategies import Strategies
from supervisor_ai.definitions.sources.files import Origin

_WIDENING = ("egress", "allowed_tools", "mcp_servers", "gates", "may_change", "flags")


def role_powers(book: RoleRegistry) -> tuple[Power, ...]:
    """List every key of the project's role files that widens what runs may do."""
    own = [file for file in book.files if file.origin is Origin.PROJECT]
    found = [power for file in own for power in _file_powers(file)]
    roles = book.roles.values()
    found += _inherited(role for role in roles if role.file.origin is Origin.PROJECT)
    found += _strategy_powers(book.strategies)
    return tuple(sorted(found, key=lambda power: (power.file, power.line, power.key)))


def _file_powers(file: RoleFile) -> Iterator[Power]:
    keys = {str(row[0]) for row in ROLE_LIMITS}
    said = file.written.shape.model_dump(mode="json", exclude_defaults=True, include=keys)
    for path, value in asked_for(said, ROLE_LIMITS):
        yield power(file.written.place(*path), value)
    for path in taken_back(file.written.value, ROLE_LIMITS):
        yield power(file.written.place(*path), None)


def _strategy_powers(strategies: Strategies) -> Iterator[Power]:
    for written in strategies.values():
        packer = foreign_packer(written.shape.used_packer)
        if packer and written.origin is Origin.PROJECT:
            key = "packer" if written.shape.packer else "algorithm"
            yield power(written.place(key), packer)


def _inherited(roles: Iterable[MergedRole]) -> Iterator[Power]:
    """List what a project's role takes over from what the user gave to another one."""
    for role in roles:
        lent = any(
            Origin.USER in node.origins
            for key in _WIDENING
            if (node := role.files.child(key)) is not None
        )
        if lent and role.parent is not None:
            yield power(role.file.written.place("extends"), role.parent)
