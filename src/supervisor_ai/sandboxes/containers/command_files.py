"""The files that a command in a container is given, and the orders that come with them."""

import json
import os
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from msgspec import Struct

from supervisor_ai.engine.ports.sandbox import Channel, SandboxSpec
from supervisor_ai.sandboxes.containers.control_channel import ControlChannel
from supervisor_ai.sandboxes.containers.init_process import InitOrders
from supervisor_ai.sandboxes.egress.listener_handoff import shim_command
from supervisor_ai.sandboxes.processes.inherited_fds import InheritedFds

_WAY_OUT: Final = "3"
"""The number under which the shim finds its socket: the first after the three channels."""


class CommandFiles(Struct, frozen=True, kw_only=True):
    """Our ends of everything that leads into a container."""

    control: ControlChannel
    channels: Mapping[int, Channel]
    complaints: int
    """What the engine's client writes its complaints into."""
    way_out: socket.socket | None
    """Through which the shim hands over its listener, where there is a shim."""
    files: InheritedFds
    given: tuple[int, ...]
    """The container's ends, the orders first."""

    def hand_over(self) -> None:
        """Send the container its ends, with which the command begins."""
        self.control.order(self.given)
        self.files.hand_over()


@contextmanager
def wired(
    spec: SandboxSpec, environment: Mapping[str, str], control: ControlChannel, user: int
) -> Iterator[CommandFiles]:
    """Make the files; ours close with the context, the container's once they are handed over."""
    with InheritedFds() as files:
        output, errors = files.pipe(), files.pipe()
        for pipe in (output, errors):
            # Who opens /dev/stdout opens the pipe anew, and only its owner may.
            os.fchown(pipe.theirs, user, -1)
        ours, theirs = files.socket() if spec.egress else (None, None)
        orders = files.file(_orders(spec, environment, is_through_door=ours is not None))
        given = (orders, files.file(spec.stdin), output.theirs, errors.theirs, theirs)
        yield CommandFiles(
            control=control,
            channels={output.ours: Channel.STDOUT, errors.ours: Channel.STDERR},
            complaints=files.notebook(),
            way_out=ours,
            files=files,
            given=tuple(fd for fd in given if fd is not None),
        )


def _orders(spec: SandboxSpec, environment: Mapping[str, str], *, is_through_door: bool) -> bytes:
    python = os.path.realpath(sys.executable)
    orders: InitOrders = {
        "argv": list(shim_command(python, _WAY_OUT, spec.argv) if is_through_door else spec.argv),
        "environment": {"PWD": os.fspath(spec.cwd), **environment},
        "cwd": os.fspath(spec.cwd),
    }
    return json.dumps(orders).encode()
