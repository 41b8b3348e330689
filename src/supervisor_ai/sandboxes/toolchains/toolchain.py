"""The tools of the host that a sandbox shows besides /usr, and where a command finds them."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from supervisor_ai.sandboxes.host_view.allowed_paths import is_below
from supervisor_ai.sandboxes.standard_files import STANDARD_PATH
from supervisor_ai.sandboxes.toolchains.installers import add_installers
from supervisor_ai.sandboxes.toolchains.project_environment import own_environment
from supervisor_ai.sandboxes.toolchains.roots import SYSTEM, Roots, is_open
from supervisor_ai.tools.programs import search_path

_SETTINGS: Final = ("java-*-openjdk", "maven/m2.conf", "maven/logging")
"""What packages of the system cannot start without; Maven's other settings may hold passwords."""
_INSTALLATIONS: Final = (
    *("JAVA_HOME", "GOROOT", "CONDA_PREFIX", "MAVEN_HOME", "GRADLE_HOME", "DOTNET_ROOT"),
    *("BUN_INSTALL", "DENO_INSTALL"),
)
"""Variables that name an installation: its programs are found, and inside they say the same."""
_CHOICES: Final = tuple(
    f"{name}_{what}"
    for name in ("PYENV", "RBENV", "NODENV", "GOENV", "JENV")
    for what in ("ROOT", "VERSION")
)
"""Variables that shims read."""
TOLD: Final = (*_INSTALLATIONS, *_CHOICES)
"""The variables that a command may be given so that its tools work."""


class Toolchain(Struct, frozen=True, kw_only=True):
    """Installations to show read-only at their own paths, and where to look for commands."""

    roots: tuple[Path, ...]
    programs: tuple[Path, ...]
    stores: tuple[Path, ...] = ()
    """What everybody may read by design; nothing in them is a secret, whatever its name."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """What the tools themselves want to be told."""

    def shows(self, path: Path) -> bool:
        """Tell whether a path of the host is visible inside."""
        return is_below(path, (*SYSTEM, *self.stores, *self.roots))

    def search_path(self, shown: Iterable[Path] = ()) -> str:
        """Return the PATH inside: what is visible there, the standard directories last."""
        visible = (*SYSTEM, *self.stores, *self.roots, *shown)
        found = [os.fspath(place) for place in self.programs if is_below(place, visible)]
        return ":".join(dict.fromkeys((*found, *STANDARD_PATH)))


def find_toolchain(environment: Mapping[str, str], home: Path) -> Toolchain:
    """Find the project's virtual environment and the tools on the PATH of the host.

    The environment in which supervisor itself is installed counts only as the project's own, which
    VIRTUAL_ENV names (`project_environment.py`): its tools are not what a project is tested with.
    """
    ours = own_environment(environment)
    listed = map(Path, search_path(environment.get("PATH", "")).split(":"))
    searched = [place for place in listed if is_open(place) and not is_below(place, ours)]
    roots = Roots(home, hidden=ours)
    roots.add_installation(Path(sys.base_prefix))
    if active := environment.get("VIRTUAL_ENV"):
        roots.add_environment(Path(active))
    for pattern in _SETTINGS:
        for setting in sorted(Path("/etc").glob(pattern)):
            roots.add(setting)
    real = add_installers(roots, searched, environment, home)
    found = [_add_programs(roots, place) for place in searched]
    named = [_add_programs(roots, place) for place in _named_programs(environment)]
    active_programs = [Path(active, "bin")] if active else []
    programs = (*active_programs, *real, *found, *named)
    return Toolchain(
        roots=roots.outermost(),
        stores=roots.stores(),
        programs=tuple(dict.fromkeys(programs)),
        environment=dict(_told(roots, environment)),
    )


def _add_programs(roots: Roots, place: Path) -> Path:
    """Show programs; a directory that cannot be shown may stand for one that can."""
    roots.add_programs(place)
    if roots.shows(place):
        return place
    real = place.resolve()
    roots.add_programs(real)
    return real


def _named_programs(environment: Mapping[str, str]) -> Iterator[Path]:
    for variable in _INSTALLATIONS:
        place = Path(environment.get(variable, ""), "bin")
        if place.is_absolute() and is_open(place):
            yield place


def _told(roots: Roots, environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for variable in _INSTALLATIONS:
        value = environment.get(variable, "")
        if value.startswith("/") and roots.shows(Path(value, "bin")):
            yield variable, value
    yield from ((name, environment[name]) for name in _CHOICES if environment.get(name))
