"""What the sandbox of macOS is told. Experimental: made from what is known, not yet run there.

A profile is text for `sandbox-exec`: everything is denied, then only what a command needs is
allowed; of two rules for the same path the later one counts. Paths are matched after links were
followed, so the caller passes real ones.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.values import Hardness
from supervisor_ai.engine.ports.sandbox import LimitFinding, Mount, ProbeFinding, Profile

IS_EXPERIMENTAL: Final = True
"""It is never chosen by `auto`: a user has to ask for it by name."""
PROGRAM: Final = "/usr/bin/sandbox-exec"

NOT_ENFORCED: Final = tuple(
    ProbeFinding(name=name, holds=False, detail=detail)
    for name, detail in (
        ("processes of the host are hidden", "macOS has no namespaces for processes"),
        ("no process stays behind", "a process that leaves its session has to be searched for"),
        ("names of files are hidden", "which files exist above a shown path can be found out"),
        ("the network is the command's own", "a worker shares the loopback interface of the host"),
        ("system calls are filtered", "there is no filter that a command brings along"),
        ("temporary files are bounded", "they are on the disk of the host"),
    )
)
"""What other sandboxes prove and this one cannot."""
LIMITS: Final = (
    *(
        LimitFinding(name=name, hardness=Hardness.SOFT, detail="watched, and killed when exceeded")
        for name in ("memory", "processes", "cpus", "disk", "disk_files")
    ),
    LimitFinding(name="file_size", hardness=Hardness.HARD, detail="RLIMIT_FSIZE"),
)

SYSTEM_PATHS: Final = tuple(
    Path(name)
    for name in (
        *("/usr", "/bin", "/sbin", "/System", "/Library/Apple", "/private/var/db/dyld"),
        *("/Library/Developer/CommandLineTools", "/private/var/db/timezone", "/private/etc/ssl"),
    )
)
SYSTEM_FILES: Final = tuple(
    Path(name)
    for name in (
        *(
            "/",
            "/dev",
            "/dev/null",
            "/dev/zero",
            "/dev/random",
            "/dev/urandom",
            "/dev/dtracehelper",
        ),
        *("/private/etc/localtime", "/private/etc/hosts", "/private/var/select/sh"),
    )
)
_DEVICES: Final = (Path("/dev/null"), Path("/dev/zero"), Path("/dev/dtracehelper"))
_BASIS: Final = (
    "(version 1)",
    "(deny default)",
    "(allow process-fork)",
    "(allow process-info* (target same-sandbox))",
    "(allow signal (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow ipc-posix-sem)",
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
)
_LINKS: Final = tuple(Path(name) for name in ("/etc", "/tmp", "/var"))  # noqa: S108 - names of links
_PRIVATE: Final = Path("/private")
_PORTS: Final = range(1, 1 << 16)
_UNSAFE: Final = re.compile(r'[\x00-\x1f"\\\x7f]')


class SeatbeltView(Struct, frozen=True, kw_only=True):
    """The world as one command sees it; nothing can be shown at another place than its own."""

    profile: Profile
    mounts: tuple[Mount, ...]
    """In order: a read-only one inside a writable one stays read-only."""
    tools: tuple[Path, ...]
    temporary: Path
    port: int | None = None
    """Where the supervisor listens for a worker."""


def seatbelt_profile(view: SeatbeltView) -> str:
    """Write the profile for a view."""
    readable = [*view.tools, *(_place(mount) for mount in view.mounts), view.temporary]
    shown = [*SYSTEM_PATHS, *map(_real, readable)]
    rules = (
        *_BASIS,
        _rule("allow", "process-exec", subpaths=shown),
        _rule("allow", "file-read*", subpaths=shown, literals=SYSTEM_FILES),
        _rule("allow", "file-read-metadata", literals=_above(shown)),
        _rule("allow", "file-write-data file-ioctl", literals=_DEVICES),
        _rule("allow", "file-write*", subpaths=[_real(view.temporary)]),
        *_writing(view.mounts),
        *_network(view),
    )
    return "\n".join(rules) + "\n"


def seatbelt_command(view: SeatbeltView, argv: Sequence[str]) -> tuple[str, ...]:
    """Return the words that run a command in the view."""
    return (PROGRAM, "-p", seatbelt_profile(view), "--", *argv)


def quoted(text: str) -> str:
    """Write a text as a string of the profile's language, whatever is in it."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"The path {text!r} is not text, so no profile can name it.") from error
    if "\0" in text:
        raise InvalidInput(f"The path {text!r} holds a zero byte, so no file has it.")
    return f'"{_UNSAFE.sub(_escape, text)}"'


def _escape(found: re.Match[str]) -> str:
    character = found.group()
    return f"\\{character}" if character in '"\\' else f"\\x{ord(character):02x}"


def _rule(
    verdict: str,
    operation: str,
    *,
    subpaths: Iterable[Path] = (),
    literals: Iterable[Path] = (),
) -> str:
    filters = [f"(subpath {quoted(os.fspath(path))})" for path in dict.fromkeys(subpaths)]
    filters += [f"(literal {quoted(os.fspath(path))})" for path in dict.fromkeys(literals)]
    return f"({verdict} {operation} {' '.join(filters)})"


def _writing(mounts: Sequence[Mount]) -> Iterator[str]:
    writable: list[Path] = []
    for mount in mounts:
        place = _place(mount)
        if mount.is_writable:
            writable.append(place)
            yield _rule("allow", "file-write*", subpaths=[place])
        elif outer := [root for root in writable if root in place.parents]:
            yield _rule("deny", "file-write*", subpaths=[place])
            # Who can rename a directory on the way has the file under a name without a rule.
            way = [above for above in place.parents if any(root in above.parents for root in outer)]
            if way:
                yield _rule("deny", "file-write-unlink", literals=way)


def _network(view: SeatbeltView) -> Iterator[str]:
    if view.profile is Profile.EXECUTOR or view.port is None:
        return
    if view.port not in _PORTS:
        raise InvalidInput(f"{view.port!r} is no port.")
    address = quoted(f"localhost:{view.port}")
    yield f"(allow network-outbound (remote ip {address}))"


def _place(mount: Mount) -> Path:
    if mount.source != mount.target:
        raise InvalidInput(
            f"On macOS {os.fspath(mount.source)!r} cannot be shown as {os.fspath(mount.target)!r}:"
            " everything has its own place only."
        )
    return _real(mount.source)


def _real(path: Path) -> Path:
    if not path.is_absolute() or ".." in path.parts or path == Path("/"):
        raise InvalidInput(f"The path {os.fspath(path)!r} cannot be shown: it is not definite.")
    is_linked = any(link == path or link in path.parents for link in _LINKS)
    return _PRIVATE / path.relative_to("/") if is_linked else path


def _above(paths: Iterable[Path]) -> list[Path]:
    return sorted({parent for path in paths for parent in path.parents})
