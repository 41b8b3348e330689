"""Find the task that a person means to complete."""

from collections.abc import Callable, Sequence
from typing import Final

from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.run.status import ENDED, RunStatus
from supervisor_ai.domain.run.values import ApprovalReason

_NEWEST: Final = 200
"""So far back a task is looked for that was completed and not merged."""
_SHOWN: Final = 10
_TITLE: Final = 60


def find_task(records: Records, name: str | None, is_merged: Callable[[RunRow], bool]) -> RunRow:
    """Find the run that is named, or the only one that waits to be completed.

    Where none waits, one that was completed and has not come to its target is meant: whoever
    completed it was interrupted, or something was in the way.
    """
    if name is not None:
        return records.find(name)
    rows, _ = records.queries.runs(limit=_NEWEST)
    tasks = [row for row in rows if _is_task(records, row)]
    waiting = [row for row in tasks if row.status not in ENDED]
    done = [row for row in tasks if row.status is RunStatus.COMPLETED and row.commit is not None]
    return _only(records, waiting or [row for row in done if not is_merged(row)])


def _is_task(records: Records, row: RunRow) -> bool:
    asked = records.queries.approvals(row.id)
    return any(it.reason == ApprovalReason.COMPLETION for it in asked)


def _only(records: Records, rows: Sequence[RunRow]) -> RunRow:
    if len(rows) == 1:
        return rows[0]
    if not rows:
        raise NotFound(
            "No task waits to be completed.",
            hint='See what the runs do: supervisor status; start one: supervisor start-task "…"',
        )
    listed = "".join(f"\n  {row.id}  {_title(records, row)}" for row in rows[:_SHOWN])
    raise InvalidInput(
        f"{len(rows)} tasks wait to be completed:{listed}",
        hint="Say which one: supervisor complete-task RUN",
    )


def _title(records: Records, row: RunRow) -> str:
    return one_line(records.text(row.task).strip().partition("\n")[0])[:_TITLE]
