"""Error messages of bubblewrap, told from those of the command that it runs."""

import asyncio
from typing import Final

from supervisor_ai.engine.ports.sandbox import Channel, OutputSink

LAUNCHER: Final = "launcher"
_SPEAKERS: Final = tuple(f"{name}: ".encode() for name in ("bwrap", LAUNCHER))
_MOST: Final = 1 << 13
_EXEC: Final = "bwrap: execvp "


class Overture:
    """Holds back the first words on the error channel while they may be a complaint of ours."""

    def __init__(self, sink: OutputSink) -> None:
        self._sink = sink
        self._held = b""
        self._is_over = False

    def __call__(self, channel: Channel, heard: bytes) -> "asyncio.Future[None] | None":
        """Pass output on, or keep it until it is clear who spoke."""
        if channel is not Channel.STDERR or self._is_over:
            return self._sink(channel, heard)
        self._held += heard
        if len(self._held) > _MOST or not _may_be_ours(self._held):
            self.release()
        return None

    def release(self) -> None:
        """Pass on what was held back: the command spoke."""
        held, self._held, self._is_over = self._held, b"", True
        if held:
            self._sink(Channel.STDERR, held)

    @property
    def complaint(self) -> str:
        """Return what was held back: bubblewrap, or what starts it, spoke."""
        return self._held.decode(errors="replace").strip()


def exec_failure(complaint: str) -> str | None:
    """Return the system's reason if the complaint is that the command cannot be executed."""
    line = complaint.rpartition("\n")[2]
    return line.rpartition(": ")[2] if line.startswith(_EXEC) else None


def _may_be_ours(heard: bytes) -> bool:
    return any(heard.startswith(speaker) or speaker.startswith(heard) for speaker in _SPEAKERS)
