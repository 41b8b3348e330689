"""The directories of tools that a sandbox shows, each one checked before it is added."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from supervisor_ai.sandboxes.host_view.allowed_paths import is_below, name_refusal, refusal

SYSTEM: Final = tuple(Path(name) for name in ("/usr", "/bin", "/sbin", "/lib", "/lib64"))
_LOCAL: Final = Path("/usr/local")
_SHOWN_ANYWAY: Final = (*SYSTEM, Path("/etc/alternatives"))
_PROGRAMS: Final = frozenset({"bin", "sbin", "shims"})
_BESIDE_PROGRAMS: Final = ("lib", "lib64", "libexec", "share", "versions")
"""A directory that has one of these beside its programs is an installation."""
_PARTS: Final = (
    *("bin", "sbin", "shims", "lib", "lib32", "lib64", "libexec", "include", "share", "versions"),
    *("ssl", "jmods", "jre", "conf", "legal", "pkg", "src", "api", "misc", "Cellar", "opt", "libs"),
    *("packages", "plugins", "modules", "node_modules", "gems", "resources", "sysroot"),
    *("sdk", "host", "shared", "packs", "targets", "site-packages", "compiler_compat", "condabin"),
    *("conda-meta", "pyvenv.cfg", "release", "VERSION", "go.env"),
)
"""What programs need of their installation; beside it are settings, and in them passwords."""
_TARGET: Final = "-linux-"
"""Compilers keep what belongs to one target in a directory with its name."""
_SHARED: Final = frozenset({".cache", ".config", ".local"})
"""Directories with programs of one kind and the private files of every other program."""
_PACKAGES: Final = "node_modules"
_MOST_LINKS: Final = 500
_MOST_PACKAGES: Final = 5000
_LONGEST_CHAIN: Final = 8


class Roots:
    """Collects what is shown; whatever must stay hidden is passed over."""

    def __init__(self, home: Path, hidden: tuple[Path, ...] = ()) -> None:
        self._home = home
        self._hidden = hidden
        self._found: list[Path] = []
        self._stores: list[Path] = []

    def add(self, root: Path) -> bool:
        """Show a directory or a file; False if it must stay hidden."""
        if self.shows(root):
            return True
        is_there = root.is_absolute() and os.access(root, os.R_OK)
        if not is_there or root.name in _SHARED or name_refusal(root, self._home):
            return False
        # A link is shown under its own name, and its target for whoever resolves it.
        real = root.resolve()
        if is_below(real, self._hidden):
            return False
        self._found += [root] if self.shows(real) else dict.fromkeys((root, real))
        return True

    def add_public(self, store: Path) -> None:
        """Show a store that everybody may read by design, whatever the names of its files."""
        if store.is_dir() and not name_refusal(store, self._home):
            self._stores.append(store)

    def add_installation(self, prefix: Path) -> bool:
        """Show the parts of an installation, and nothing that lies beside them."""
        if self.shows(prefix):
            return True
        if prefix.name in _SHARED or name_refusal(prefix, self._home):
            return False
        names = _names(prefix)
        parts = [name for name in (*_PARTS, *sorted(names)) if _is_part(name) and name in names]
        # The root would show what is written there later, too: a login leaves its key there.
        added = [self.add(prefix / name) for name in dict.fromkeys(parts)]
        return any(added)

    def add_programs(self, place: Path) -> None:
        """Show a directory of programs with everything that they are known to need."""
        if _PACKAGES in place.parts:
            self._add_packages(place)
        elif not (self.shows(place) or (self._is_installed(place) and self._add_prefix(place))):
            self._add_place(place)
        # What the system's own links stand for is part of the system.
        is_system = is_below(place, SYSTEM) and not is_below(place, [_LOCAL])
        if self.shows(place) and not is_system:
            for target in _link_targets(place):
                self.add_target(target)

    def add_target(self, target: Path) -> None:
        """Show what a link stands for: the package that it belongs to, or the file alone."""
        if not self.shows(target) and not self._add_package(target):
            self.add(target)

    def add_environment(self, root: Path) -> None:
        """Show a virtual environment of Python and the interpreter that it was made from."""
        settings = root / "pyvenv.cfg"
        if not settings.is_file() or not self.add_installation(root):
            return
        for hop in (*_hops(root / "bin" / "python"), *_interpreter(settings)):
            self.add_target(hop)

    def shows(self, path: Path) -> bool:
        """Tell whether a path is visible by now."""
        return is_below(path, (*_SHOWN_ANYWAY, *self._stores, *self._found))

    def stores(self) -> tuple[Path, ...]:
        """List the stores that everybody may read."""
        return tuple(self._stores)

    def outermost(self) -> tuple[Path, ...]:
        """List what is shown, without what lies in another one of the list."""
        found = dict.fromkeys(self._found)
        return tuple(root for root in found if not any(above in found for above in root.parents))

    def _is_installed(self, place: Path) -> bool:
        prefix = place.parent
        if place.name not in _PROGRAMS or prefix.name in _SHARED or self._is_project(prefix):
            return False
        return any((prefix / name).is_dir() for name in _BESIDE_PROGRAMS)

    def _is_project(self, prefix: Path) -> bool:
        """Tell what is somebody's work from a tool: more lies there than a tool needs.

        The version managers that are clones, and virtual environments, have hidden names.
        """
        places = [prefix, *(above for above in prefix.parents if self._home in above.parents)]
        is_hidden = any(place.name.startswith(".") for place in places)
        return not is_hidden and any((place / ".git").exists() for place in places)

    def _add_place(self, place: Path) -> None:
        """Show a directory of programs, unless it is one of other things and holds keys, too."""
        if place.name in _PROGRAMS or not refusal(place, self._home):
            self.add(place)

    def _add_prefix(self, place: Path) -> bool:
        return self.add_installation(place.parent) and self.shows(place)

    def _add_package(self, target: Path) -> bool:
        if _PACKAGES in target.parts:
            return self._add_packages(target)
        package = target.parent.parent
        if target.parent.name not in _PROGRAMS or package.name in _SHARED:
            return False
        self.add_environment(package)
        return self.add_installation(package) and self.shows(target)

    def _add_packages(self, path: Path) -> bool:
        """Show the packages among which a path lies: a package finds what it needs beside itself.

        Where they are links into a store, as those of pnpm can be, it finds it there.
        """
        ahead, seen = [_outermost_packages(path)], set[Path]()
        while ahead and len(seen) < _MOST_PACKAGES:
            packages = ahead.pop()
            if packages not in seen and self.add(packages):
                seen.add(packages)
                ahead += _linked_packages(packages)
        return self.shows(path)


def is_open(place: Path) -> bool:
    """Tell whether a directory can be searched."""
    return os.access(place, os.R_OK | os.X_OK) and place.is_dir()


def _names(directory: Path) -> set[str]:
    try:
        return set(os.listdir(directory))  # noqa: PTH208 - only names are looked at
    except OSError:
        return set()


def _is_part(name: str) -> bool:
    return name in _PARTS or _TARGET in name


def _outermost_packages(path: Path) -> Path:
    return Path(*path.parts[: path.parts.index(_PACKAGES) + 1])


def _linked_packages(packages: Path) -> Iterator[Path]:
    for pattern in ("*", "@*/*"):
        for link in packages.glob(pattern):
            # A package that is worked on elsewhere is somebody's project, and no part of a tool.
            if link.is_symlink() and _PACKAGES in link.resolve().parts:
                yield _outermost_packages(link.resolve())


def _interpreter(settings: Path) -> Iterator[Path]:
    for line in settings.read_text(encoding="utf-8", errors="replace").splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "home" and value.strip():
            yield Path(value.strip(), "python3")


def _link_targets(place: Path) -> Iterator[Path]:
    with os.scandir(place) as entries:
        links = sorted(Path(entry) for entry in entries if entry.is_symlink())
    for link in links[:_MOST_LINKS]:
        # Any other file, or a whole directory, is nothing that a command could be.
        if link.is_file() and os.access(link, os.X_OK):
            yield from _hops(link)


def _hops(link: Path) -> Iterator[Path]:
    """Follow a link; every name on the way must exist inside."""
    for _ in range(_LONGEST_CHAIN):
        if not link.is_symlink():
            return
        link = Path(os.path.normpath(link.parent / link.readlink()))
        yield link
