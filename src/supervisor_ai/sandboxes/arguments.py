"""What bubblewrap is told: an empty world, then only what a command needs."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from supervisor_ai.engine.ports.sandbox import Mount
from supervisor_ai.sandboxes.limits import Spaces

Argument = str | bytes
"""Text as it is; bytes stand for the number of an open file with that content."""

HOME: Final = "/home/agent"
TEMPORARY: Final = "/tmp"  # noqa: S108 - inside, where it is the command's own
SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108 - likewise
ENVIRONMENT: Final = {"HOME": HOME, "TMPDIR": TEMPORARY, "LANG": "C.UTF-8", "TERM": "dumb"}
STANDARD_PATH: Final = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin")

_ISOLATION: Final = (
    *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"),
    *("--unshare-cgroup-try", "--disable-userns", "--uid", "1000", "--gid", "1000"),
    *("--hostname", "sandbox", "--cap-drop", "ALL", "--new-session", "--die-with-parent"),
)
SETTINGS: Final = (
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/ca-certificates",
    "/etc/pki/tls/certs",
    "/etc/pki/ca-trust/extracted",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/localtime",
)
FILES: Final = {
    "/etc/passwd": b"agent:x:1000:1000:agent:/home/agent:/bin/sh\n",
    "/etc/group": b"agent:x:1000:\n",
    "/etc/nsswitch.conf": b"passwd: files\ngroup: files\nhosts: files\n",
    "/etc/hosts": b"127.0.0.1 localhost\n::1 localhost\n",
    "/etc/resolv.conf": b"",
}
TOP_LEVEL: Final = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
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
