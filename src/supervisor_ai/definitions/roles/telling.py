"""Roles as lists and pages show them."""

import json
from collections.abc import Iterator, Sequence

from supervisor_ai.control.ports.definitions import RoleSummary, RoleValue
from supervisor_ai.definitions.layers import Written
from supervisor_ai.definitions.mistakes import KeyPath, key_text
from supervisor_ai.definitions.roles.book import MergedRole, RoleBook
from supervisor_ai.definitions.roles.merging import Piece, pieces
from supervisor_ai.definitions.settings import Settings
from supervisor_ai.definitions.shapes import ConfigShape


def summaries(book: RoleBook, settings: Settings) -> tuple[RoleSummary, ...]:
    """List the roles by name."""
    return tuple(summary(role, book, settings) for _, role in sorted(book.roles.items()))


def summary(role: MergedRole, book: RoleBook, settings: Settings) -> RoleSummary:
    """Say in short who a role is."""
    versions = {pack.written.shape.name: pack.written.shape.version for pack in book.packs}
    setting = settings.roles.get(role.name)
    chosen = (setting.cli if setting else None) or settings.cli
    return RoleSummary(
        name=role.name,
        description=role.shape.description,
        origin=role.file.origin.value,
        pack=role.file.pack,
        extends=role.parent,
        answer=role.shape.answer,
        writes=role.shape.writes,
        cli=chosen.name if chosen else role.shape.cli,
        version=versions.get(role.file.pack or ""),
    )


def values(role: MergedRole, configs: Sequence[Written[ConfigShape]]) -> Iterator[RoleValue]:
    """List every value of a role with where it stands; a config file's word replaces a role's."""
    said: dict[KeyPath, Piece] = dict(pieces(role.tree))
    for config in configs:
        for path, piece in _config_pieces(role.name, config):
            said = {at: it for at, it in said.items() if at[: len(path)] != path}
            said[path] = piece
    for path, piece in said.items():
        yield RoleValue(
            key=key_text(path),
            value=_text(piece.value),
            file=piece.place.file,
            line=piece.place.line,
            origin=piece.origin.value,
        )


def _config_pieces(role: str, config: Written[ConfigShape]) -> Iterator[tuple[KeyPath, Piece]]:
    document = config.document.value
    roles = document.get("roles") if isinstance(document, dict) else None
    own = roles.get(role) if isinstance(roles, dict) else None
    for key, value in (own or {}).items() if isinstance(own, dict) else ():
        entries = value.items() if isinstance(value, dict) else [("", value)]
        for inner, entry in entries:
            path = (key, inner) if inner else (key,)
            place = config.place("roles", role, *path)
            yield path, Piece(value=entry, place=place, origin=config.origin)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
