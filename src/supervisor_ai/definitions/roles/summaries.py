"""Roles as lists and pages show them."""

import json
from collections.abc import Collection, Iterator

from supervisor_ai.control.ports.definitions import RoleSummary, RoleValue
from supervisor_ai.definitions.config.settings import EffectiveSettings
from supervisor_ai.definitions.overlay.tables import ROLE
from supervisor_ai.definitions.overlay.tree import pieces, plain
from supervisor_ai.definitions.roles.agents import usual_cli
from supervisor_ai.definitions.roles.registry import MergedRole, RoleRegistry
from supervisor_ai.definitions.sources.mistakes import key_text


def summaries(
    book: RoleRegistry, settings: EffectiveSettings, missing: Collection[str]
) -> tuple[RoleSummary, ...]:
    """List the roles by name; `missing` agents are not installed."""
    found = sorted(book.roles.items())
    return tuple(summary(role, book, settings, missing) for _, role in found)


def summary(
    role: MergedRole, book: RoleRegistry, settings: EffectiveSettings, missing: Collection[str]
) -> RoleSummary:
    """Say in short who a role is."""
    versions = {pack.written.shape.name: pack.written.shape.version for pack in book.packs}
    return RoleSummary(
        name=role.name,
        description=role.shape.description,
        origin=role.file.origin.value,
        pack=role.file.pack,
        extends=role.parent,
        answer=role.shape.answer,
        writes=role.shape.writes,
        cli=usual_cli(role, settings, missing),
        version=versions.get(role.file.pack or ""),
    )


def values(role: MergedRole) -> Iterator[RoleValue]:
    """List every value of a role with where it stands; a config file's word replaces a role's."""
    for path, piece in pieces(role.tree, ROLE):
        yield RoleValue(
            key=key_text(path),
            value=_text(plain(piece)),
            file=piece.at.place().file,
            line=piece.at.place().line,
            origin=piece.at.origin.value,
        )


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
