"""Prepares a machine for containers once: image, seccomp profile; kept until something changes."""

import hashlib
import json
import os
import platform
from pathlib import Path
from typing import Final

from msgspec.structs import asdict

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.run.definition import EXECUTOR_LIMITS, ResourceLimits
from supervisor_ai.engine.ports.sandbox import Mount
from supervisor_ai.sandboxes.containers.engine import Client, Engine, EngineAnswer
from supervisor_ai.sandboxes.containers.image import Image, build_image, own_directories
from supervisor_ai.sandboxes.containers.run_options import (
    PreparedHost,
    bind,
    group_limits,
    kernel_limit_words,
)
from supervisor_ai.sandboxes.containers.seccomp_profile import build_profile

_SHOWN: Final = (
    *("memory.max", "pids.max", "cpu.max"),
    *("memory/memory.limit_in_bytes", "pids/pids.max", "cpu/cpu.cfs_quota_us"),
)
_PERIOD: Final = 100_000


class Preparation:
    """Imports the image and finds out what the engine can do; the answer is kept in a file."""

    def __init__(self, engine: Engine, client: Client, directory: Path) -> None:
        self._engine = engine
        self._client = client
        self._record = directory / f"{engine.name}.json"
        self.seccomp = directory / "seccomp.json"

    async def get(self) -> PreparedHost:
        """Return what is known, or find it out; raise Unavailable when nothing can be started."""
        image = build_image()
        profile = build_profile(platform.machine())
        key = self._key(image)
        if (kept := self._recall(key)) and self.seccomp.exists():
            return kept
        self._record.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write(self.seccomp, profile)
        await self._import(image)
        prepared = await self._try(image)
        write(self._record, json.dumps({"key": key, **asdict(prepared)}).encode())
        return prepared

    def forget(self) -> None:
        """Begin anew next time: what was prepared may be gone."""
        self._record.unlink(missing_ok=True)

    async def _import(self, image: Image) -> None:
        if (await self._client.ask("image", "inspect", image.tag)).is_good:
            return
        answer = await self._client.ask("import", "-", image.tag, given=image.archive)
        if not answer.is_good:
            raise failure(self._engine, answer)

    async def _try(self, image: Image) -> PreparedHost:
        answer = EngineAnswer(code=-1, text="", complaint="")
        for runtime in self._engine.runtimes:
            for limits in (tuple(group_limits(EXECUTOR_LIMITS)), ()):
                answer = await self._client.ask(*runtime, *_trial(image.tag, limits))
                if answer.is_good:
                    has_groups = bool(limits) and _are_in_force(answer.text, EXECUTOR_LIMITS)
                    return PreparedHost(image=image.tag, runtime=runtime, has_groups=has_groups)
        raise failure(self._engine, answer)

    def _key(self, image: Image) -> str:
        try:
            binary = self._client.executable.stat()
        except OSError as error:
            raise Unavailable(f"{error.strerror}: {str(self._client.executable)!r}.") from error
        machine = os.uname()
        parts = (
            (machine.release, machine.version, os.geteuid(), image.tag),
            (os.fspath(self._client.executable), binary.st_size, binary.st_mtime_ns),
            self._client.options,
        )
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def _recall(self, key: str) -> PreparedHost | None:
        try:
            kept = json.loads(self._record.read_bytes())
            if kept.pop("key") != key:
                return None
            return PreparedHost(
                image=str(kept["image"]),
                runtime=tuple(map(str, kept["runtime"])),
                has_groups=bool(kept["has_groups"]),
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None


def failure(engine: Engine, answer: EngineAnswer) -> Unavailable:
    """Say that an engine does not do what it was asked."""
    said = answer.complaint.rpartition("\n")[2].removeprefix("Error: ").rstrip(".?!")
    return Unavailable(f"{engine.name} failed: {said or 'it said nothing'}.")


def write(path: Path, content: bytes) -> None:
    """Replace a file as a whole."""
    draft = path.with_suffix(f".{os.getpid()}")
    draft.write_bytes(content)
    draft.replace(path)


def _trial(image: str, limits: tuple[str, ...]) -> tuple[str, ...]:
    mounts = [bind(Mount(source=place, target=place)) for place in own_directories()]
    show = 'for file; do if test -e "$file"; then cat "$file"; fi; done'
    return (
        *("run", "--rm", "--pull", "never", "--network", "none", "--log-driver", "none"),
        *kernel_limit_words(EXECUTOR_LIMITS, is_own_user=False),
        *limits,
        *(word for mount in mounts for word in ("--mount", mount)),
        *(image, "/usr/bin/env", "PATH=/usr/bin:/bin", "sh", "-c", show, "show"),
        *(f"/sys/fs/cgroup/{name}" for name in _SHOWN),
    )


def _are_in_force(shown: str, limits: ResourceLimits) -> bool:
    wanted = (limits.memory, limits.processes, int(limits.cpus * _PERIOD))
    return {str(number) for number in wanted} <= set(shown.split())
