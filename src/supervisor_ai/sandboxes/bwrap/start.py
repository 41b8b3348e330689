"""Starting bubblewrap with its options, files and channels in place."""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from supervisor_ai.engine.ports.sandbox import Channel, SandboxSpec
from supervisor_ai.sandboxes.bwrap.arguments import View, arguments
from supervisor_ai.sandboxes.bwrap.bwrap_process import BwrapProcess
from supervisor_ai.sandboxes.bwrap.run_as import RunAs, StartFiles
from supervisor_ai.sandboxes.bwrap.start_barrier import StartBarrier
from supervisor_ai.sandboxes.processes.inherited_fds import InheritedFds
from supervisor_ai.sandboxes.processes.register import RegisterEntry
from supervisor_ai.sandboxes.resource_limits.guard import Guard


class Program(Struct, frozen=True, kw_only=True):
    """Bubblewrap, and the filter for system calls that it is to load."""

    executable: Path
    rules: bytes


class SandboxRoom(Struct, frozen=True, kw_only=True):
    """What one command has to itself for as long as it runs."""

    tenant: RunAs
    entry: RegisterEntry
    files: InheritedFds
    guard: Guard


class Started(Struct, frozen=True, kw_only=True):
    """A bubblewrap that waits for admission, and the channels of the command."""

    containment: BwrapProcess
    channels: Mapping[int, Channel]


def start(program: Program, spec: SandboxSpec, view: View, room: SandboxRoom) -> Started:
    """Start bubblewrap with an empty environment and no file but those that it is told of."""
    files = room.files
    status, output, errors = files.notebook(), files.pipe(), files.pipe()
    gate = StartBarrier(files, program.rules)
    options = _options(view, room, ("--json-status-fd", files.number(status), *gate.options))
    command = [os.fspath(program.executable), *options, "--", *spec.argv]
    wiring = StartFiles(
        stdin=files.file(spec.stdin),
        stdout=output.theirs,
        stderr=errors.theirs,
        numbered=tuple(files.numbered),
        groups=room.guard.doors,
    )
    process = room.tenant.start(command, spec.limits, wiring)
    files.hand_over()
    try:
        containment = BwrapProcess(process, room.entry, gate, status)
    except BaseException:
        process.kill()
        process.wait()
        raise
    channels = {output.ours: Channel.STDOUT, errors.ours: Channel.STDERR}
    return Started(containment=containment, channels=channels)


def _options(view: View, room: SandboxRoom, wiring: tuple[str, ...]) -> list[str]:
    files = room.files
    hidden = [
        word if isinstance(word, str) else files.number(files.file(word))
        for word in arguments(view)
    ]
    content = os.fsencode("\0".join([*hidden, *wiring, ""]))
    # The mark has to be seen from outside; as the name of a variable to unset it does nothing.
    return ["--args", files.number(files.file(content)), "--unsetenv", room.entry.mark]
