"""Output on its way to an artifact and to a person: plain, without secrets."""

import asyncio
import codecs
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Final, NamedTuple

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.terminal import PlainStream, plain
from supervisor_ai.engine.ports.artifacts import Artifacts
from supervisor_ai.engine.ports.redaction import Redactor
from supervisor_ai.engine.ports.sandbox import Channel
from supervisor_ai.tools.threads import finish_in_thread

_DECODER = codecs.getincrementaldecoder("utf-8")
_MOST_WAITING: Final = 1 << 20
"""Whoever brings more than this has to wait until it is cleaned."""

_BLOCK: Final = 1 << 16
"""More at once is slower: it leaves the processor's cache, and one odd letter widens all of it."""

Listener = Callable[[str], None]


class _Cleaner:
    """Cleans one channel, piece by piece."""

    def __init__(self, redactor: Redactor) -> None:
        self._decoder = _DECODER(errors="replace")
        self._plain = PlainStream()
        self._secrets = redactor.stream()

    def feed(self, said: bytes) -> Iterator[str]:
        for at in range(0, len(said), _BLOCK):
            text = self._decoder.decode(said[at : at + _BLOCK])
            yield self._secrets.feed(self._plain.feed(text))

    def close(self) -> str:
        rest = self._plain.feed(self._decoder.decode(b"", final=True)) + self._plain.close()
        return self._secrets.feed(rest) + self._secrets.close()

    @property
    def count(self) -> int:
        return self._secrets.count


def _hush(text: str) -> None:
    del text


class _Piece(NamedTuple):
    """Output as it came, or words about it, which have no channel; and who is to see them."""

    said: bytes
    channel: Channel | None
    listener: Listener


class _Shown(NamedTuple):
    text: str
    listener: Listener


class Transcript:
    """What a command printed, as it is kept and shown.

    Pieces are cleaned and written in a thread, in their order: however long that takes, whoever
    else lives in the loop goes on. Nothing is written that has not been cleaned.
    """

    def __init__(self, artifacts: Artifacts, redactor: Redactor, listener: Listener) -> None:
        self._writer = artifacts.writer()
        self._redactor = redactor
        self._shown = listener
        self._listener = listener
        self._cleaners = {channel: _Cleaner(redactor) for channel in Channel}
        self._waiting: list[_Piece] = []
        self._backlog = 0
        self._cleaning: asyncio.Future[None] | None = None

    def mute(self) -> None:
        """Show no more of it; it is still kept."""
        self._listener = _hush

    def write(self, channel: Channel, chunk: bytes) -> asyncio.Future[None] | None:
        """Take a piece of output; who is given a future brings no more before it is done."""
        return self._take(_Piece(chunk, channel, self._listener))

    def remark(self, words: str) -> None:
        """Show words about the output in their place, without secrets; they are not kept."""
        self._take(_Piece(words.encode(errors="replace"), None, self._shown))

    async def finish(self) -> ArtifactHash:
        """Keep the whole and name it."""
        if self._cleaning is not None:
            await self._cleaning
        artifact, rest = await finish_in_thread(self._close)
        self._show(rest)
        return artifact

    def abandon(self) -> None:
        """Forget what was written; harmless after `finish`."""
        self._waiting.clear()
        if self._cleaning is None:
            self._writer.abandon()
        else:
            # A thread may be writing: what it writes into goes when it is done.
            self._cleaning.add_done_callback(self._forget)
            self._cleaning.cancel()

    @property
    def redactions(self) -> int:
        """Return how many secrets were taken out."""
        return sum(cleaner.count for cleaner in self._cleaners.values())

    def _forget(self, cleaning: asyncio.Future[None]) -> None:
        # Whoever finishes or writes on hears of a failure; whoever abandons does not care.
        _ = cleaning.cancelled() or cleaning.exception()
        self._writer.abandon()

    def _take(self, piece: _Piece) -> asyncio.Future[None] | None:
        if self._cleaning is not None and self._cleaning.done():
            # What went wrong with the pieces before does not get better with this one.
            self._cleaning.result()
            self._cleaning = None
        self._waiting.append(piece)
        self._backlog += len(piece.said)
        if self._cleaning is None:
            self._cleaning = asyncio.ensure_future(self._clean())
        return self._cleaning if self._backlog >= _MOST_WAITING else None

    async def _clean(self) -> None:
        while self._waiting:
            pieces, self._waiting, self._backlog = self._waiting, [], 0
            self._show(await finish_in_thread(self._keep, pieces))

    def _keep(self, pieces: Iterable[_Piece]) -> list[_Shown]:
        """Clean pieces and write what is safe by now; not in the loop."""
        shown = []
        for (channel, listener), together in groupby(pieces, lambda it: (it.channel, it.listener)):
            said = b"".join(piece.said for piece in together)
            shown += [_Shown(text, listener) for text in self._cleaned(channel, said)]
        return shown

    def _cleaned(self, channel: Channel | None, said: bytes) -> Iterator[str]:
        if channel is None:
            yield self._redactor.redact(plain(said.decode(errors="replace"))).text
            return
        for text in self._cleaners[channel].feed(said):
            self._writer.write(text)
            yield text

    def _close(self) -> tuple[ArtifactHash, list[_Shown]]:
        rest = [cleaner.close() for cleaner in self._cleaners.values()]
        for text in rest:
            self._writer.write(text)
        return self._writer.finish(), [_Shown(text, self._listener) for text in rest]

    def _show(self, shown: Iterable[_Shown]) -> None:
        for text, listener in shown:
            if text:
                listener(text)
