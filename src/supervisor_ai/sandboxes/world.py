"""What a command sees of the host, and what it is told."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from supervisor_ai.engine.ports.sandbox import Mount, SandboxSpec
from supervisor_ai.sandboxes.arguments import ENVIRONMENT
from supervisor_ai.sandboxes.caches import find_caches
from supervisor_ai.sandboxes.covers import Covers
from supervisor_ai.sandboxes.egress.door import door_environment
from supervisor_ai.sandboxes.exposure import read_only_paths
from supervisor_ai.sandboxes.toolchain import Toolchain

_SETTINGS: Final = (Path("/usr/etc"), Path("/usr/local/etc"))
"""Settings of tools among the system's programs, which every sandbox shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The world of one command, besides the system and the files that every sandbox has."""

    mounts: tuple[Mount, ...]
    variables: Mapping[str, str]
    writable: tuple[Path, ...]
    """Directories above mounts in which the command may write."""


def make_world(
    spec: SandboxSpec,
    toolchain: Toolchain,
    covers: Covers,
    environment: Mapping[str, str],
    home: Path,
) -> World:
    """Collect what the command may see; a setting that names what it may not is refused."""
    caches = find_caches(spec.caches, environment, home)
    mounts = (
        *(cover for place in _SETTINGS for cover in covers.over(place)),
        *(Mount(source=store, target=store) for store in toolchain.stores),
        *covers.exposed((*toolchain.roots, *read_only_paths(spec.ro_paths, home))),
        *caches.mounts,
        *spec.mounts,
    )
    variables = {
        "PATH": toolchain.search_path(mount.target for mount in mounts),
        **ENVIRONMENT,
        **toolchain.environment,
        **caches.environment,
        **spec.environment,
        # Last: what the command is given otherwise does not lead it past the door.
        **(door_environment(spec.egress) if spec.egress else {}),
    }
    return World(mounts=mounts, variables=variables, writable=caches.writable)
