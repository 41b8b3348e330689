"""Container engines for tests, each with storage of its own; nothing of the user's is touched."""

import asyncio
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Self

import pytest
from tests.support.known_tools import known_tools

from supervisor_ai.sandboxes.containers.sandbox import (
    ContainerSandbox,
    DockerSandbox,
    PodmanSandbox,
)

PATIENCE = 60
TRIAL = ("trial:1", "/usr/bin/true")
LEAST = ("--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024", "--network", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class TestEngine:
    """An engine, how to speak to it, and where an earlier sandbox has prepared it."""

    __test__ = False

    kind: type[ContainerSandbox]
    options: tuple[str, ...]
    prepared: Path

    def sandbox(self, state: Path) -> ContainerSandbox:
        """Make a sandbox that finds everything prepared, as all do but the first on a machine."""
        if not state.exists():
            shutil.copytree(self.prepared, state)
        return self.kind(state=known_tools(state), environment=os.environ, options=self.options)

    @classmethod
    def prepare(cls, kind: type[ContainerSandbox], options: tuple[str, ...], state: Path) -> Self:
        """Let a first sandbox find out how containers are started here."""
        asyncio.run(kind(state=state, environment=os.environ, options=options).prepare())
        return cls(kind=kind, options=options, prepared=state)


@contextmanager
def podman_storage() -> Iterator[TestEngine]:
    """Yield a podman with storage of its own; skip where it starts nothing."""
    require("podman")
    # The paths of its sockets have to be short.
    with tempfile.TemporaryDirectory(prefix="pod-", dir="/tmp") as place:
        options = ("--root", f"{place}/s", "--runroot", f"{place}/r")
        try:
            require_start(("podman", *options), ("--runtime", "runc"))
            yield TestEngine.prepare(PodmanSandbox, options, Path(place, "state"))
        finally:
            clear_storage(place)


def clear_storage(place: str) -> None:
    """Make the storage of podman removable, also for a user who is not root."""
    if os.geteuid() == 0:
        # Podman mounts its storage on itself, and leaves it so.
        words = ["umount", f"{place}/s/overlay"]
    else:
        words = ["podman", "unshare", "rm", "-rf", f"{place}/s"]
    subprocess.run(words, capture_output=True, check=False)


@contextmanager
def docker_daemon() -> Iterator[TestEngine]:
    """Yield a docker with a daemon of our own; skip where it cannot be started."""
    for program in ("docker", "dockerd"):
        require(program)
    if os.geteuid() != 0:
        pytest.skip("dockerd is started by root")
    with tempfile.TemporaryDirectory(prefix="dock-", dir="/var/tmp") as place:
        address = f"unix://{place}/sock"
        with (
            Path(place, "log").open("wb") as log,
            subprocess.Popen(
                [
                    *("dockerd", "--data-root", f"{place}/d", "--exec-root", f"{place}/e"),
                    *("--pidfile", f"{place}/pid", "-H", address, "--bridge=none"),
                    *("--iptables=false", "--ip6tables=false"),
                ],
                stdout=log,
                stderr=log,
                start_new_session=True,
            ) as daemon,
        ):
            try:
                await_daemon(address, daemon, Path(place, "log"))
                require_start(("docker", "-H", address))
                yield TestEngine.prepare(DockerSandbox, ("-H", address), Path(place, "state"))
            finally:
                daemon.terminate()
                daemon.wait(PATIENCE)


def require(program: str) -> None:
    """Skip the test where a program is missing."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed; `scripts/setup --for-tests` installs podman")


def await_daemon(address: str, daemon: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while subprocess.run(
        ["docker", "-H", address, "version"], capture_output=True, check=False
    ).returncode:
        if daemon.poll() is not None or time.monotonic() > deadline:
            pytest.skip(f"dockerd does not start here: {log.read_text(errors='replace')[-500:]}")
        time.sleep(0.05)


def require_start(engine: Sequence[str], *others: Sequence[str]) -> None:
    """Skip the test where the engine, asked without any code of ours, runs nothing at all."""
    image = subprocess.run(
        [*engine, "import", "-", "trial:1"], input=_archive(), capture_output=True, check=False
    )
    said = image.stderr
    for runtime in ((), *others):
        trial = subprocess.run(
            [*engine, *runtime, "run", "--rm", *LEAST, "-v", "/usr:/usr:ro", *TRIAL],
            capture_output=True,
            check=False,
        )
        if trial.returncode == 0:
            return
        said += trial.stderr
    pytest.skip(f"{engine[0]} starts no container here: {said.decode(errors='replace')[-500:]}")


def _archive() -> bytes:
    buffer = BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, target in (
            ("usr", ""),
            ("bin", "usr/bin"),
            ("lib", "usr/lib"),
            ("lib64", "usr/lib64"),
        ):
            member = tarfile.TarInfo(name)
            member.mode = 0o755
            member.type = tarfile.SYMTYPE if target else tarfile.DIRTYPE
            member.linkname = target
            archive.addfile(member)
    return buffer.getvalue()
