"""Verdicts of gates that were given before, found by everything that they depend on."""

from typing import Final

from supervisor_ai.domain.ids import stream_run
from supervisor_ai.domain.run.events import GateEnded
from supervisor_ai.engine.ports.gates import GivenVerdict
from supervisor_ai.store.codec import RECORDS, EventCodec, Record
from supervisor_ai.store.connection import Connection

_NEWEST: Final = f"{RECORDS} WHERE seq = (SELECT seq FROM verdicts WHERE key = ?)"  # noqa: S608 - our own names


class SqliteVerdicts:
    """Reads the events again that the table of verdicts points to."""

    def __init__(self, connection: Connection, *, codec: EventCodec) -> None:
        self._connection = connection
        self._codec = codec

    def find(self, key: str) -> GivenVerdict | None:
        """Return the newest verdict with the key."""
        for row in self._connection.query(_NEWEST, (key,)):
            envelope = self._codec.unseal(Record._make(row)).envelope
            run, event = stream_run(envelope.stream), envelope.event
            if run is not None and isinstance(event, GateEnded):
                return GivenVerdict(run=run, ended=event)
        return None
