"""The change of a run, file by file, with what gates found and people said at its lines."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from supervisor_ai.control.dashboard.patches import DiffFile, read_patch
from supervisor_ai.control.phrases import finding_line
from supervisor_ai.control.queries.approvals import read_comments
from supervisor_ai.control.queries.causes import latest
from supervisor_ai.control.queries.changes import ChangeOfRun, find_change
from supervisor_ai.control.queries.findings import read_findings
from supervisor_ai.control.queries.logs import LogFilter
from supervisor_ai.control.records import Records
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.domain.run.line_places import LinePlace, LineSide
from supervisor_ai.engine.ports.workspaces import Repository

_EVERYTHING: Final = LogFilter()


class LineNote(Struct, frozen=True, kw_only=True):
    """What somebody says about a line of a file, or about the whole file."""

    file: str
    line: int | None
    words: str
    who: str
    """The gate's rule or the person."""
    is_comment: bool = False
    is_minor: bool = False
    side: LineSide = LineSide.NEW

    @property
    def place(self) -> str:
        """Name the line, or the whole file, as people do."""
        if self.line is None:
            return self.file
        return str(LinePlace(file=self.file, line=self.line, side=self.side))


class PatchView(Struct, frozen=True, kw_only=True):
    """What a run changed, ready to be read."""

    change: ChangeOfRun
    files: tuple[DiffFile, ...]


def read_change(records: Records, repository: Repository, run: RunId) -> PatchView:
    """Read the newest work of a run against its base."""
    change = find_change(records, repository, run, _EVERYTHING)
    patch = repository.patch(change.base, change.head)
    return PatchView(change=change, files=read_patch(patch))


def notes_of(findings: Iterable[Finding]) -> tuple[LineNote, ...]:
    """Make notes of those findings that are about a file."""
    return tuple(
        LineNote(
            file=it.file,
            line=it.line,
            words=finding_line(it),
            who=it.rule,
            is_minor=it.severity is Severity.NOTE,
        )
        for it in findings
        if it.file is not None
    )


def read_notes(records: Records, run: RunId) -> tuple[LineNote, ...]:
    """Return what gates found in a run's change, and what people said about its lines."""
    gates = latest(records.queries.gates(run))
    found = tuple(finding for gate in gates for finding in read_findings(records, gate.report))
    return (*notes_of(found), *comment_notes(records, run))


def comment_notes(records: Records, run: RunId) -> tuple[LineNote, ...]:
    """Make notes of what people said about lines of a run's change."""
    return tuple(
        LineNote(
            file=it.file,
            line=it.line,
            words=it.text,
            who=it.person,
            is_comment=True,
            side=it.side,
        )
        for it in read_comments(records, run)
    )
