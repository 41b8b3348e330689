"""The command line of bubblewrap: an empty root, then only what a command needs."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.engine.ports.sandbox import Mount
from supervisor_ai.sandboxes.resource_limits.rlimits import Spaces
from supervisor_ai.sandboxes.standard_files import (
    FILES,
    HOME,
    SETTINGS,
    SHARED_MEMORY,
    TEMPORARY,
    TOP_LEVEL,
)

Argument = str | bytes
"""Text as it is; bytes stand for the number of an open file with that content."""

_ISOLATION: Final = (
    *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"),
    *("--unshare-cgroup-try", "--disable-userns", "--uid", "1000", "--gid", "1000"),
    *("--hostname", "sandbox", "--cap-drop", "ALL", "--new-session", "--die-with-parent"),
)


class View(Struct, frozen=True, kw_only=True):
    """The world as one command sees it."""

    spaces: Spaces
    mounts: tuple[Mount, ...]
    environment: Mapping[str, str]
    cwd: Path


def arguments(view: View) -> tuple[Argument, ...]:
    """List the options in the order in which bubblewrap carries them out."""
    return (
        *_ISOLATION,
        *_system(),
        *_devices(view.spaces),
        *(word for mount in view.mounts for word in _bind(mount)),
        *(word for pair in view.environment.items() for word in ("--setenv", *pair)),
        *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", os.fspath(view.cwd)),
    )


def _system() -> Iterator[Argument]:
    yield from ("--ro-bind", "/usr", "/usr")
    for name in TOP_LEVEL:
        place = Path("/", name)
        if place.is_symlink():
            yield from ("--symlink", os.fspath(place.readlink()), os.fspath(place))
        elif place.is_dir():
            yield from ("--ro-bind", os.fspath(place), os.fspath(place))
    for setting in SETTINGS:
        yield from ("--ro-bind-try", setting, setting)
    for name, content in FILES.items():
        yield from ("--ro-bind-data", content, name)


def _devices(spaces: Spaces) -> Iterator[Argument]:
    yield from ("--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--dev", "/dev")
    for secret in ("/proc/cmdline", "/proc/keys"):
        yield from ("--ro-bind", "/dev/null", secret)
    for place, mode, size in (
        (SHARED_MEMORY, "1777", spaces.shared_memory),
        (TEMPORARY, "1777", spaces.temporary),
        (HOME, "0700", spaces.home),
    ):
        yield from ("--perms", mode, "--size", str(size), "--tmpfs", place)


def _bind(mount: Mount) -> tuple[str, str, str]:
    option = "--bind" if mount.is_writable else "--ro-bind"
    return option, os.fspath(mount.source), os.fspath(mount.target)
