"""The package managers of a project, each in its directory, and what their set-ups make."""

import shlex
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath
from typing import Final

from msgspec import Struct

from supervisor_ai.definitions.detection.facts import TOP, Facts
from supervisor_ai.definitions.detection.python_layout import REQUIREMENTS
from supervisor_ai.definitions.detection.table import (
    DetectionTable,
    InstallerRule,
    WayRule,
    Words,
)
from supervisor_ai.definitions.detection.workspace_members import UV

_EXTRAS: Final = ("test", "tests", "testing", "dev")
_BUILT: Final = (
    "file:setup.py",
    "file:setup.cfg",
    "toml:project",
    "toml:build-system",
    "toml:tool.poetry",
)
_MANIFESTS: Final = ("pyproject.toml", "setup.py", "setup.cfg")
_LISTED: Final = "{requirements}"
_PACKAGES: Final = "{packages}"


class Install(Struct, frozen=True, kw_only=True):
    """An installer that is used in a directory."""

    place: str
    rule: InstallerRule

    def way(self, level: int) -> WayRule:
        """Return its way of a level; the last one stands for all further ones."""
        return self.rule.ways[min(level, len(self.rule.ways)) - 1]

    def moved(self, setup: Words, facts: Facts) -> Words:
        """Write a set-up as it is called from the top."""
        listed = " ".join(map(shlex.quote, requirements(facts.in_directory(self.place))))
        is_shared = facts.in_directory(self.place).evidence([UV]) is not None
        packages = {_PACKAGES: ("--all-packages",) if is_shared else ()}
        plain = (each for word in setup for each in packages.get(word, (word,)))
        words = tuple(word.replace(_LISTED, listed) for word in plain)
        return words if self.place == TOP else ("env", "-C", self.place, *words)

    def cache_paths(self, level: int) -> Iterator[str]:
        """Name what its set-up makes."""
        cache = self.way(level).cache
        yield from self._below(cache.paths if cache else ())

    def cache_key(self, level: int, facts: Facts) -> Iterator[str]:
        """Name the files that decide what its set-up makes."""
        cache = self.way(level).cache
        if cache:
            here = facts.in_directory(self.place)
            is_listed = any(_LISTED in word for word in self.way(level).setup)
            yield from self._below((*cache.key, *(_manifests(here) if is_listed else ())))

    def _below(self, names: Collection[str]) -> Iterator[str]:
        yield from (str(PurePosixPath(self.place) / name) for name in names)


def installs(table: DetectionTable, facts: Facts, places: list[str]) -> tuple[Install, ...]:
    """Find the installer of each ecosystem in each directory; the one with a lock file counts."""
    found: list[Install] = []
    for place in places:
        here, taken = facts.in_directory(place), set[str]()
        for rule in sorted(table.installers.values(), key=lambda it: it.fallback):
            if rule.ecosystem not in taken and here.evidence(rule.when) is not None:
                taken.add(rule.ecosystem)
                found.append(Install(place=place, rule=rule))
    return tuple(_outermost(found))


def nearest(found: tuple[Install, ...], ecosystem: str, place: str) -> Install | None:
    """Return the installer that counts in a directory: the nearest one upwards."""
    for above in (place, *(str(parent) for parent in PurePosixPath(place).parents)):
        for install in found:
            if install.rule.ecosystem == ecosystem and install.place == above:
                return install
    return None


def requirements(here: Facts) -> Iterator[str]:
    """Write what pip has to install so that the tests of a directory can run."""
    if here.evidence(_BUILT) is not None:
        extras = [
            it for it in _EXTRAS if here.evidence([f"toml:project.optional-dependencies.{it}"])
        ]
        yield from ("-e", f".[{','.join(extras)}]" if extras else ".")
    for name in REQUIREMENTS:
        if here.evidence([f"requirements:{name}"]) is not None:
            yield from ("-r", name)
    for name in _EXTRAS:
        if here.evidence([f"toml:dependency-groups.{name}"]) is not None:
            yield from ("--group", name)


def _manifests(here: Facts) -> Iterator[str]:
    yield from (it for it in _MANIFESTS if here.evidence([f"file:{it}"]) is not None)
    yield from (it for it in REQUIREMENTS if here.evidence([f"requirements:{it}"]) is not None)


def _outermost(found: list[Install]) -> Iterator[Install]:
    """Leave out what is inside another of its kind: that one's commands count."""
    for it in found:
        if not any(_holds(other, it) for other in found):
            yield it


def _holds(other: Install, it: Install) -> bool:
    inside = PurePosixPath(it.place).is_relative_to(other.place) and other.place != it.place
    return inside and other.rule.ecosystem == it.rule.ecosystem
