"""Feed: follows the ledger's global cursor, and keeps no more than a screen can show."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

from supervisor_ai.control.dashboard.log_lines import LogLine, RunLog
from supervisor_ai.control.dashboard.run_lines import RunLine, RunLines
from supervisor_ai.control.dashboard.run_pages import RunPage, RunPages
from supervisor_ai.control.queries.notices import (
    AlertView,
    MissedView,
    find_alerts,
    find_missed,
)
from supervisor_ai.control.records import Records
from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.ids import RunId, run_stream, stream_run
from supervisor_ai.domain.structs import replace

_PAGE: Final = 1000
_PAGES: Final = 10
"""So much is read before somebody is told about it."""
UNREAD: Final = -1
"""The cursor of news before the ledger was looked at."""
_AGAIN: Final = timedelta(seconds=5)
"""Owners die and times come without an event: all lines are read anew so often."""


class News(Struct, frozen=True, kw_only=True):
    """How the project stands at one moment, ready to be shown."""

    cursor: int
    lines: tuple[RunLine, ...] = ()
    total: int = 0
    page: RunPage | None = None
    """The run that is watched."""
    log: tuple[LogLine, ...] = ()
    """Its last lines."""
    alerts: tuple[AlertView, ...] = ()
    """What the user wants to see on the board."""
    missed: tuple[MissedView, ...] = ()
    """What somebody should have been told, and was not."""


class Feed:
    """Reads what is new; each look costs as much as what has changed."""

    def __init__(self, records: Records, *, limit: int, kept: int) -> None:
        self._records = records
        self._kept = kept
        self._lines = RunLines(records, limit=limit)
        self._pages = RunPages(records)
        self._cursor = -1
        self._refreshed: datetime | None = None
        self._watched: RunId | None = None
        self._log = RunLog(kept=kept)
        self._page: RunPage | None = None
        self._alerts: tuple[AlertView, ...] = ()
        self._missed: tuple[MissedView, ...] = ()

    def look(self, watched: RunId | None) -> News | None:
        """Read what is new; None where nothing is, and the same run is watched."""
        is_first = self._cursor < 0
        if is_first:
            self._cursor = self._records.log.head().seq
        changed = self._read()
        is_other = watched != self._watched
        if is_other:
            self._watch(watched)
        is_due = self._is_due()
        if is_due:
            self._lines.refresh()
        else:
            self._lines.update(changed)
        if changed or is_due:
            self._alerts = tuple(find_alerts(self._records))
            self._missed = tuple(find_missed(self._records))
        if is_other or is_due or watched in changed:
            self._page = None if watched is None else self._read_page(watched)
        return self._news() if changed or is_other or is_due else None

    def _read(self) -> set[RunId]:
        """Read on from the cursor; name the runs that have changed."""
        changed: set[RunId] = set()
        for page in self._new_pages():
            self._cursor = page[-1].seq
            runs = [stream_run(it.stream) for it in page]
            changed.update(run for run in runs if run is not None)
            if self._watched is not None:
                mine = (it for it, run in zip(page, runs, strict=True) if run == self._watched)
                self._log.take(mine)
        return changed

    def _new_pages(self) -> Iterator[list[Envelope]]:
        for _ in range(_PAGES):
            page = list(self._records.log.read_all(after=self._cursor, limit=_PAGE))
            if page:
                yield page
            if len(page) < _PAGE:
                return

    def _watch(self, run: RunId | None) -> None:
        self._watched, self._log = run, RunLog(kept=self._kept)
        if run is not None:
            self._log.take(self._records.log.read(run_stream(run)))

    def _is_due(self) -> bool:
        now = self._records.now()
        if self._refreshed is not None and now - self._refreshed < _AGAIN:
            return False
        self._refreshed = now
        return True

    def _read_page(self, run: RunId) -> RunPage | None:
        page = self._pages.read(run)
        return (
            None
            if page is None
            else replace(page, spent=dict(self._log.spent), evidence=self._log.evidence)
        )

    def _news(self) -> News:
        return News(
            cursor=self._cursor,
            lines=self._lines.lines,
            total=self._lines.total,
            page=self._page,
            log=self._log.lines,
            alerts=self._alerts,
            missed=self._missed,
        )
