"""Package caches of the host that a sandbox shows read-only, and how each tool is told of them.

Only the inner directory with packages is shown, never what lies beside it: the settings of a
package manager are where its passwords are.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.engine.ports.sandbox import Mount
from supervisor_ai.sandboxes.host_view.allowed_paths import name_refusal
from supervisor_ai.sandboxes.standard_files import HOME
from supervisor_ai.tools.text import nearest

_INSIDE: Final = "/var/cache/packages"


class Caches(Struct, frozen=True, kw_only=True):
    """What has to be mounted, and what the tools have to be told."""

    mounts: tuple[Mount, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def writable(self) -> tuple[Path, ...]:
        """List the directories of the home above the mounts, outermost first.

        The tools write there; whoever makes them for the command has to give them to it.
        """
        above = (parent for mount in self.mounts for parent in mount.target.parents)
        return tuple(sorted({place for place in above if Path(HOME) in place.parents}))


class _Cache(Struct, frozen=True, kw_only=True):
    """How one package manager uses packages that it cannot change."""

    places: tuple[tuple[str, str], ...] = ()
    """Variables with what follows their value; the last has no name and stands for the home."""
    parts: tuple[str, ...] = (".",)
    """What is shown of the cache, as patterns."""
    target: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    offline: Mapping[str, str] = field(default_factory=dict)
    """What keeps it from waiting for a network that is not there."""
    obstacle: str | None = None
    """Why its cache cannot be shown read-only."""


_CACHES: Final[Mapping[str, _Cache]] = {
    "cargo": _Cache(
        # The lock and the list of what was used lie beside the registry, in the writable home.
        places=(("CARGO_HOME", "registry"), ("", ".cargo/registry")),
        parts=("cache", "index", "src"),
        target=f"{HOME}/.cargo/registry",
        offline={"CARGO_NET_OFFLINE": "true"},
    ),
    "go": _Cache(
        # The downloads have the layout of a module proxy; what is unpacked goes to the home.
        places=(
            ("GOMODCACHE", "cache/download"),
            ("GOPATH", "pkg/mod/cache/download"),
            ("", "go/pkg/mod/cache/download"),
        ),
        target=f"{_INSIDE}/go",
        environment={"GOPROXY": f"file://{_INSIDE}/go", "GOSUMDB": "off"},
    ),
    "gradle": _Cache(
        places=(("GRADLE_USER_HOME", "caches"), ("", ".gradle/caches")),
        parts=("modules-2",),
        target=f"{_INSIDE}/gradle",
        environment={"GRADLE_RO_DEP_CACHE": f"{_INSIDE}/gradle"},
    ),
    "maven": _Cache(
        places=(("", ".m2/repository"),),
        target=f"{_INSIDE}/maven",
        environment={
            # Maven 3.9 looks here after its own repository; an older one has no second place.
            "MAVEN_ARGS": f"-o -Dmaven.repo.local={HOME}/.m2/repository"
            f" -Dmaven.repo.local.tail={_INSIDE}/maven",
            "MAVEN_OPTS": f"-Dmaven.repo.local={_INSIDE}/maven",
        },
    ),
    "npm": _Cache(
        places=(("npm_config_cache", ""), ("NPM_CONFIG_CACHE", ""), ("", ".npm")),
        parts=("_cacache",),
        target=f"{_INSIDE}/npm",
        environment={"npm_config_cache": f"{_INSIDE}/npm", "npm_config_logs_max": "0"},
        offline={"npm_config_offline": "true"},
    ),
    "pip": _Cache(obstacle="pip only reads a cache that it can write to; uv can"),
    "pnpm": _Cache(obstacle="pnpm writes to its store whenever it installs"),
    "uv": _Cache(
        # Its locks and temporary files lie at the top, which is writable.
        places=(("UV_CACHE_DIR", ""), ("XDG_CACHE_HOME", "uv"), ("", ".cache/uv")),
        parts=("archive-v*", "flat-index-v*", "simple-v*", "wheels-v*"),
        target=f"{HOME}/.cache/uv",
        environment={"UV_CACHE_DIR": f"{HOME}/.cache/uv", "UV_LINK_MODE": "copy"},
        offline={"UV_OFFLINE": "1"},
    ),
    "yarn": _Cache(obstacle="yarn turns away from a cache that it cannot write to"),
}
CACHE_NAMES: Final = tuple(sorted(name for name, cache in _CACHES.items() if not cache.obstacle))
"""What `sandbox.caches` may name."""


def find_caches(
    names: Iterable[str],
    environment: Mapping[str, str],
    home: Path,
    *,
    has_network: bool = True,
) -> Caches:
    """Find the caches with these names; one that does not exist on this machine is left out."""
    mounts: list[Mount] = []
    told: dict[str, str] = {}
    for name in dict.fromkeys(names):
        cache = _known(name)
        told |= {} if has_network else cache.offline
        if found := list(_mounts(cache, environment, home)):
            mounts += found
            told |= {**cache.environment, **cache.offline}
    return Caches(mounts=tuple(mounts), environment=told)


def _known(name: str) -> _Cache:
    cache = _CACHES.get(name)
    if cache is None:
        near = nearest(name, CACHE_NAMES)
        meant = f"Did you mean {near!r}? " if near else ""
        raise InvalidInput(
            f"There is no package cache {name!r}.",
            hint=f"{meant}sandbox.caches may name: {', '.join(CACHE_NAMES)}",
        )
    if cache.obstacle:
        raise InvalidInput(
            f"The cache of {name!r} cannot be shown to a worker: {cache.obstacle}.",
            hint=f"sandbox.caches may name: {', '.join(CACHE_NAMES)}",
        )
    return cache


def _mounts(cache: _Cache, environment: Mapping[str, str], home: Path) -> Iterator[Mount]:
    root = _place(cache, environment, home)
    for pattern in cache.parts:
        for part in [root] if pattern == "." else sorted(root.glob(pattern)):
            if part.is_dir() and os.access(part, os.R_OK) and not name_refusal(part, home):
                yield Mount(source=part, target=Path(cache.target, part.relative_to(root)))


def _place(cache: _Cache, environment: Mapping[str, str], home: Path) -> Path:
    given = {**environment, "": os.fspath(home)}
    chosen = ((given.get(variable, ""), rest) for variable, rest in cache.places)
    return next(Path(place, rest) for place, rest in chosen if place.startswith("/"))
