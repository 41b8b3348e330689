"""The steps of a fork: the picture that its past and its own events make."""

from collections.abc import Iterator
from typing import Final

import msgspec

from supervisor_ai.control.ports.queries import StepRow
from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import RunId, run_stream
from supervisor_ai.domain.picture import Picture
from supervisor_ai.domain.run.events import RunSubmitted
from supervisor_ai.domain.run.values import ForkPoint
from supervisor_ai.store.codec import RECORDS, EventCodec, Record
from supervisor_ai.store.connection import Sql

_BIRTH: Final = "SELECT payload -> 'fork' FROM events WHERE stream = ? AND version = 1 AND type = ?"
_PREFIX: Final = f"{RECORDS} WHERE stream = ? AND version <= ? ORDER BY version"
_FOR_EVER: Final = 2**63 - 1


def origin(sql: Sql, run: RunId) -> ForkPoint | None:
    """Return where a run was forked, if it was."""
    row = sql.execute(_BIRTH, (run_stream(run), RunSubmitted.__name__)).fetchone()
    return read_point(None if row is None else row[0])


def read_point(fork: str | None) -> ForkPoint | None:
    """Read where a run was forked from what its first fact says about it."""
    return None if fork is None else msgspec.json.decode(fork, type=ForkPoint | None)


def forked_steps(sql: Sql, run: RunId, point: ForkPoint, codec: EventCodec) -> list[StepRow]:
    """Return the rows that the run's steps would have, had it lived through its past itself."""
    picture = Picture()
    for sealed in map(codec.unseal, _lived(sql, run, point)):
        picture.see(sealed.envelope.event, sealed.envelope.recorded_at)
    return [
        StepRow(
            step=it.step,
            role=it.role,
            status=it.status,
            visits=it.visits,
            attempts=it.attempts,
            last_verdict=it.last_verdict,
        )
        for it in picture.steps.values()
    ]


def _lived(sql: Sql, run: RunId, point: ForkPoint) -> Iterator[Record]:
    """Read the past of a run from its beginning, through all the runs that it was forked from."""
    lives = [(run, _FOR_EVER), (point.run, point.version)]
    while (before := origin(sql, lives[-1][0])) is not None:
        if before.run in {lived for lived, _ in lives}:
            raise Unavailable(
                f"Run {run!r} is said to be forked from itself, by way of run {before.run!r}.",
                hint="Look at the ledger: supervisor ledger verify",
            )
        lives.append((before.run, before.version))
    for lived, upto in reversed(lives):
        yield from map(Record._make, sql.execute(_PREFIX, (run_stream(lived), upto)))
