"""What a project's role files ask the user to trust."""

import json
from collections.abc import Iterable, Iterator

from supervisor_ai.control.ports.definitions import Power
from supervisor_ai.definitions.flags import passed_on
from supervisor_ai.definitions.mistakes import KeyPath, Place, shown
from supervisor_ai.definitions.roles.book import MergedRole, RoleBook
from supervisor_ai.definitions.roles.files import RoleFile
from supervisor_ai.definitions.roles.merging import pieces
from supervisor_ai.definitions.roles.strategies import Strategies
from supervisor_ai.definitions.scalars import dear
from supervisor_ai.definitions.shelves import Origin

_WIDENING = ("egress", "allowed_tools", "mcp_servers", "gates", "may_change", "flags")


def role_powers(book: RoleBook) -> tuple[Power, ...]:
    """List every key of the project's role files that widens what runs may do."""
    own = [file for file in book.files if file.origin is Origin.PROJECT]
    found = [power for file in own for power in _file_powers(file)]
    roles = book.roles.values()
    found += _inherited(role for role in roles if role.file.origin is Origin.PROJECT)
    found += _strategy_powers(book.strategies)
    return tuple(sorted(found, key=lambda power: (power.file, power.line, power.key)))


def _file_powers(file: RoleFile) -> Iterator[Power]:
    for path, value in _widening(file):
        if value:
            yield _power(file.written.place(*path), value)


def _widening(file: RoleFile) -> Iterator[tuple[KeyPath, object]]:
    shape = file.written.shape
    yield ("cli",), dear(shape.cli)
    yield ("fallback",), [agent for agent in shape.fallback or () if dear(agent)]
    yield ("egress",), shape.egress
    yield ("allowed_tools",), shape.allowed_tools
    yield ("flags",), list(passed_on(shape.flags))
    for name, server in shape.mcp_servers.items():
        yield ("mcp_servers", name), server.model_dump(exclude_defaults=True)
    for number, gate in enumerate(shape.gates):
        yield ("gates", number, "command"), gate.command
        yield ("gates", number, "env"), gate.env
    yield ("may_change",), shape.may_change
    yield ("context", "packer"), _foreign(shape.context.packer)


def _strategy_powers(strategies: Strategies) -> Iterator[Power]:
    for written in strategies.values():
        packer = _foreign(written.shape.used_packer)
        if packer and written.origin is Origin.PROJECT:
            key = "packer" if written.shape.packer else "algorithm"
            yield _power(written.place(key), packer)


def _foreign(packer: str | None) -> str | None:
    """Return a packer that is a program of its own."""
    return None if packer == "native" else packer


def _inherited(roles: Iterable[MergedRole]) -> Iterator[Power]:
    """List what a project's role takes over from what the user gave to another one."""
    for role in roles:
        lent = any(
            piece.origin is Origin.USER
            for key in _WIDENING
            for _, piece in pieces(role.tree.get(key, {}))
        )
        if lent and role.parent is not None:
            yield _power(role.file.written.place("extends"), role.parent)


def _power(place: Place, value: object) -> Power:
    text = shown(json.dumps(value, ensure_ascii=False))
    return Power(file=place.file, line=place.line, key=place.key, value=text)
