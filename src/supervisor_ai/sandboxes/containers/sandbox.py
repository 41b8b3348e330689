"""The sandbox that a container engine makes: of the host, only what the command needs."""

import asyncio
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.run.values import Process
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import (
    OutputSink,
    Probe,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.sandboxes.containers.command_files import CommandFiles, wired
from supervisor_ai.sandboxes.containers.command_session import ContainerSession
from supervisor_ai.sandboxes.containers.container import Container, kill, remove
from supervisor_ai.sandboxes.containers.control_channel import ControlChannel
from supervisor_ai.sandboxes.containers.directories import ContainerDirectories
from supervisor_ai.sandboxes.containers.engine import (
    DOCKER,
    PODMAN,
    STATE,
    Client,
    Engine,
    see_through,
)
from supervisor_ai.sandboxes.containers.kept_self_test import prove
from supervisor_ai.sandboxes.containers.preparation import Preparation, failure
from supervisor_ai.sandboxes.containers.run_as import invite
from supervisor_ai.sandboxes.containers.run_options import (
    Host,
    Lodger,
    PreparedHost,
    label_of,
    run_words,
)
from supervisor_ai.sandboxes.host_view.allowed_paths import find_detour
from supervisor_ai.sandboxes.host_view.hidden_secrets import SecretCovers
from supervisor_ai.sandboxes.host_view.package_registries import with_registries
from supervisor_ai.sandboxes.outcome import check_words, describe, sandbox_failed
from supervisor_ai.sandboxes.processes.live_process import identify
from supervisor_ai.sandboxes.processes.user_slots import Slots
from supervisor_ai.sandboxes.resource_limits.cgroups import Group
from supervisor_ai.sandboxes.resource_limits.disk_usage import writable_disk
from supervisor_ai.sandboxes.resource_limits.guard import Guard
from supervisor_ai.sandboxes.resource_limits.process_usage import cpu_time
from supervisor_ai.sandboxes.toolchains.missing_commands import how_to_show
from supervisor_ai.sandboxes.toolchains.toolchain import Toolchain, find_toolchain
from supervisor_ai.sandboxes.visible_host import make_visible_host


class ContainerSandbox:
    """Runs each command in a container of its own: no network, no secrets, nothing left behind.

    `options` tell the client which engine to speak to, where it is not the usual one.
    """

    _engine: ClassVar[Engine]

    def __init__(
        self,
        *,
        state: Path,
        environment: Mapping[str, str],
        executable: Path | None = None,
        options: Sequence[str] = (),
        first_user: int = 61_000,
    ) -> None:
        self._state = state
        self._environment = environment
        self._home = Path(environment.get("HOME") or Path.home())
        self._client = Client(
            self._engine, environment=environment, executable=executable, options=options
        )
        self._slots = Slots(state / "slots", first_user)
        self._covers = SecretCovers(state / "covers")
        self._rooms = ContainerDirectories(state / "containers")
        self._preparation = Preparation(self._engine, self._client, state / "engines")
        self._prepared: PreparedHost | None = None
        self._live: list[ContainerSession] = []

    @property
    def name(self) -> str:
        """Name the backend, as the ledger records it."""
        return self._engine.name

    async def run(self, spec: SandboxSpec, on_output: OutputSink) -> SandboxResult:
        """Run the command and pass its output on as it comes."""
        check_words(spec)
        spec = with_registries(spec, self._environment, self._home)
        world = make_visible_host(
            spec, self._toolchain, self._covers, self._environment, self._home
        )
        if detour := find_detour(world.mounts, spec.mounts):
            return sandbox_failed(f"{str(detour)!r} is a link where a worker can make links")
        with ExitStack() as stack:
            try:
                host = self._host(await self.prepare())
                room = stack.enter_context(self._rooms.take())
                guest = stack.enter_context(invite(self._slots))
                await guest.move_in(world.mounts)
                mounts = (*room.furnish(guest.user), *world.mounts)
                lodger = Lodger(
                    name=room.place.name, guest=guest, mounts=mounts, writable=world.writable
                )
                control = stack.enter_context(ControlChannel(room.way, guest.user))
                wiring = stack.enter_context(wired(spec, world.variables, control, guest.user))
                attendance = self._start(spec, lodger, host, wiring)
            except OSError as error:
                return sandbox_failed(describe(error))
            except Unavailable as error:
                return sandbox_failed(error.message.rstrip("."))
            return replace(await self._attend(attendance, on_output), hidden=world.hidden)

    async def cpu_time(self, label: str) -> timedelta | None:
        """Add up what the processes of a live container have used, as the host sees them.

        No control group is asked: which version there is, and what it counts, is the machine's.
        """
        roots = [it.pid for it in self._first_processes(label) if identify(it.pid) == it]
        return await asyncio.to_thread(cpu_time, roots) if roots else None

    def _first_processes(self, label: str) -> Iterator[Process]:
        for session in self._live:
            keeper = session.container.keeper
            if session.spec.label == label and keeper is not None:
                yield keeper.process

    async def reap(self, prefix: str, *, before: int) -> int:
        """Remove the containers of commands whose label begins so; return how many lived."""
        return await see_through(lambda: self._reap(prefix, before))

    async def probe(self) -> Probe:
        """Prove from inside what the sandbox enforces."""
        return await prove(self, self._engine, self._client, self._state)

    async def prepare(self) -> PreparedHost:
        """Find out how containers are started here; raise Unavailable when they cannot be."""
        if self._prepared is None:
            self._prepared = await self._preparation.get()
        return self._prepared

    @cached_property
    def _toolchain(self) -> Toolchain:
        return find_toolchain(self._environment, self._home)

    @cached_property
    def _state_name(self) -> str:
        return hashlib.sha256(os.fsencode(self._state.resolve())).hexdigest()[:20]

    def _host(self, prepared: PreparedHost) -> Host:
        return Host(
            engine=self._engine,
            prepared=prepared,
            seccomp=self._preparation.seccomp,
            state=self._state_name,
        )

    def _start(
        self, spec: SandboxSpec, lodger: Lodger, host: Host, wiring: CommandFiles
    ) -> ContainerSession:
        guard = _guard(spec, host.prepared)
        words = run_words(host, lodger, spec)
        return ContainerSession(
            spec=spec,
            container=Container(self._client, lodger.name, words, wiring.complaints),
            wiring=wiring,
            guard=guard,
            guest=lodger.guest,
            how_to_show=lambda: how_to_show(spec.argv[0], self._environment, self._home),
        )

    async def _attend(self, attendance: ContainerSession, on_output: OutputSink) -> SandboxResult:
        self._live.append(attendance)
        try:
            result = await attendance.attend(on_output)
        finally:
            self._live = [it for it in self._live if it is not attendance]
        if attendance.container.keeper is None:
            # What was prepared may be gone by now: the image, or the runtime.
            self._prepared = None
            self._preparation.forget()
        return result

    def _reap(self, prefix: str, before: int) -> int:
        alive = 0
        for name, fence, label in self._containers():
            if label_of(label).startswith(prefix) and int(fence) < before:
                alive += kill(self._client, name)
                remove(self._client, name)
        self._rooms.clear()
        return alive

    def _containers(self) -> list[list[str]]:
        answer = self._client.ask_now(
            *("ps", "--all", "--filter", f"label={STATE}={self._state_name}"),
            *("--format", self._engine.listing),
        )
        if not answer.is_good:
            raise failure(self._engine, answer)
        return [line.split("\t") for line in answer.text.splitlines()]


class PodmanSandbox(ContainerSandbox):
    """Containers of podman, which needs no daemon and, with user namespaces, no root."""

    _engine = PODMAN


class DockerSandbox(ContainerSandbox):
    """Containers of a docker daemon on this machine."""

    _engine = DOCKER


def _guard(spec: SandboxSpec, prepared: PreparedHost) -> Guard:
    # The engine has put the container in a group of its own: there is nothing left to join.
    group = Group(()) if prepared.has_groups else None
    return Guard(spec.limits, group=group, files=writable_disk(spec.mounts, spec.limits))
