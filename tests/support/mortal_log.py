"""An event log whose process dies at one of its writes."""

from collections.abc import Iterator, Sequence

from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.ids import StreamId
from supervisor_ai.engine.ports.ledger import Batch, EventLog, Head


class MortalLog:
    """An event log whose process dies at one of its writes, before or after it is done."""

    def __init__(self, log: EventLog, dies_at: int, *, is_late: bool) -> None:
        self._log = log
        self._dies_at = dies_at
        self._is_late = is_late
        self.writes = 0

    def append(self, batch: Batch) -> tuple[Envelope, ...]:
        self.writes += 1
        if self.writes < self._dies_at:
            return self._log.append(batch)
        if self.writes == self._dies_at and self._is_late:
            self._log.append(batch)
        raise KeyboardInterrupt

    def read(
        self, stream: StreamId, *, after: int = 0, upto: int | None = None
    ) -> Iterator[Envelope]:
        return self._log.read(stream, after=after, upto=upto)

    def read_all(self, *, after: int = 0, limit: int = 1000) -> Sequence[Envelope]:
        return self._log.read_all(after=after, limit=limit)

    def head(self) -> Head:
        return self._log.head()
