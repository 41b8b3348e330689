"""The command line of bubblewrap: an empty root, then only what a command needs."""

import os
from collections.abc import Iterator, Mapping
from functools import cache
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
    words: list[Argument] = [*_ISOLATION, *_system(), *_SETTINGS, *_devices(view.spaces)]
    for mount in view.mounts:
        option = "--bind" if mount.is_writable else "--ro-bind"
        words += (option, os.fspath(mount.source), os.fspath(mount.target))
    for name, value in view.environment.items():
        words += ("--setenv", name, value)
    words += ("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", os.fspath(view.cwd))
    return tuple(words)


_SETTINGS: Final[tuple[Argument, ...]] = (
    *(word for setting in SETTINGS for word in ("--ro-bind-try", setting, setting)),
    *(word for name, content in FILES.items() for word in ("--ro-bind-data", content, name)),
)


def _system() -> Iterator[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for name in TOP_LEVEL:
        place = f"/{name}"
        try:
            yield from ("--symlink", os.readlink(place), place)  # noqa: PTH115 - at every start
        except OSError:
            if os.path.isdir(place):  # noqa: PTH112 - likewise
                yield from ("--ro-bind", place, place)


@cache
def _devices(spaces: Spaces) -> tuple[str, ...]:
    hidden = (("--ro-bind", "/dev/null", secret) for secret in ("/proc/cmdline", "/proc/keys"))
    sizes = (
        (SHARED_MEMORY, "1777", spaces.shared_memory),
        (TEMPORARY, "1777", spaces.temporary),
        (HOME, "0700", spaces.home),
    )
    return (
        *("--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--dev", "/dev"),
        *(word for words in hidden for word in words),
        *(
            word
            for place, mode, size in sizes
            for word in ("--perms", mode, "--size", str(size), "--tmpfs", place)
        ),
    )
