"""The sandbox that bubblewrap makes: of the host, only what the command needs."""

import asyncio
import os
import platform
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Final

from supervisor_ai.engine.ports.sandbox import (
    Mount,
    OutputSink,
    Probe,
    SandboxEnd,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.sandboxes.arguments import HOME, TEMPORARY, View
from supervisor_ai.sandboxes.complaint import Overture, exec_failure
from supervisor_ai.sandboxes.containment import Containment
from supervisor_ai.sandboxes.conversation import Conversation
from supervisor_ai.sandboxes.exposure import find_detour, read_only_paths
from supervisor_ai.sandboxes.inheritance import Inheritance
from supervisor_ai.sandboxes.limits import LIMITS
from supervisor_ai.sandboxes.outcome import (
    check_words,
    command_missing,
    describe,
    ended,
    sandbox_failed,
)
from supervisor_ai.sandboxes.proof import prove
from supervisor_ai.sandboxes.register import ProcessRegister
from supervisor_ai.sandboxes.seccomp import build_filter
from supervisor_ai.sandboxes.slots import Slots
from supervisor_ai.sandboxes.start import Program, Room, Started, start
from supervisor_ai.sandboxes.tenant import SameUser, SlotUser, Tenant
from supervisor_ai.sandboxes.toolchain import Toolchain, find_toolchain

_ENVIRONMENT: Final = {"HOME": HOME, "TMPDIR": TEMPORARY, "LANG": "C.UTF-8", "TERM": "dumb"}
_HOW_TO_SHOW: Final = (
    " If it, or the interpreter that its first line names, is installed outside /usr, let the"
    " sandbox show its directory, in the configuration: `sandbox: {ro_paths: [/its/directory]}`."
)
_SYSTEM_PATH: Final = "/usr/bin:/usr/local/bin:/bin"
_USUAL: Final = "/usr/bin/bwrap"


class BubblewrapSandbox:
    """Runs commands in a world of their own: no network, no secrets, no way to stay behind."""

    def __init__(
        self,
        *,
        state: Path,
        environment: Mapping[str, str],
        executable: Path | None = None,
        first_user: int = 61_000,
    ) -> None:
        self._state = state
        self._environment = environment
        self._home = Path(environment.get("HOME") or Path.home())
        self._executable = executable or Path(shutil.which("bwrap", path=_SYSTEM_PATH) or _USUAL)
        self._slots = Slots(state / "slots", first_user)
        self._register = ProcessRegister(state / "processes")

    @property
    def name(self) -> str:
        """Name the backend, as the ledger records it."""
        return "bubblewrap"

    async def run(self, spec: SandboxSpec, on_output: OutputSink) -> SandboxResult:
        """Run the command and pass its output on as it comes."""
        check_words(spec)
        mounts = self._mounts(spec)
        if detour := find_detour(mounts):
            return sandbox_failed(f"{str(detour)!r} is a link where a worker can make links")
        with self._room(spec) as room:
            try:
                shown = await room.tenant.move_in(mounts)
                started = start(self._program, spec, self._view(spec, shown), room)
            except OSError as error:
                return sandbox_failed(describe(error))
            return await _attend(started, spec, on_output)

    async def reap(self, prefix: str, *, before: int) -> int:
        """Kill what still lives of commands whose label begins so; return how many there were."""
        return await self._register.reap(prefix, before=before)

    async def probe(self) -> Probe:
        """Prove from inside what the sandbox enforces."""
        return await prove(self, self._executable, self._state)

    @cached_property
    def _toolchain(self) -> Toolchain:
        return find_toolchain(self._environment, self._home)

    @cached_property
    def _program(self) -> Program:
        return Program(executable=self._executable, rules=build_filter(platform.machine()))

    def _mounts(self, spec: SandboxSpec) -> tuple[Mount, ...]:
        added = read_only_paths(spec.ro_paths, self._home)
        shown = (Mount(source=path, target=path) for path in (*self._toolchain.roots, *added))
        return (*shown, *spec.mounts)

    def _view(self, spec: SandboxSpec, mounts: tuple[Mount, ...]) -> View:
        path = self._toolchain.search_path(mount.target for mount in mounts)
        return View(
            limits=LIMITS[spec.profile],
            mounts=mounts,
            environment={"PATH": path, **_ENVIRONMENT, **spec.environment},
            cwd=spec.cwd,
        )

    @contextmanager
    def _room(self, spec: SandboxSpec) -> Iterator[Room]:
        with (
            self._tenancy() as tenant,
            self._register.entry(spec.label, fence=spec.fence) as entry,
            Inheritance() as files,
        ):
            yield Room(tenant=tenant, entry=entry, files=files)

    @contextmanager
    def _tenancy(self) -> Iterator[Tenant]:
        if os.geteuid() != 0:
            yield SameUser()
            return
        with self._slots.claim() as user:
            yield SlotUser(user, self._slots.users)


async def _attend(started: Started, spec: SandboxSpec, on_output: OutputSink) -> SandboxResult:
    overture = Overture(on_output)
    conversation = Conversation(started.channels, overture, spec.output_bytes)
    containment = started.containment
    try:
        end = await _listen(containment, conversation, spec.timeout.total_seconds())
    finally:
        await containment.end()
    end = conversation.hear_rest(end)
    if end is SandboxEnd.EXITED and containment.exit_code is None:
        return _not_run(spec, overture.complaint)
    overture.release()
    return ended(end, spec, containment.exit_code)


async def _listen(
    containment: Containment, conversation: Conversation, patience: float
) -> SandboxEnd:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience
    try:
        async with asyncio.timeout_at(deadline):
            await containment.admit()
    except TimeoutError:
        return SandboxEnd.TIMED_OUT
    return await conversation.listen(containment.outer, max(0.0, deadline - loop.time()))


def _not_run(spec: SandboxSpec, complaint: str) -> SandboxResult:
    if why := exec_failure(complaint):
        return command_missing(spec, why, _HOW_TO_SHOW)
    return sandbox_failed(complaint or "bubblewrap was killed")
