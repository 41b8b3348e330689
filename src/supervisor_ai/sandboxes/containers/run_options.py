"""The options of `podman run` and `docker run`: nothing of the host but what a command needs."""

import csv
import io
import os
import resource
import sys
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run.definition import ResourceLimits
from supervisor_ai.engine.ports.sandbox import Mount, SandboxSpec
from supervisor_ai.sandboxes.containers.engine import FENCE, LABEL, STATE, Engine
from supervisor_ai.sandboxes.containers.image import KEEPER
from supervisor_ai.sandboxes.containers.run_as import ContainerUser
from supervisor_ai.sandboxes.resource_limits.rlimits import SPACES, kernel_limits, within_ours
from supervisor_ai.sandboxes.standard_files import HOME, TEMPORARY

_ISOLATION: Final = (
    *("--rm", "--pull", "never", "--network", "none", "--ipc", "private", "--read-only"),
    *("--hostname", "sandbox", "--log-driver", "none", "--cap-drop", "ALL"),
    *("--security-opt", "no-new-privileges"),
    # The labels of the user's files are not ours to change, and without them nothing is readable.
    *("--security-opt", "label=disable"),
)
_KERNEL_LIMITS: Final = {
    resource.RLIMIT_CORE: "core",
    resource.RLIMIT_NOFILE: "nofile",
    resource.RLIMIT_FSIZE: "fsize",
    resource.RLIMIT_DATA: "data",
    resource.RLIMIT_NPROC: "nproc",
}
_MANY: Final = 1 << 15
"""As many processes as engines themselves allow a container whose user is not its own."""


class PreparedHost(Struct, frozen=True, kw_only=True):
    """How containers are started here."""

    image: str
    runtime: tuple[str, ...]
    """The options of the client that choose a runtime which works."""
    has_groups: bool
    """Whether a control group bounds a container here, as it was asked to."""


class Host(Struct, frozen=True, kw_only=True):
    """What all containers of one sandbox have in common."""

    engine: Engine
    prepared: PreparedHost
    seccomp: Path
    state: str
    """The name of our state directory among those of other supervisors."""


class Lodger(Struct, frozen=True, kw_only=True):
    """What one container has to itself."""

    name: str
    guest: ContainerUser
    mounts: tuple[Mount, ...]
    writable: tuple[Path, ...] = ()
    """Directories above mounts in which the command may write."""


def run_words(host: Host, lodger: Lodger, spec: SandboxSpec) -> tuple[str, ...]:
    """Say how to run the container; nothing of the command is said here."""
    # An engine takes one mount for each place; the last word counts, as with bubblewrap.
    mounts = {mount.target: mount for mount in lodger.mounts}
    return (
        *host.prepared.runtime,
        "run",
        *("--name", lodger.name),
        *_labels(host, spec),
        *_ISOLATION,
        *host.engine.isolation,
        *("--security-opt", f"seccomp={host.seccomp}"),
        *("--user", f"{lodger.guest.user}:{lodger.guest.group}"),
        *(() if lodger.guest.is_own_user else host.engine.own_user),
        *kernel_limit_words(spec.limits, is_own_user=lodger.guest.is_own_user),
        *(group_limits(spec.limits) if host.prepared.has_groups else ()),
        *_spaces(spec, lodger),
        *(word for mount in mounts.values() for word in ("--mount", bind(mount))),
        *(host.prepared.image, *first_process()),
    )


def first_process() -> tuple[str, ...]:
    """Say what the container starts with: no variable of the engine gets past `env -i`."""
    return ("/usr/bin/env", "-i", os.path.realpath(sys.executable), "-I", "-S", KEEPER)


def bind(mount: Mount) -> str:
    """Describe a mount in a line of comma-separated values, whatever its paths contain."""
    words = ["type=bind", f"source={mount.source}", f"target={mount.target}"]
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(
        words if mount.is_writable else [*words, "readonly"]
    )
    return line.getvalue()


def plain(label: str) -> str:
    """Write a label so that it can stand in a line; `label_of` reads it back."""
    return urllib.parse.quote(label, safe="/")


def label_of(text: str) -> str:
    """Read what `plain` wrote."""
    return urllib.parse.unquote(text)


def _labels(host: Host, spec: SandboxSpec) -> Iterator[str]:
    for name, value in (
        (LABEL, plain(spec.label)),
        (FENCE, str(spec.fence)),
        (STATE, host.state),
    ):
        yield from ("--label", f"{name}={value}")


def kernel_limit_words(limits: ResourceLimits, *, is_own_user: bool) -> Iterator[str]:
    """Bound what each process may use."""
    # An engine gives what is not said a value of its own, which we may have no right to.
    given = {resource.RLIMIT_NPROC: within_ours(resource.RLIMIT_NPROC, _MANY)}
    given.update(kernel_limits(limits, is_own_user=is_own_user))
    for number, value in given.items():
        yield from ("--ulimit", f"{_KERNEL_LIMITS[number]}={value}:{value}")


def group_limits(limits: ResourceLimits) -> Iterator[str]:
    """Bound what all processes may use together."""
    # As much memory with swap as without: there is no swap to flee to.
    yield from ("--memory", str(limits.memory), "--memory-swap", str(limits.memory))
    yield from ("--pids-limit", str(limits.processes), "--cpus", f"{limits.cpus:g}")


def _spaces(spec: SandboxSpec, lodger: Lodger) -> Iterator[str]:
    spaces = SPACES[spec.profile]
    yield from ("--shm-size", str(spaces.shared_memory))
    above = ((place, spaces.home) for place in lodger.writable)
    for place, size in ((TEMPORARY, spaces.temporary), (HOME, spaces.home), *above):
        yield from ("--tmpfs", f"{place}:rw,nosuid,nodev,exec,size={size},mode=1777")
