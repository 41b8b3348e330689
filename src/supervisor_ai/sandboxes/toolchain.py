"""Which tools of the host a sandbox shows besides /usr, and where a command finds them."""

import os
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from supervisor_ai.sandboxes.arguments import STANDARD_PATH
from supervisor_ai.sandboxes.exposure import is_below, refusal

_SYSTEM: Final = tuple(Path(name) for name in ("/usr", "/bin", "/sbin", "/lib", "/lib64"))
_PROGRAMS: Final = frozenset({"bin", "sbin", "shims"})
_BESIDE_PROGRAMS: Final = ("lib", "lib64", "libexec", "share", "versions")
"""A directory that has one of these beside its programs is an installation."""
_SHARED: Final = frozenset({".cache", ".config", ".local"})
"""Directories with programs of one kind and the private files of every other program."""
_PRIVATE_ENVIRONMENTS: Final = (("pipx", "venvs"), ("uv", "tools"))
"""Virtual environments that hold a tool, not the user's project."""
_MOST_LINKS: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """Installations to show read-only at their own paths, and where to look for commands."""

    roots: tuple[Path, ...]
    programs: tuple[Path, ...]

    def search_path(self, shown: Iterable[Path] = ()) -> str:
        """Return the PATH inside: what is visible there, the standard directories last."""
        visible = (*_SYSTEM, *self.roots, *shown)
        found = [os.fspath(place) for place in self.programs if is_below(place, visible)]
        return ":".join(dict.fromkeys((*found, *STANDARD_PATH)))


def find_toolchain(environment: Mapping[str, str], home: Path) -> Toolchain:
    """Find the interpreter, the virtual environment and the tools on the PATH of the host."""
    listed = [Path(entry) for entry in environment.get("PATH", "").split(":") if entry]
    searched = [place for place in listed if place.is_absolute() and _is_open(place)]
    roots = _Roots(home)
    for interpreter in _interpreters(environment):
        roots.add(interpreter)
    for setting in sorted(Path("/etc").glob("java-*-openjdk")):
        roots.add(setting)
    rust = [place for entry in searched for place in _rust_programs(entry, environment, home)]
    for place in (*searched, *rust):
        _add_programs(roots, place)
    programs = (*_python_programs(environment), *rust, *searched, *_private_programs())
    return Toolchain(roots=roots.outermost(), programs=tuple(dict.fromkeys(programs)))


def _is_open(place: Path) -> bool:
    return os.access(place, os.R_OK | os.X_OK) and place.is_dir()


class _Roots:
    def __init__(self, home: Path) -> None:
        self._home = home
        self._found: list[Path] = []

    def add(self, root: Path) -> bool:
        if self.shows(root):
            return True
        if refusal(root, self._home):
            return False
        # A link is shown under its own name, and its target for whoever resolves it.
        self._found += dict.fromkeys((root, root.resolve()))
        return True

    def shows(self, path: Path) -> bool:
        return is_below(path, (*_SYSTEM, *self._found))

    def outermost(self) -> tuple[Path, ...]:
        found = dict.fromkeys(self._found)
        return tuple(root for root in found if not any(other in root.parents for other in found))


def _interpreters(environment: Mapping[str, str]) -> Iterator[Path]:
    yield Path(sys.base_prefix)
    yield Path(sys.prefix)
    if active := environment.get("VIRTUAL_ENV"):
        yield from _virtual_environment(Path(active))
    yield Path(__file__).parents[2]


def _virtual_environment(root: Path) -> Iterator[Path]:
    try:
        lines = (root / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    yield root
    for line in lines:
        key, _, value = line.partition("=")
        if key.strip() == "home" and value.strip():
            yield Path(value.strip()).parent


def _python_programs(environment: Mapping[str, str]) -> Iterator[Path]:
    if active := environment.get("VIRTUAL_ENV"):
        yield Path(active, "bin")
    elif not _is_private(Path(sys.prefix)):
        yield Path(sys.prefix, "bin")
        yield Path(sys.base_prefix, "bin")


def _private_programs() -> Iterator[Path]:
    if _is_private(Path(sys.prefix)):
        yield Path(sys.prefix, "bin")


def _is_private(environment: Path) -> bool:
    pairs = zip(environment.parts, environment.parts[1:], strict=False)
    return any(pair in _PRIVATE_ENVIRONMENTS for pair in pairs)


def _rust_programs(entry: Path, environment: Mapping[str, str], home: Path) -> Iterator[Path]:
    """Find what the proxies of rustup stand for: inside they would not find it themselves."""
    if not os.access(entry / "rustup", os.X_OK):
        return
    root = Path(environment.get("RUSTUP_HOME") or home / ".rustup")
    try:
        settings = tomllib.loads((root / "settings.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    place = root / "toolchains" / str(settings.get("default_toolchain")) / "bin"
    if _is_open(place):
        yield place


def _add_programs(roots: _Roots, place: Path) -> None:
    if roots.shows(place) or (_is_installation(place) and roots.add(place.parent)):
        return
    if roots.add(place):
        for target in _link_targets(place):
            _add_target(roots, target)


def _add_target(roots: _Roots, target: Path) -> None:
    package = target.parent.parent
    is_packaged = target.parent.name in _PROGRAMS and package.name not in _SHARED
    if not roots.shows(target) and not (is_packaged and roots.add(package)):
        roots.add(target)


def _is_installation(place: Path) -> bool:
    prefix = place.parent
    if place.name not in _PROGRAMS or prefix.name in _SHARED:
        return False
    # A project keeps its history beside its programs, and more than a tool should be seen there;
    # the version managers that are clones live in hidden directories.
    is_project = (prefix / ".git").exists() and not prefix.name.startswith(".")
    return not is_project and any((prefix / name).is_dir() for name in _BESIDE_PROGRAMS)


def _link_targets(place: Path) -> Iterator[Path]:
    with os.scandir(place) as entries:
        links = sorted(Path(entry) for entry in entries if entry.is_symlink())
    for link in links[:_MOST_LINKS]:
        yield Path(os.path.normpath(place / link.readlink()))
