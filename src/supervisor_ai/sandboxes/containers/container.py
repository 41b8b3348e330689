"""A container from its start to its removal."""

import os
import subprocess
import time
from collections.abc import Sequence
from typing import Final

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.sandboxes.containers.control_channel import ControlChannel
from supervisor_ai.sandboxes.containers.engine import Client, see_through
from supervisor_ai.sandboxes.processes.live_process import Hold, readable

_PATIENCE: Final = 20.0
"""How long a client may take to remove its container once that has ended."""
_PAUSE: Final = 0.1
_MOST: Final = 4096
_ABSENT: Final = "no such container"


class Container:
    """Starts a container and sees to it that nothing of it is left.

    The client stays as long as its container and removes it. The container may outlive a client
    that is killed; then the engine is asked to remove it by name.
    """

    def __init__(self, client: Client, name: str, words: Sequence[str], errors: int) -> None:
        self.keeper: Hold | None = None
        """The first process inside: when it is dead, all are."""
        self._client = client
        self._name = name
        self._errors = errors
        self._process = client.start(words, errors)
        try:
            self._outer = Hold.on_child(self._process.pid)
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise

    @property
    def complaint(self) -> str:
        """Return the last words of the client, which may be those of the first process."""
        said = os.pread(self._errors, os.fstat(self._errors).st_size, 0)[-_MOST:]
        last = said.decode(errors="replace").strip().rpartition("\n")[2]
        return last.removeprefix("Error: ").rstrip(".") or "the container ended without a word"

    async def admit(self, control: ControlChannel) -> Hold | None:
        """Wait until the first process comes, or until it is clear that it will not."""
        await readable(control.fileno(), self._outer.fileno())
        process = control.admit()
        self.keeper = Hold.on(process) if process else None
        return self.keeper

    async def end(self) -> None:
        """Kill and remove it; when this returns, or is cancelled, nothing is left."""
        await see_through(self._end)

    def _end(self) -> None:
        if self.keeper is not None:
            self.keeper.kill()
        try:
            self._see_client_off()
            if self._process.returncode != 0:
                self._remove()
        finally:
            for hold in (self._outer, self.keeper):
                if hold is not None:
                    hold.close()

    def _see_client_off(self) -> None:
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            # Whatever it waits for, the engine itself is asked to remove the container.
            self._process.kill()
            self._process.wait()

    def _remove(self) -> None:
        if self.keeper is None or self.keeper.is_alive:
            kill(self._client, self._name)
        remove(self._client, self._name)


def kill(client: Client, name: str) -> bool:
    """Kill a container at once; tell whether it lived."""
    return client.ask_now("kill", name).is_good


def remove(client: Client, name: str) -> None:
    """Remove a container that is dead, if it exists; an engine may be about to do so itself."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        answer = client.ask_now("rm", "--force", name)
        if answer.is_good or _ABSENT in answer.complaint.lower():
            return
        if time.monotonic() > deadline:
            raise Unavailable(
                f"The container {name!r} could not be removed: {answer.complaint}",
                hint=f"Remove it by hand: {client.executable.name} rm --force {name}",
            )
        time.sleep(_PAUSE)
