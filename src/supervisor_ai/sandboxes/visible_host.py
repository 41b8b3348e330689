"""The mounts and environment variables of a command: what it sees of the host."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.engine.ports.sandbox import Mount, SandboxSpec
from supervisor_ai.sandboxes.egress.gateway import gateway_environment
from supervisor_ai.sandboxes.host_view.allowed_paths import read_only_paths
from supervisor_ai.sandboxes.host_view.hidden_secrets import SecretCovers
from supervisor_ai.sandboxes.host_view.package_caches import find_caches
from supervisor_ai.sandboxes.standard_files import ENVIRONMENT
from supervisor_ai.sandboxes.toolchains.installed_copies import installed_copies
from supervisor_ai.sandboxes.toolchains.toolchain import Toolchain

_SETTINGS: Final = (Path("/usr/etc"), Path("/usr/local/etc"))
"""Settings of tools among the system's programs, which every sandbox shows."""


class VisibleHost(Struct, frozen=True, kw_only=True):
    """The world of one command, besides the system and the files that every sandbox has."""

    mounts: tuple[Mount, ...]
    variables: Mapping[str, str]
    writable: tuple[Path, ...]
    """Directories above mounts in which the command may write."""
    hidden: tuple[str, ...] = ()
    """The installed copies of the project that it does not see, in words."""


def make_visible_host(
    spec: SandboxSpec,
    toolchain: Toolchain,
    covers: SecretCovers,
    environment: Mapping[str, str],
    home: Path,
) -> VisibleHost:
    """Collect what the command may see; a setting that names what it may not is refused."""
    caches = find_caches(spec.caches, environment, home, has_network=spec.egress is not None)
    shown = read_only_paths(spec.ro_paths, home)
    copies = installed_copies(toolchain, spec.not_installed, shown)
    mounts = (
        *(cover for place in _SETTINGS for cover in covers.over(place)),
        *(Mount(source=store, target=store) for store in toolchain.stores),
        *covers.exposed((*toolchain.roots, *shown)),
        *(covers.cover(path) for copy in copies for path in copy.covered),
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
        **(gateway_environment(spec.egress) if spec.egress else {}),
    }
    return VisibleHost(
        mounts=mounts,
        variables=variables,
        writable=caches.writable,
        hidden=tuple(copy.words for copy in copies if copy.covered),
    )
