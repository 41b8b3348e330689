"""The supervisor's log of a kanban: what each iteration read, whom it asked, what came of it."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

from supervisor_ai.control.queries.logs import LogFilter
from supervisor_ai.control.queries.retry_log import Schemas, read_retries
from supervisor_ai.control.records import Records
from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.ids import ArtifactHash, RunId, run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.failures.retry_notes import RetryEntry, retry_event
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.terminal import plain
from supervisor_ai.drivers.kanban import events as k
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace
from supervisor_ai.drivers.kanban.definition import KanbanDefinition
from supervisor_ai.drivers.kanban.orders import agent_name, task_name
from supervisor_ai.drivers.kanban.runs import runs_on
from supervisor_ai.drivers.kanban.state import WORKERS

_HEADING: Final = "## Supervisor Log\n\n"
_SHOWN: Final = 400
_SHORT: Final = 12
_MARKS: Final = re.compile(r"([\\`*_<>\[\]#])")
_Fact = tuple[str, str]
_Told = tuple[str, tuple[_Fact, ...]]


class KanbanLogEntry(Struct, frozen=True, kw_only=True):
    """One entry of the log."""

    at: datetime
    run: RunId
    title: str
    facts: dict[str, str]
    retry: RetryEntry | None = None
    """The attempt that failed, where the entry is about one."""


def read_kanban_log(
    records: Records, place: KanbanPlace, schemas: Schemas
) -> tuple[KanbanLogEntry, ...]:
    """Return the log of all runs on a kanban, oldest first."""
    runs = reversed([found.row.id for found in runs_on(records, place)])
    return tuple(entry for run in runs for entry in _entries(records, run, schemas))


def kanban_log(entries: Iterable[KanbanLogEntry]) -> str:
    """Write the log in markdown."""
    return _HEADING + "\n".join(_written(entry) for entry in entries)


def _entries(records: Records, run: RunId, schemas: Schemas) -> Iterator[KanbanLogEntry]:
    retries = iter(read_retries(records, run, LogFilter(), schemas))
    teller = _Teller(records=records, run=run)
    for envelope in records.log.read(run_stream(run)):
        at = envelope.recorded_at
        if isinstance(envelope.event, e.AttemptFailed):
            yield KanbanLogEntry(
                at=at, run=run, title="Retry Event", facts={}, retry=next(retries, None)
            )
        elif told := teller.tell(envelope):
            title, facts = told
            yield KanbanLogEntry(at=at, run=run, title=title, facts=dict(facts))


def _written(entry: KanbanLogEntry) -> str:
    if entry.retry is not None:
        return retry_event(entry.retry)
    at = entry.at.astimezone(UTC).isoformat(timespec="seconds")
    lines = [f"**{name}:** {_line(text)}  " for name, text in entry.facts.items() if text]
    return "\n".join((f"### [{at}] {entry.title}", "", *lines, ""))


def _line(text: str) -> str:
    """Keep text from outside in its line, and its marks from meaning anything."""
    flat = " ".join(plain(text).split())
    shown = flat if len(flat) <= _SHOWN else f"{flat[:_SHOWN]}…"
    return _MARKS.sub(r"\\\1", shown)


@dataclass(slots=True, kw_only=True)
class _Teller:
    """Puts the facts of one run into words; remembers what its kanban said last."""

    records: Records
    run: RunId
    definition: KanbanDefinition | None = None
    reading: k.KanbanRead | None = None
    asked: dict[tuple[str, int, int], tuple[_Fact, ...]] = field(default_factory=dict)

    def tell(self, envelope: Envelope) -> _Told | None:
        """Say what a fact means for the kanban; None: nothing worth an entry."""
        event = envelope.event
        match event:
            case e.RunSubmitted() | e.DefinitionMigrated():
                return self._pinned(event)
            case k.KanbanRead() | k.KanbanUnreadable():
                return self._read(event)
            case e.AttemptStarted() | e.AttemptSucceeded() | e.AttemptLost():
                return self._attempted(event)
            case e.ApprovalRequested() | e.ApprovalGiven() | e.ApprovalRefused():
                return self._asked(event, envelope.actor.id)
            case _:
                return _of_work(event) or _of_end(event)

    def _pinned(self, event: e.RunSubmitted | e.DefinitionMigrated) -> _Told | None:
        self.definition = self.records.documents.load(event.definition, KanbanDefinition)
        if not isinstance(event, e.RunSubmitted):
            return None
        base = "" if event.base is None else f"{event.base.ref} at {event.base.sha[:_SHORT]}"
        return "Run Submitted", (
            ("Run", event.root),
            ("Base", base),
            ("Branch", event.branch or ""),
        )

    def _read(self, event: k.KanbanRead | k.KanbanUnreadable) -> _Told:
        if isinstance(event, k.KanbanUnreadable):
            mistakes = self.records.text(event.report)
            return "Kanban Unreadable", (("Iteration", str(event.visit)), ("Issue", mistakes))
        before, self.reading = self.reading, event
        phase = event.phase.value + (f", {event.sub_phase}" if event.sub_phase else "")
        return "Kanban Read", (
            ("Iteration", str(event.visit)),
            ("Phase", phase),
            ("Current", event.current or "none"),
            ("Open", f"{len(event.open)} of {len(event.tasks)} tasks"),
            ("Changed", ", ".join(_changed(before, event))),
            ("Files", event.snapshot.commit[:_SHORT]),
        )

    def _attempted(
        self, event: e.AttemptStarted | e.AttemptSucceeded | e.AttemptLost
    ) -> _Told | None:
        place = (event.step, event.visit, event.slot)
        if isinstance(event, e.AttemptStarted):
            self.asked[place] = self._whom(event)
            return "Agent Asked", (*self.asked[place], ("Attempt", str(event.attempt)))
        whom = self.asked.get(place, ())
        if isinstance(event, e.AttemptLost):
            return "Agent Lost", (*whom, ("Kept", event.kept or "nothing"))
        return "Agent Answered", (
            *whom,
            ("Status", event.said),
            ("Message", message_of(self.records, event.answer)),
        )

    def _whom(self, event: e.AttemptStarted) -> tuple[_Fact, ...]:
        if self.definition is None:
            return (("Agent", event.role),)
        role = self.definition.roles[event.role]
        task = task_name(self.definition, role, self.reading) or ""
        return (
            ("Agent", f"{agent_name(event)} with {event.cli}"),
            ("Task", task),
        )

    def _asked(
        self, event: e.ApprovalRequested | e.ApprovalGiven | e.ApprovalRefused, by: str
    ) -> _Told:
        if isinstance(event, e.ApprovalRequested):
            words = "" if event.question is None else self.records.text(event.question)
            return "Person Asked", (("Step", event.step), ("Why", event.reason), ("Words", words))
        note = "" if event.note is None else self.records.text(event.note)
        said = "yes" if isinstance(event, e.ApprovalGiven) else "no"
        return "Person Answered", (("Who", by), ("Answer", said), ("Words", note))


def last_answer(records: Records, run: RunId) -> str | None:
    """Say what the agent of the current task answered last."""
    said = None
    for envelope in records.log.read(run_stream(run)):
        event = envelope.event
        if isinstance(event, e.AttemptSucceeded) and event.step in WORKERS:
            said = f"{event.role} answered {event.said}: {message_of(records, event.answer)}"
    return said


def message_of(records: Records, answer: ArtifactHash) -> str:
    """Return an answer's words for people, if there are any to be had."""
    try:
        said = json.loads(records.text(answer))
    except (ValueError, RecursionError):
        return ""
    message = said.get("message") if isinstance(said, dict) else None
    return message if isinstance(message, str) else ""


def _changed(before: k.KanbanRead | None, now: k.KanbanRead) -> Iterator[str]:
    """Name the files that are not as they were when they were read last."""
    if before is None:
        return
    known = {file.path: file.artifact for file in before.files}
    for file in now.files:
        if known.get(file.path) != file.artifact:
            yield file.path


def _of_work(event: object) -> _Told | None:
    match event:
        case e.GateEnded(gate=gate, verdict=verdict, reason=reason):
            if verdict is Verdict.PASSED:
                return None
            return "Gate Ended", (("Gate", gate), ("Verdict", verdict.value), ("Reason", reason))
        case e.WriteRefused(step=step, paths=paths):
            return "Write Refused", (("Agent", step), ("Paths", ", ".join(paths)))
        case e.FilesLeftOut(step=step, paths=paths, reason=reason):
            named = ", ".join(paths)
            return "Files Left Out", (("Agent", step), ("Paths", named), ("Reason", reason))
        case e.IntegrationLanded(step=step, commit=commit):
            return "Work Landed", (("Step", step), ("Commit", commit[:_SHORT]))
        case k.KanbanSaved(step=step):
            return "Files Saved", (("Step", step),)
        case e.IntegrationRefused(reason=reason) | k.KanbanSaveRefused(reason=reason):
            return "Landing Refused", (("Reason", reason),)
        case _:
            return None


def _of_end(event: object) -> _Told | None:
    match event:
        case e.RunCompleted(outcome=outcome):
            return "Run Completed", (("Outcome", outcome.reason),)
        case e.RunFailed(outcome=outcome):
            return "Run Failed", (("Outcome", f"{outcome.kind.value}: {outcome.reason}"),)
        case e.RunCancelled(outcome=outcome):
            return "Run Cancelled", (("Outcome", outcome.reason),)
        case _:
            return None
