"""What has to be looked at of the system to notice that its tools are others."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_RECORDS: Final = (
    *("var/lib/dpkg/status", "lib/apk/db/installed", "var/lib/pacman/local"),
    *("var/lib/rpm", "usr/lib/sysimage/rpm", "nix/var/nix/profiles"),
)
"""What package managers write anew with every package that comes, goes or changes."""
_RUN: Final = (
    *("bin", "sbin", "libexec", "local", "lib/git-core", "lib/gcc", "lib/jvm", "lib/ruby"),
    *("lib/python3*", "lib/node_modules", "lib/go*/bin", "lib/llvm*/bin", "lib/cargo"),
    *("share/nodejs", "share/perl5", "share/java", "share/maven"),
)
"""Programs, and packages of interpreters."""
_LIBRARIES: Final = ("lib", "lib64", "lib/*-linux-*")


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPlaces:
    """Directories and files of the system."""

    whole: tuple[Path, ...]
    flat: tuple[Path, ...] = ()
    """Directories of which only the first level is looked at."""


def system_places(system: Iterable[Path], root: Path = Path("/")) -> SystemPlaces:
    """Find what a command can run; the rest only where no package manager keeps a record of it.

    To look at each of some hundred thousand files before every gate takes longer than most gates.
    """
    records = tuple(root / record for record in _RECORDS if (root / record).exists())
    if not records:
        return SystemPlaces(whole=tuple(system))
    tops = [root / "usr", root]
    return SystemPlaces(whole=_found(tops, _RUN), flat=(*records, *_found(tops, _LIBRARIES)))


def _found(tops: Iterable[Path], patterns: Iterable[str]) -> tuple[Path, ...]:
    """Return what exists, each real place once."""
    every = (path for top in tops for pattern in patterns for path in sorted(top.glob(pattern)))
    return tuple({path.resolve(): path for path in every}.values())
