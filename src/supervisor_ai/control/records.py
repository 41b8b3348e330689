"""Records of a project: its ledger opened for reading only."""

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from supervisor_ai.control.ports.knowledge import KnowledgeUses, NoUses
from supervisor_ai.control.ports.queries import RunQueries, RunRow
from supervisor_ai.control.ports.retry_logs import NoRetryLogs, RetryLogs
from supervisor_ai.control.ports.sessions import NoSessions, SessionQueries
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import ArtifactHash, RunId, SessionId, StepName
from supervisor_ai.engine.ports.artifacts import Artifacts, Documents
from supervisor_ai.engine.ports.knowledge import NoQualityRecords, QualityRecords
from supervisor_ai.engine.ports.ledger import EventLog
from supervisor_ai.tools.file_lock import held
from supervisor_ai.tools.text import nearest

ERASED: Final = "[erased]"
SERVICE_LOCK: Final = "locks/serve"
"""The file beside the ledger that a `serve` keeps locked while it lives."""
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
NEWEST: Final = "last"
"""What a user may write instead of the newest run's name."""
_SHOWN: Final = 5
_SHORT: Final = 5
_TAIL: Final = 4
"""Names of an earlier form begin with the time, and differ at their ends."""


class Records(Struct, frozen=True, kw_only=True):
    """The ledger and what lies beside it, for readers."""

    ledger: Path
    queries: RunQueries
    log: EventLog
    artifacts: Artifacts
    documents: Documents
    retry_logs: RetryLogs = field(default_factory=NoRetryLogs)
    sessions: SessionQueries = field(default_factory=NoSessions)
    knowledge: KnowledgeUses = field(default_factory=NoUses)
    quality: QualityRecords = field(default_factory=NoQualityRecords)
    now: Callable[[], datetime] = partial(datetime.now, UTC)

    @property
    def is_served(self) -> bool:
        """Tell whether a `serve` lives that drives whatever is due in this project."""
        try:
            descriptor = os.open(self.ledger.parent / SERVICE_LOCK, _READ)
        except OSError:
            return False
        with held(descriptor, patience=0) as is_free:
            return not is_free

    def is_resident_served(self, run: RunId) -> bool:
        """Tell whether a process serves the session whose supervisor a run is."""
        served = (it.id for it in self.sessions.sessions() if it.resident == run)
        owners = (self.queries.owner(served_place(it)) for it in served)
        return any(it is not None and it.is_alive for it in owners)

    def text(self, artifact: ArtifactHash) -> str:
        """Return a text that was kept, or a mark where it was erased."""
        try:
            return self.artifacts.get(artifact)
        except NotFound:
            return ERASED

    def find(self, name: str) -> RunRow:
        """Find a run by its name, by the beginning or the end of it, or as the newest one."""
        if name == NEWEST:
            return self._newest()
        row = self.queries.run(RunId(name))
        if row is not None:
            return row
        matching = self.queries.matching(name) if name else ()
        if len(matching) > 1:
            shown = ", ".join(matching[:_SHOWN]) + (", …" if len(matching) > _SHOWN else "")
            raise InvalidInput(
                f"{name!r} is the beginning or the end of {len(matching)} runs: {shown}.",
                hint="Write more of the name.",
            )
        found = self.queries.run(matching[0]) if matching else None
        if found is None:
            raise unknown_run(name)
        return found

    def short_name(self, run: RunId) -> str:
        """Return the shortest part of a run's name that names no other run."""
        parts = (run[:_SHORT], *(run[-length:] for length in range(_TAIL, len(run))))
        return next((part for part in parts if len(self.queries.matching(part)) == 1), run)

    def _newest(self) -> RunRow:
        rows, _ = self.queries.runs(limit=1)
        if not rows:
            raise NotFound(
                "There is no run in this project yet.", hint='Start one: supervisor run "…"'
            )
        return rows[0]


def served_place(session: SessionId) -> RunId:
    """Name what the process holds that serves a session's supervisor; no run has such a name."""
    return RunId(f"served:{session}")


def unknown_run(name: str) -> NotFound:
    """Say that no run has the name."""
    return NotFound(
        f"There is no run {name!r} in this project.", hint="List the runs: supervisor status"
    )


def unvisited_step(run: RunId, step: str, visited: Sequence[StepName]) -> NotFound:
    """Say that a run has not been at a step."""
    near = nearest(step, visited)
    return NotFound(
        f"Run {run!r} has not visited a step {step!r}; "
        f"visited steps: {', '.join(visited) or 'none'}.",
        hint=f"Did you mean {near!r}?" if near else None,
    )
