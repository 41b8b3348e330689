"""How a loop stands: its milestones, what was done, what is planned, what supervisors want."""

from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.records import Records
from supervisor_ai.control.run_views import view_run
from supervisor_ai.control.slices import openers
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, run_stream
from supervisor_ai.domain.run.status import ENDED, RunStatus
from supervisor_ai.drivers.loop.answers import ScopeMilestone, read_answer
from supervisor_ai.drivers.loop.book import LoopBook
from supervisor_ai.drivers.loop.briefs import BriefWriter, directive_text
from supervisor_ai.drivers.loop.events import WorkReportWritten
from supervisor_ai.drivers.loop.report import write_report
from supervisor_ai.drivers.loop.signals import Pause
from supervisor_ai.drivers.loop.state import LoopState
from supervisor_ai.drivers.loop.window import ENTRY, cut
from supervisor_ai.drivers.quality.directives import Directive, in_order
from supervisor_ai.drivers.quality.urgency import shown
from supervisor_ai.engine.playback import Player

NAME: Final = "loop"


class MilestoneView(Struct, frozen=True, kw_only=True):
    """A milestone, and whether it is reached."""

    outcome: str
    areas: tuple[str, ...]
    status: str
    """`reached`, `current` or `later`."""


class DoneTaskView(Struct, frozen=True, kw_only=True):
    """A task that is over."""

    task: int
    outcome: str
    description: str
    summary: str
    milestone: int
    attempts: int
    qa_failures: int
    commit: CommitSha | None


class DirectiveView(Struct, frozen=True, kw_only=True):
    """A directive that is not done yet."""

    number: int
    type: str
    source: str
    description: str
    rationale: str
    priority: str
    files: tuple[str, ...]
    age: int
    """How many tasks were completed since it came."""
    status: str = "pending"
    """`pending`: the planner has to answer it; `planned`: a task does it, or will."""


class EscalationView(Struct, frozen=True, kw_only=True):
    """A request for direction."""

    task: int
    source: str
    text: str


class LookView(Struct, frozen=True, kw_only=True):
    """A look of a supervisor."""

    supervisor: str
    title: str
    outcome: str
    task_count: int
    directives: int
    updated: tuple[str, ...]
    refused: tuple[str, ...]
    is_converging: bool
    reason: str


class LoopView(Struct, frozen=True, kw_only=True):
    """A loop as its ledger tells it."""

    run: RunId
    status: RunStatus
    standing: str
    """In a word or two how it stands."""
    node: str
    phase: str
    is_paused: bool
    branch: str | None
    remit: str
    milestones: tuple[MilestoneView, ...]
    done_list: tuple[DoneTaskView, ...]
    carry_forward: tuple[str, ...]
    current_task: str | None
    attempt_count: int
    pending_directives: tuple[DirectiveView, ...]
    supervisor_urgency: float
    supervisor_run_log: tuple[LookView, ...]
    escalations: tuple[EscalationView, ...]
    tasks_since_last_review: int
    last_assessment: str | None
    correction_hint: str | None


def loop_rows(records: Records) -> tuple[RunRow, ...]:
    """List the loops of a project, newest first."""
    return tuple(records.queries.runs_of(NAME))


def find_loop(records: Records, name: str | None) -> RunRow:
    """Find a loop by its name; without one, the newest that has not ended, else the newest."""
    if name is not None:
        row = records.find(name)
        if row.driver != NAME:
            raise InvalidInput(
                f"Run {row.id!r} is no loop; its driver is {row.driver!r}.",
                hint=f"See it: supervisor status {row.id}",
            )
        return row
    rows = loop_rows(records)
    if not rows:
        raise NotFound("There is no loop in this project yet.", hint='supervisor loop run "…"')
    return next((row for row in rows if row.status not in ENDED), rows[0])


def state_of(records: Records, run: RunId) -> LoopState:
    """Fold what a loop has recorded."""
    player = Player(log=records.log, documents=records.documents, drivers=openers())
    playback, _ = player.play(run)
    _, _, state = playback.encode().partition(b"\n")
    return records.documents.decode(state, LoopState)


def show_loop(records: Records, row: RunRow) -> LoopView:
    """Say how a loop stands."""
    state = state_of(records, row.id)
    book = state.book
    writer = BriefWriter(book=book, read=records.text)
    return LoopView(
        run=row.id,
        status=row.status,
        standing=view_run(records, row).standing,
        node=state.node.value,
        phase=book.phase.value,
        is_paused=state.pause is Pause.ON,
        branch=row.branch,
        remit=writer.context(),
        milestones=_milestones(book, records),
        done_list=_tasks(writer),
        carry_forward=tuple(writer.carried(it) for it in book.carry_forward),
        current_task=None if book.current is None else records.text(book.current.text),
        attempt_count=0 if book.current is None else book.current.attempts,
        pending_directives=tuple(
            _directive(it, records, book) for it in in_order(book.pending_directives)
        ),
        supervisor_urgency=shown(book.supervisor_urgency),
        supervisor_run_log=_looks(book),
        escalations=_escalations(book, records),
        tasks_since_last_review=book.tasks_since_last_review,
        last_assessment=None if book.last_verdict is None else book.last_verdict.value,
        correction_hint=_text(records, book.correction_hint),
    )


def _text(records: Records, kept: ArtifactHash | None) -> str | None:
    return None if kept is None else records.text(kept)


def _milestones(book: LoopBook, records: Records) -> tuple[MilestoneView, ...]:
    at = book.active_milestone_index
    found = (read_answer(records.text(it), ScopeMilestone) for it in book.milestones)
    return tuple(
        MilestoneView(
            outcome="" if it is None else it.outcome,
            areas=() if it is None else it.areas,
            status="reached" if number < at else ("current" if number == at else "later"),
        )
        for number, it in enumerate(found)
    )


def _tasks(writer: BriefWriter) -> tuple[DoneTaskView, ...]:
    told = ((it, writer.entry(it)) for it in writer.book.done_list)
    return tuple(
        DoneTaskView(
            task=it.task,
            outcome=it.outcome.value,
            description=words.text,
            summary=cut(words.said, ENTRY),
            milestone=it.milestone + 1,
            attempts=it.attempts,
            qa_failures=it.qa_failures,
            commit=it.commit,
        )
        for it, words in told
    )


def _directive(it: Directive, records: Records, book: LoopBook) -> DirectiveView:
    words = directive_text(records.text(it.text))
    return DirectiveView(
        number=it.number,
        type=it.type.value,
        source=it.source,
        description=words.description,
        rationale=words.rationale,
        priority=it.priority.value,
        files=words.files,
        age=book.completed - it.since,
        status="planned" if it.number in book.planned_directives else "pending",
    )


def _looks(book: LoopBook) -> tuple[LookView, ...]:
    return tuple(
        LookView(
            supervisor=it.supervisor,
            title=it.title,
            outcome=it.outcome,
            task_count=it.task_count,
            directives=it.directives,
            updated=it.updated,
            refused=it.refused,
            is_converging=it.is_converging,
            reason=it.reason,
        )
        for it in book.supervisor_run_log
    )


def _escalations(book: LoopBook, records: Records) -> tuple[EscalationView, ...]:
    return tuple(
        EscalationView(task=it.task, source=it.source, text=_text(records, it.text) or "")
        for it in book.escalation_context
    )


def report_of(records: Records, run: RunId) -> str:
    """Return the report that was written; of a loop at work, what it would say now."""
    for envelope in records.log.read(run_stream(run)):
        if isinstance(envelope.event, WorkReportWritten):
            return records.text(envelope.event.report)
    return write_report(state_of(records, run).book, records.text)
