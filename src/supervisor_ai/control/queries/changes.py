"""Changes of a run: what its newest work, or that of one attempt, is against its base."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from supervisor_ai.control.phrases import short
from supervisor_ai.control.ports.queries import AttemptRow, RunRow
from supervisor_ai.control.queries.logs import LogFilter, require_visited
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import Conflict, NotFound
from supervisor_ai.domain.ids import CommitSha, RunId
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.engine.ports.workspaces import Repository


class ChangedLines(Struct, frozen=True, kw_only=True):
    """How many lines of a file are new and gone; neither is known of a file that is no text."""

    path: str
    added: int | None
    removed: int | None


class ChangeOfRun(Struct, frozen=True, kw_only=True):
    """What a run changed; the same commit twice means nothing."""

    run: RunId
    base: CommitSha
    head: CommitSha
    source: str
    """Whose work the head is."""
    files: tuple[ChangedLines, ...]


def find_change(
    records: Records, repository: Repository, name: str, wanted: LogFilter
) -> ChangeOfRun:
    """Find the newest work of a run, or of the attempts that are wanted, and what it changed."""
    row = records.find(name)
    if row.base is None:
        raise Conflict(f"Run {row.id!r} has no commit that it started from.")
    require_visited(records, row.id, wanted.step)
    head, source = _head(records, row, wanted)
    for commit in (row.base.sha, head):
        if not repository.has_commit(commit):
            raise NotFound(
                f"The commit {commit!r} of run {row.id!r} does not exist any more.",
                hint="`supervisor workspace clean --refs` removes what ended runs kept.",
            )
    lines = repository.changed_lines(row.base.sha, head)
    return ChangeOfRun(
        run=row.id, base=row.base.sha, head=head, source=source, files=tuple(_files(lines))
    )


def _head(records: Records, row: RunRow, wanted: LogFilter) -> tuple[CommitSha, str]:
    if row.commit is not None and wanted == LogFilter():
        return row.commit, f"committed as {short(row.commit)}"
    asked = [it for it in records.queries.approvals(row.id) if it.is_approved is None]
    if asked and row.status is RunStatus.WAITING and wanted == LogFilter():
        return asked[0].commit, f"not committed: what a person is asked about at {asked[0].step}"
    kept = [it for it in _attempts(records, row) if it.snapshot is not None]
    chosen = [it for it in kept if wanted.accepts(it.step, it.visit, it.attempt)]
    if chosen:
        last = chosen[-1]
        at = f"{last.step} visit {last.visit} attempt {last.attempt}"
        return last.snapshot or CommitSha(""), f"not committed: the snapshot of {at}"
    if wanted != LogFilter():
        raise NotFound(
            f"Run {row.id!r} has kept no work of such an attempt.",
            hint=f"List the attempts: supervisor logs {row.id}",
        )
    return (row.base.sha if row.base else CommitSha("")), "no worker has changed anything yet"


def _attempts(records: Records, row: RunRow) -> Sequence[AttemptRow]:
    """Return a run's attempts; a fork begins with what it shares with another run."""
    own = list(records.queries.attempts(row.id))
    if row.fork is None:
        return own
    origin = records.queries.run(row.fork.run)
    shared = [] if origin is None else _attempts(records, origin)
    return [*(it for it in shared if it.started_at < row.created_at and _is_over(it, row)), *own]


def _is_over(attempt: AttemptRow, fork: RunRow) -> bool:
    return attempt.ended_at is not None and attempt.ended_at <= fork.created_at


def _files(lines: str) -> Iterator[ChangedLines]:
    for line in filter(None, lines.split("\0")):
        added, removed, path = line.split("\t", maxsplit=2)
        yield ChangedLines(path=path, added=_number(added), removed=_number(removed))


def _number(written: str) -> int | None:
    return int(written) if written.isdecimal() else None
