"""Listens to a model: passes its words on, keeps them within bounds, and never repeats a key."""

from collections.abc import Callable
from typing import Final, TypeGuard

from supervisor_ai.domain.run.values import NO_USAGE, Usage
from supervisor_ai.engine.ports.sandbox import Channel, OutputSink
from supervisor_ai.engine.ports.workers import (
    ObservationSink,
    UsageSeen,
    WorkerSaid,
    WorkerStarted,
)
from supervisor_ai.workers.api.exchange import TooMuch
from supervisor_ai.workers.api.reply import ModelReply

MASK: Final = "[key]"
_REMARK: Final = 500
_SHORTEST: Final = 12

Cover = Callable[[str], str]


def is_secret(key: str | None) -> TypeGuard[str]:
    """Tell a key from the word that a service without keys wants in its place, such as `none`."""
    return key is not None and len(key) >= _SHORTEST


def cover(key: str | None) -> Cover:
    """Return what hides a key in a text: a service may repeat it in what it says."""
    return (lambda text: text.replace(key, MASK)) if is_secret(key) else (lambda text: text)


class ResponseStream:
    """Hears one reply."""

    def __init__(
        self,
        *,
        key: str | None,
        most_bytes: int,
        on_output: OutputSink,
        on_observation: ObservationSink,
    ) -> None:
        self._cover = cover(key)
        # As much as could be the beginning of a key is held back until it is known not to be one.
        self._held = len(key) - 1 if is_secret(key) else 0
        self._left = self._most = most_bytes
        self._on_output = on_output
        self._on_observation = on_observation
        self._heard: list[str] = []
        self._pending = ""
        self._remark = ""
        self._has_started = False
        self._usage: Usage = NO_USAGE

    @property
    def text(self) -> str:
        """Return everything that was said."""
        return self._cover("".join(self._heard))

    def listen(self, reply: ModelReply, model: str) -> None:
        """Take what is new in a reply."""
        if not self._has_started:
            self._has_started = True
            named = self._cover(reply.model or model)
            session = self._cover(reply.session) if reply.session else None
            self._on_observation(WorkerStarted(session=session, model=named))
        if said := reply.take():
            self._hear(said)
        if reply.usage not in {self._usage, NO_USAGE}:
            self._usage = reply.usage
            self._on_observation(UsageSeen(usage=reply.usage))

    def end(self) -> None:
        """Pass on what was held back."""
        self._pass_on(self._cover(self._pending))
        self._pending = ""
        self._tell()

    def _hear(self, said: str) -> None:
        self._left -= len(said.encode(errors="replace"))
        if self._left < 0:
            raise TooMuch(f"The answer is longer than {self._most} bytes.")
        self._heard.append(said)
        covered = self._cover(self._pending + said)
        cut = max(0, len(covered) - self._held)
        self._pending = covered[cut:]
        self._pass_on(covered[:cut])

    def _pass_on(self, text: str) -> None:
        if text:
            self._on_output(Channel.STDOUT, text.encode(errors="replace"))
            self._remark += text
        if len(self._remark) >= _REMARK or "\n" in self._remark:
            self._tell()

    def _tell(self) -> None:
        if self._remark.strip():
            self._on_observation(WorkerSaid(text=self._remark))
        self._remark = ""
