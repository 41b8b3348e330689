"""Output on its way to an artifact and to a person: plain, without secrets."""

import codecs
from collections.abc import Callable

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.terminal import PlainStream
from supervisor_ai.engine.ports.artifacts import Artifacts
from supervisor_ai.engine.ports.redaction import Redactor
from supervisor_ai.engine.ports.sandbox import Channel

_DECODER = codecs.getincrementaldecoder("utf-8")
Listener = Callable[[str], None]


class _Cleaner:
    """Cleans one channel, piece by piece."""

    def __init__(self, redactor: Redactor) -> None:
        self._decoder = _DECODER(errors="replace")
        self._plain = PlainStream()
        self._secrets = redactor.stream()

    def feed(self, chunk: bytes) -> str:
        return self._secrets.feed(self._plain.feed(self._decoder.decode(chunk)))

    def close(self) -> str:
        rest = self._plain.feed(self._decoder.decode(b"", final=True)) + self._plain.close()
        return self._secrets.feed(rest) + self._secrets.close()

    @property
    def count(self) -> int:
        return self._secrets.count


def _hush(text: str) -> None:
    del text


class Transcript:
    """What a command printed, as it is kept and shown."""

    def __init__(self, artifacts: Artifacts, redactor: Redactor, listener: Listener) -> None:
        self._writer = artifacts.writer()
        self._listener = listener
        self._cleaners = {channel: _Cleaner(redactor) for channel in Channel}

    def mute(self) -> None:
        """Show no more of it; it is still kept."""
        self._listener = _hush

    def write(self, channel: Channel, chunk: bytes) -> None:
        """Take a piece of output."""
        self._pass_on(self._cleaners[channel].feed(chunk))

    def finish(self) -> ArtifactHash:
        """Keep the whole and name it."""
        for cleaner in self._cleaners.values():
            self._pass_on(cleaner.close())
        return self._writer.finish()

    def abandon(self) -> None:
        """Forget what was written; harmless after `finish`."""
        self._writer.abandon()

    @property
    def redactions(self) -> int:
        """Return how many secrets were taken out."""
        return sum(cleaner.count for cleaner in self._cleaners.values())

    def _pass_on(self, text: str) -> None:
        if text:
            self._writer.write(text)
            self._listener(text)
