"""A ledger that counts what is asked of it."""

from collections.abc import Iterator, Sequence

from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.ids import StreamId
from supervisor_ai.engine.ports.ledger import Batch, EventLog, Head


class CountingLog:
    """Passes everything on, and counts transactions and facts."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self.appends = 0
        self.events = 0
        """How many facts were read."""

    def append(self, batch: Batch) -> tuple[Envelope, ...]:
        self.appends += 1
        return self._log.append(batch)

    def read(
        self, stream: StreamId, *, after: int = 0, upto: int | None = None
    ) -> Iterator[Envelope]:
        for envelope in self._log.read(stream, after=after, upto=upto):
            self.events += 1
            yield envelope

    def read_all(self, *, after: int = 0, limit: int = 1000) -> Sequence[Envelope]:
        return self._log.read_all(after=after, limit=limit)

    def head(self) -> Head:
        return self._log.head()
