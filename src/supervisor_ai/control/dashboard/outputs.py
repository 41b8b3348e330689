"""What workers and gates of a run printed last, as far as it was kept."""

from typing import Final

from supervisor_ai.control.records import Records
from supervisor_ai.domain.ids import ArtifactHash, RunId
from supervisor_ai.domain.terminal import plain

_CHARACTERS: Final = 200_000


def last_output(records: Records, run: RunId, *, lines: int) -> tuple[str, ...]:
    """Return the last lines of the attempt or the gate that ended last, below its name."""
    attempts = [
        (
            it.ended_at,
            f"── {it.step} visit {it.visit} attempt {it.attempt}, {it.role}",
            it.transcript,
        )
        for it in records.queries.attempts(run)
    ]
    gates = [
        (it.ended_at, f"── {it.step} visit {it.visit}, gate {it.gate}", it.output)
        for it in records.queries.gates(run)
    ]
    ended = [(at, name, kept) for at, name, kept in (*attempts, *gates) if at and kept]
    if not ended:
        return ()
    _, name, kept = max(ended, key=lambda it: it[0])
    return (name, *last_lines(records, kept, lines))


def last_lines(records: Records, kept: ArtifactHash, lines: int) -> list[str]:
    """Return the last lines of a text that was kept."""
    text = plain(records.text(kept)[-_CHARACTERS:])
    return text.rstrip("\n").split("\n")[-lines:]
