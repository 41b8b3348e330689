"""What changes when the tools of the machine do."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

from supervisor_ai.sandboxes.toolchain import find_toolchain

_OF_THE_SYSTEM: Final = ("/usr/bin", "/usr/local/bin", "/var/lib/dpkg/status", "/etc/os-release")
_SHELVES: Final = ("lib/python*/site-packages", "lib/node_modules")
"""Where installations keep packages."""


def stamp_tools(environment: Mapping[str, str], home: Path) -> str:
    """Name the tools that a command finds in a sandbox, so that a change of them is noticed."""
    roots = find_toolchain(environment, home).roots
    packages = (place for root in roots for shelf in _SHELVES for place in root.glob(shelf))
    places = (*map(Path, _OF_THE_SYSTEM), *roots, *sorted(packages))
    stamps = [f"{place}:{place.stat().st_mtime_ns}" for place in places if place.exists()]
    return sha256("\n".join(stamps).encode()).hexdigest()
