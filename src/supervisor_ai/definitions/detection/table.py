"""The table of detection, as the package ships it."""

from functools import cache
from typing import Final

import msgspec
import yaml
from msgspec import Struct, field

from supervisor_ai.definitions.sources.files import BUILTIN_DIRECTORY

_FILE: Final = BUILTIN_DIRECTORY / "detection.yaml"

Conditions = tuple[str, ...]
Words = tuple[str, ...]


class CacheRule(Struct, frozen=True, kw_only=True):
    """What an installer's set-up makes, and the files that decide what that is."""

    key: Words
    paths: Words


class WayRule(Struct, frozen=True, kw_only=True):
    """One way in which an installer gives a workspace what the project needs."""

    setup: Words = ()
    cache: CacheRule | None = None
    egress: Words = ()
    caches: Words = ()
    """The package caches of the machine that it uses."""
    needs: Words = ()
    include: Words = ()
    """Ignored files of the checkout that it copies; only at the top."""
    interpreter: Words = ()
    """The Python that it makes, from the installer's directory."""
    environment: dict[str, str] = field(default_factory=dict)


class InstallerRule(Struct, frozen=True, kw_only=True):
    """A package manager: how it is recognised, and how it starts a program of the project."""

    when: Conditions
    ecosystem: str
    node: Words = ()
    exec: Words = ()
    members: Words = ()
    """How it runs a script of all members of a workspace that have it; nothing if it cannot."""
    ways: tuple[WayRule, ...] = ()
    fallback: bool = False
    """Whether it is what people use where no other installer of the ecosystem is seen."""


class CommandRule(Struct, frozen=True, kw_only=True):
    """A command that makes sense in a directory where a condition holds."""

    when: Conditions
    run: Words


class PackRule(Struct, frozen=True, kw_only=True):
    """A pack, what speaks for it, and what to say where nothing does."""

    title: str
    roles: Words
    when: Conditions
    otherwise: str


class DetectionTable(Struct, frozen=True, kw_only=True):
    """Everything that is known about recognising a project."""

    skip: frozenset[str]
    languages: dict[str, Conditions]
    frameworks: dict[str, Conditions]
    services: dict[str, Conditions]
    installers: dict[str, InstallerRule]
    commands: dict[str, tuple[CommandRule, ...]]
    packs: dict[str, PackRule]
    agents: Words = field(default=())

    @property
    def conditions(self) -> frozenset[str]:
        """Name every fact that a rule asks for."""
        named = (*self.languages.values(), *self.frameworks.values(), *self.services.values())
        commands = (rule.when for rules in self.commands.values() for rule in rules)
        installers = (rule.when for rule in self.installers.values())
        packs = (rule.when for rule in self.packs.values())
        lists = (*named, *commands, *installers, *packs)
        return frozenset(
            fact for conditions in lists for entry in conditions for fact in entry.split(" & ")
        )


@cache
def builtin_table() -> DetectionTable:
    """Read the table of the package."""
    tree: object = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return msgspec.convert(tree, DetectionTable)
