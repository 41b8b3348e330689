"""Paths of the host that a sandbox may show, and those that it refuses."""

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.engine.ports.sandbox import Mount
from supervisor_ai.sandboxes.host_view.secret_names import KEY_FILES, KEY_PLACES

_LIVING: Final = tuple(Path(name) for name in ("/dev", "/proc", "/run", "/sys", "/var/run"))
_WHOLE: Final = frozenset(
    Path(name)
    for name in ("/", "/boot", "/etc", "/home", "/media", "/mnt", "/srv", "/tmp", "/var")  # noqa: S108 - refused
)
_DEPTH: Final = 2
_ENTRIES: Final = 10_000


def read_only_paths(entries: Iterable[str], home: Path) -> tuple[Path, ...]:
    """Check the entries of `sandbox.ro_paths`; the first one that cannot be shown is named."""
    return tuple(_read_only_path(entry, home) for entry in entries)


def _read_only_path(entry: str, home: Path) -> Path:
    path = home / entry[2:] if entry.startswith("~/") else Path(entry)
    if reason := refusal(path, home):
        raise InvalidInput(
            f"The entry {entry!r} of sandbox.ro_paths cannot be shown to a worker: {reason}.",
            hint="Name the directory of the one tool that is needed.",
        )
    return path


def refusal(path: Path, home: Path) -> str | None:
    """Say why a path must stay hidden, or None."""
    if not path.is_absolute() or ".." in path.parts:
        return "it is not an absolute path"
    if not os.access(path, os.R_OK):
        return "it does not exist, or only others can read it"
    return name_refusal(path, home) or _refusal_by_content(path.resolve())


def name_refusal(path: Path, home: Path) -> str | None:
    """Say why a path must stay hidden whatever it holds, or None."""
    return _refusal_by_name(path, home) or _refusal_by_name(path.resolve(), home)


def find_detour(mounts: Sequence[Mount], made: Sequence[Mount] = ()) -> Path | None:
    """Find a link on the way to a source inside another, where a worker may have put it.

    That is inside a writable one, and inside whatever was made for this command: a set-up may
    have written there before, where this command only reads.
    """
    ours = frozenset(made)
    changeable = {os.fspath(it.source) for it in mounts if it.is_writable or it in ours}
    detours = (_first_link(os.fspath(mount.source), changeable) for mount in mounts)
    return next((detour for detour in detours if detour is not None), None)


def _first_link(source: str, changeable: Collection[str]) -> Path | None:
    """Find the first link below the outermost place that can be changed, so below all of them."""
    is_below = False
    for place in (*_above(source), source):
        if is_below and os.path.islink(place):  # noqa: PTH114 - for every mount at every start
            return Path(place)
        is_below = is_below or place in changeable
    return None


def _above(path: str) -> Iterator[str]:
    """Yield what holds a path, the outermost first."""
    at = path.find("/", 1)
    while at > 0:
        yield path[:at]
        at = path.find("/", at + 1)


def is_below(path: Path, roots: Iterable[Path]) -> bool:
    """Tell whether a path is one of the roots or lies in one of them."""
    text = _as_prefix(path)
    return any(text.startswith(_as_prefix(root)) for root in roots)


def _as_prefix(path: Path) -> str:
    return os.fspath(path).rstrip("/") + "/"


def _refusal_by_name(path: Path, home: Path) -> str | None:
    if path in _WHOLE:
        return "it holds far more than a tool"
    if is_below(home.resolve(), [path]) or path == home:
        return "it holds the whole home directory"
    if is_below(path, _LIVING):
        return "it belongs to the running system"
    if found := KEY_PLACES.intersection(path.parts):
        return f"{min(found)!r} is a place for keys"
    if _is_secret_file(os.fspath(path)):
        return "it is a file for keys"
    return None


def _is_secret_file(path: str) -> bool:
    above, name = os.path.split(path)
    named = {name, f"{os.path.basename(above)}/{name}"}  # noqa: PTH119 - for every file of a tool
    return not named.isdisjoint(KEY_FILES) and not Path(path).is_dir()


def _refusal_by_content(path: Path) -> str | None:
    if stat.S_ISSOCK(path.stat().st_mode):
        return "it is a socket, which a read-only mount does not close"
    for entry in _shallow(path):
        if entry.name in KEY_PLACES or _is_secret_file(entry.path):
            return f"it holds {entry.path!r}, a place for keys"
        if _is_socket(entry):
            return f"it holds the socket {entry.path!r}, which a read-only mount does not close"
    return None


def _shallow(root: Path) -> Iterator[os.DirEntry[str]]:
    level, seen = [os.fspath(root)] if root.is_dir() else [], 0
    for _ in range(_DEPTH):
        below: list[str] = []
        for directory in level:
            for entry in _entries(directory):
                seen += 1
                if seen > _ENTRIES:
                    return
                yield entry
                if entry.is_dir(follow_symlinks=False):
                    below.append(entry.path)
        level = below


def _entries(directory: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            return list(entries)
    except OSError:
        # What we cannot list, the sandbox's user cannot list either.
        return []


def _is_socket(entry: os.DirEntry[str]) -> bool:
    if entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False):
        return False
    try:
        return stat.S_ISSOCK(entry.stat(follow_symlinks=False).st_mode)
    except OSError:
        return False
