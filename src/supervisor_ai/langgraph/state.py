"""The state of a graph in the seed's words, and the loop's book that is made of it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypedDict, TypeVar

import msgspec
from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop.answers import ScopeMilestone, read_answer
from supervisor_ai.drivers.loop.book import (
    CarriedTask,
    CurrentTask,
    DoneEntry,
    Escalation,
    LoopBook,
    Research,
    SupervisorRun,
)
from supervisor_ai.drivers.loop.briefs import directive_text, encoded
from supervisor_ai.drivers.loop.events import TaskOutcome
from supervisor_ai.drivers.loop.kinds import AssessmentVerdict, PlannerAction
from supervisor_ai.drivers.loop.routes import LoopPhase
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.drivers.loop.window import RolledUp
from supervisor_ai.drivers.quality.directives import (
    Directive,
    DirectivePriority,
    DirectiveText,
    DirectiveType,
)
from supervisor_ai.drivers.quality.findings import read_findings
from supervisor_ai.drivers.quality.supervisors import Roster, SupervisorRecord
from supervisor_ai.drivers.quality.urgency import CALM, shown

Row = dict[str, Any]
"""What a checkpoint saver of anybody can keep."""
S = TypeVar("S", bound=Struct)
BY_PERSON: Final = "person"
"""The source of what somebody has put into the state by hand."""
_TENTHS: Final = 10
_COUNTS: Final = ("tasks", "claims", "completed", "polished", "directives")


class QualityState(TypedDict, total=False):
    """What the node `run_supervisors` reads and writes in any graph."""

    remit: str | None
    milestones: list[Row]
    active_milestone_index: int
    done_list: list[Any]
    carry_forward: list[Any]
    escalation_context: list[Row]
    pending_directives: list[Row]
    """Directives that wait for the planner."""
    supervisor_urgency: float
    """1.0 pulls the next look forward."""
    supervisor_run_log: list[Row]
    """The looks of supervisors: type, task_count, summary and more."""
    tasks_since_last_supervisor: int
    """How many tasks were completed since a supervisor looked; each has its own counter below."""
    supervisor_records: dict[str, Row]
    """Where each supervisor stands, by name."""
    directive_log: list[Row]
    """What became of directives that are pending no more."""
    counts: dict[str, int]
    """How many tasks were begun and completed, directives made, and so on."""


class LoopGraphState(QualityState, total=False):
    """The whole state of the loop."""

    request: str
    """What the user wants; the only field that has to be given."""
    phase: str
    current_task: Row | None
    """The task that is being done; the six fields below show it."""
    current_task_description: str | None
    current_implementation_plan: str | None
    current_implementation_result: str | None
    current_qa_result: str | None
    attempt_count: int
    max_attempts: int
    task_planner_action: str | None
    tasks_since_last_review: int
    review_interval: int
    last_verdict: str | None
    last_assessment: str | None
    correction_hint: str | None
    next_node: str
    """Where the loop goes now."""
    before_supervisors: str
    """From where the supervisors were called."""
    status: str
    """`running`, `completed` or `failed`."""
    error: str | None
    work_report: str | None


def kept(text: str) -> ArtifactHash:
    """Keep a text: a graph's state holds words where the ledger holds their names."""
    return ArtifactHash(text)


def read(text: ArtifactHash) -> str:
    """Return a text that was kept."""
    return text


def book_of(state: Mapping[str, Any], rules: LoopRules) -> LoopBook:
    """Make the loop's book of a graph's state; what is missing has not happened yet."""
    counts = {name: _count(state.get("counts"), name) for name in _COUNTS}
    completed = counts["completed"]
    pending = tuple(_directives(state.get("pending_directives") or (), completed))
    # Whoever adds to the state by hand gives no numbers.
    highest = max((it.number for it in pending), default=0)
    counts["directives"] = max(counts["directives"], highest)
    return LoopBook(
        phase=LoopPhase(state.get("phase") or LoopPhase.WORK),
        remit=_text(state.get("remit")),
        milestones=tuple(_milestone(it) for it in state.get("milestones") or ()),
        active_milestone_index=state.get("active_milestone_index") or 0,
        done_list=tuple(_done(state.get("done_list") or ())),
        carry_forward=tuple(map(_carried, state.get("carry_forward") or ())),
        current=_struct(state.get("current_task"), CurrentTask),
        task_planner_action=_word(state.get("task_planner_action"), PlannerAction),
        escalation_context=_structs(state.get("escalation_context"), Escalation),
        tasks_since_last_review=state.get("tasks_since_last_review") or 0,
        last_verdict=_word(state.get("last_verdict"), AssessmentVerdict),
        last_assessment=_text(state.get("last_assessment")),
        correction_hint=_text(state.get("correction_hint")),
        pending_directives=pending,
        supervisor_urgency=round((state.get("supervisor_urgency") or CALM) * _TENTHS),
        supervisor_run_log=_structs(state.get("supervisor_run_log"), SupervisorRun),
        roster=_roster(state.get("supervisor_records") or {}, rules),
        research=Research(),
        rolled_up=RolledUp(),
        **counts,
    )


def quality_fields(book: LoopBook) -> QualityState:
    """Write what supervisors change as a graph's state has it."""
    records = {it.name: book.roster.record(it.name) for it in book.roster.specs}
    return QualityState(
        pending_directives=[_shown_directive(it) for it in book.pending_directives],
        supervisor_urgency=shown(book.supervisor_urgency),
        supervisor_run_log=[_shown_run(it) for it in book.supervisor_run_log],
        tasks_since_last_supervisor=min((it.since for it in records.values()), default=0),
        supervisor_records={name: _row(it) for name, it in records.items()},
        counts={name: getattr(book, name) for name in _COUNTS},
    )


def loop_fields(book: LoopBook, rules: LoopRules) -> LoopGraphState:
    """Write the whole book as a graph's state has it."""
    made = LoopGraphState(**quality_fields(book))  # type: ignore[typeddict-item]
    made.update(_loop_fields(book, rules))
    return made


def _loop_fields(book: LoopBook, rules: LoopRules) -> LoopGraphState:
    current = book.current
    return LoopGraphState(
        remit=book.remit,
        milestones=[_shown_milestone(it) for it in book.milestones],
        active_milestone_index=book.active_milestone_index,
        done_list=[_row(it) for it in book.done_list],
        carry_forward=[_shown_carried(it) for it in book.carry_forward],
        escalation_context=[_row(it) for it in book.escalation_context],
        phase=book.phase.value,
        current_task=None if current is None else _row(current),
        current_task_description=None if current is None else current.text,
        current_implementation_plan=None if current is None else current.plan,
        current_implementation_result=None if current is None else current.work,
        current_qa_result=None if current is None else current.qa,
        attempt_count=0 if current is None else current.attempts,
        max_attempts=rules.max_attempts,
        task_planner_action=_value(book.task_planner_action),
        tasks_since_last_review=book.tasks_since_last_review,
        review_interval=rules.review_interval,
        last_verdict=_value(book.last_verdict),
        last_assessment=book.last_assessment,
        correction_hint=book.correction_hint,
    )


def _row(value: Struct) -> Row:
    made: Row = msgspec.to_builtins(value)
    return made


def _value(word: PlannerAction | AssessmentVerdict | None) -> str | None:
    return None if word is None else word.value


def _text(text: str | None) -> ArtifactHash | None:
    return None if text is None else kept(text)


def _count(counts: object, name: str) -> int:
    found = counts.get(name, 0) if isinstance(counts, Mapping) else 0
    return found if isinstance(found, int) else 0


def _word(value: object, kind: type[PlannerAction] | type[AssessmentVerdict]) -> Any:  # noqa: ANN401 - one of two enums
    return None if value is None else _converted(value, kind)


def _struct(value: object, kind: type[S]) -> S | None:
    return None if value is None else _converted(value, kind)


def _structs(values: object, kind: type[S]) -> tuple[S, ...]:
    found: tuple[S, ...] = _converted(values or (), tuple[kind, ...])  # type: ignore[valid-type]
    return found


def _converted(value: object, kind: Any) -> Any:  # noqa: ANN401 - msgspec knows the kind
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise InvalidInput(
            f"The graph's state has {str(value)[:200]!r} where it cannot be: {error}.",
            hint="Leave to the nodes what they write, or write it in the same form.",
        ) from error


def _milestone(it: object) -> ArtifactHash:
    outcome = {"outcome": it} if isinstance(it, str) else it
    return kept(encoded(_converted(outcome, ScopeMilestone)))


def _shown_milestone(text: ArtifactHash) -> Row:
    return _row(read_answer(text, ScopeMilestone) or ScopeMilestone(outcome=""))


def _done(entries: Iterable[object]) -> Iterable[DoneEntry]:
    """Read tasks that are over; a graph of somebody else may only have words for them."""
    for number, it in enumerate(entries, 1):
        if isinstance(it, Mapping) and "outcome" in it and "task" in it:
            yield _converted(it, DoneEntry)
        else:
            yield DoneEntry(
                task=number,
                outcome=TaskOutcome.DONE,
                milestone=0,
                text=kept(it if isinstance(it, str) else _words(it)),
                plan=kept(""),
            )


def _words(it: object) -> str:
    """Put something that we do not know into words."""
    return msgspec.json.encode(it, enc_hook=str).decode()


def _carried(it: object) -> CarriedTask:
    if isinstance(it, str):
        return CarriedTask(text=kept(it))
    found: CarriedTask = _converted(it, CarriedTask)
    return found


def _shown_carried(it: CarriedTask) -> Row:
    words = it.text if it.directive is None else directive_text(it.text).description
    return {**_row(it), "description": words}


def _directives(rows: Sequence[object], completed: int) -> Iterable[Directive]:
    wanted = [_converted(it, DirectiveRow) for it in rows]
    number = max((it.number or 0 for it in wanted), default=0)
    for it in wanted:
        if it.number is None:
            number += 1
        words = DirectiveText(description=it.description, rationale=it.rationale, files=it.files)
        yield Directive(
            number=it.number or number,
            type=it.type,
            priority=it.priority,
            source=it.source,
            text=kept(encoded(words)),
            since=completed if it.since is None else it.since,
        )


class DirectiveRow(Struct, frozen=True, kw_only=True):
    """A directive as a graph's state has it; people need to write its type and description."""

    type: DirectiveType
    description: str
    rationale: str = ""
    priority: DirectivePriority = DirectivePriority.NORMAL
    source: str = BY_PERSON
    files: tuple[str, ...] = ()
    number: int | None = None
    since: int | None = None


def _shown_directive(it: Directive) -> Row:
    words = directive_text(it.text)
    return _row(
        DirectiveRow(
            type=it.type,
            description=words.description,
            rationale=words.rationale,
            priority=it.priority,
            source=it.source,
            files=words.files,
            number=it.number,
            since=it.since,
        )
    )


def _shown_run(it: SupervisorRun) -> Row:
    """Add what the seed calls its fields: whose look it was, and what it came to."""
    summary = read_findings(it.findings or "").summary or it.reason
    return {**_row(it), "type": it.supervisor, "summary": summary}


def _roster(records: Mapping[str, object], rules: LoopRules) -> Roster:
    found = {name: _converted(it, SupervisorRecord) for name, it in records.items()}
    return replace(Roster(specs=rules.supervisors), records=found)
