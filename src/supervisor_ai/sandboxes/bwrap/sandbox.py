"""The sandbox that bubblewrap makes: of the host, only what the command needs."""

import asyncio
import os
import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import (
    OutputSink,
    Probe,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.sandboxes.bwrap.arguments import View
from supervisor_ai.sandboxes.bwrap.command_session import BwrapSession
from supervisor_ai.sandboxes.bwrap.kept_self_test import prove
from supervisor_ai.sandboxes.bwrap.privileged_start import PrivilegedStarter
from supervisor_ai.sandboxes.bwrap.run_as import RunAs, SameUser, SlotUser
from supervisor_ai.sandboxes.bwrap.seccomp import build_filter
from supervisor_ai.sandboxes.bwrap.start import Program, SandboxRoom, start
from supervisor_ai.sandboxes.host_view.allowed_paths import find_detour
from supervisor_ai.sandboxes.host_view.hidden_secrets import SecretCovers
from supervisor_ai.sandboxes.host_view.package_registries import with_registries
from supervisor_ai.sandboxes.outcome import check_words, describe, sandbox_failed
from supervisor_ai.sandboxes.processes.inherited_fds import InheritedFds
from supervisor_ai.sandboxes.processes.register import ProcessRegister
from supervisor_ai.sandboxes.processes.user_slots import Slots
from supervisor_ai.sandboxes.resource_limits.cgroups import Cgroups, find_cgroups
from supervisor_ai.sandboxes.resource_limits.guard import guarding
from supervisor_ai.sandboxes.resource_limits.limit_findings import find_limits
from supervisor_ai.sandboxes.resource_limits.rlimits import SPACES
from supervisor_ai.sandboxes.toolchains.missing_commands import how_to_show
from supervisor_ai.sandboxes.toolchains.toolchain import Toolchain, find_toolchain
from supervisor_ai.sandboxes.visible_host import make_visible_host
from supervisor_ai.tools.programs import find_program

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
        find_cgroups: Callable[[], Cgroups | None] = find_cgroups,
    ) -> None:
        self._state = state
        self._environment = environment
        self._home = Path(environment.get("HOME") or Path.home())
        self._executable = executable or Path(find_program("bwrap", _SYSTEM_PATH) or _USUAL)
        self._find_cgroups = find_cgroups
        self._slots = Slots(state / "slots", first_user)
        self._covers = SecretCovers(state / "covers")
        self._register = ProcessRegister(state / "processes")
        self._launchpad = PrivilegedStarter(self._executable)

    @property
    def name(self) -> str:
        """Name the backend, as the ledger records it."""
        return "bubblewrap"

    async def run(self, spec: SandboxSpec, on_output: OutputSink) -> SandboxResult:
        """Run the command and pass its output on as it comes."""
        check_words(spec)
        spec = with_registries(spec, self._environment, self._home)
        world = make_visible_host(
            spec, self._toolchain, self._covers, self._environment, self._home
        )
        if detour := find_detour(world.mounts, spec.mounts):
            return sandbox_failed(f"{str(detour)!r} is a link where a worker can make links")
        with self._room(spec) as room:
            try:
                shown = await room.tenant.move_in(world.mounts)
                view = View(
                    spaces=SPACES[spec.profile],
                    mounts=shown,
                    environment=world.variables,
                    cwd=spec.cwd,
                )
                started = start(self._program, spec, view, room)
            except OSError as error:
                return sandbox_failed(describe(error))
            attendance = BwrapSession(started, spec, room, lambda: self._how_to_show(spec))
            return replace(await attendance.attend(on_output), hidden=world.hidden)

    async def cpu_time(self, label: str) -> timedelta | None:
        """Say what the live command of this label has used so far."""
        return await asyncio.to_thread(self._register.cpu_time, label)

    async def reap(self, prefix: str, *, before: int) -> int:
        """Kill what still lives of commands whose label begins so; return how many there were."""
        return await self._register.reap(prefix, before=before)

    async def probe(self) -> Probe:
        """Prove from inside what the sandbox enforces."""
        return await prove(self, self._executable, self._state, find_limits(self._cgroups))

    @cached_property
    def _toolchain(self) -> Toolchain:
        return find_toolchain(self._environment, self._home)

    @cached_property
    def _cgroups(self) -> Cgroups | None:
        return self._find_cgroups()

    @cached_property
    def _program(self) -> Program:
        return Program(executable=self._executable, rules=build_filter(platform.machine()))

    def _how_to_show(self, spec: SandboxSpec) -> str:
        return how_to_show(spec.argv[0], self._environment, self._home)

    @contextmanager
    def _room(self, spec: SandboxSpec) -> Iterator[SandboxRoom]:
        parents = self._cgroups.parents if self._cgroups else ()
        with (
            self._tenancy() as tenant,
            self._register.entry(spec.label, fence=spec.fence, parents=parents) as entry,
            guarding(spec, self._cgroups, entry.mark) as guard,
            InheritedFds() as files,
        ):
            yield SandboxRoom(tenant=tenant, entry=entry, files=files, guard=guard)

    @contextmanager
    def _tenancy(self) -> Iterator[RunAs]:
        if os.geteuid() != 0:
            yield SameUser(self._launchpad)
            return
        with self._slots.claim() as user:
            yield SlotUser(user, self._slots.users, self._launchpad)
