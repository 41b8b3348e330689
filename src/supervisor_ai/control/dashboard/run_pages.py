"""One run with everything that a person looks at: steps, gates, findings, attempts, cost."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

from supervisor_ai.control.dashboard.log_lines import LogLine
from supervisor_ai.control.dashboard.outputs import last_lines
from supervisor_ai.control.dashboard.run_lines import RunLine, read_line
from supervisor_ai.control.ports.queries import AttemptRow, GateRow, RunRow
from supervisor_ai.control.queries.causes import CauseView, find_cause, latest
from supervisor_ai.control.queries.findings import read_findings
from supervisor_ai.control.queries.workflows import Arrow, graph_of
from supervisor_ai.control.questions import QuestionView, find_question
from supervisor_ai.control.records import Records
from supervisor_ai.control.run_views import RunView, view_run
from supervisor_ai.control.slices import find_slice
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import RunId, StepName, run_stream
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.events import RunSubmitted
from supervisor_ai.domain.run.gates import Finding
from supervisor_ai.domain.run.spending.budgets import Amount, Scope
from supervisor_ai.domain.run.status import StepStatus, Verdict
from supervisor_ai.domain.run.values import Usage

_FINDINGS: Final = 200
_ATTEMPTS: Final = 200
_PRINTED: Final = 12


class StepLine(Struct, frozen=True, kw_only=True):
    """A step of a run's graph, with how it stands."""

    step: str
    status: StepStatus
    does: str
    """Who works there, or what is done."""
    visits: int = 0
    attempts: int = 0
    said: str = ""
    """Its last verdict."""
    took: timedelta = timedelta()
    """How long its workers and gates took that are over."""
    since: datetime | None = None
    """Since when one of them is at it."""
    ways: tuple[Arrow, ...] = ()
    """Where a setback leads."""


class GateLine(Struct, frozen=True, kw_only=True):
    """What a gate said last, with what it found."""

    row: GateRow
    findings: tuple[Finding, ...]
    printed: tuple[str, ...] = ()
    """The last lines of one that did not pass and found nothing that has a place."""


class RunPage(Struct, frozen=True, kw_only=True):
    """All of one run at one moment."""

    line: RunLine
    view: RunView
    steps: tuple[StepLine, ...]
    gates: tuple[GateLine, ...]
    attempts: tuple[AttemptRow, ...]
    """The newest ones, in order."""
    question: QuestionView | None
    cause: CauseView | None
    budget: Amount | None = None
    spent: Mapping[str, Usage] = {}
    """What was consumed, by role."""
    evidence: tuple[LogLine, ...] = ()
    """What speaks for or against the change besides gates: baselines, claims, refusals."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return what all gates found in the change as it is."""
        return tuple(finding for gate in self.gates for finding in gate.findings)


class RunPages:
    """Reads pages; what a run has pinned is read once."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._pinned: dict[RunId, Definition | None] = {}

    def read(self, run: RunId) -> RunPage | None:
        """Bring together what is known of a run now; None where there is no such run."""
        row = self._records.queries.run(run)
        return None if row is None else self._page(row)

    def _page(self, row: RunRow) -> RunPage:
        records = self._records
        pinned = self._definition(row)
        view = view_run(records, row)
        question = find_question(records, view)
        gates = records.queries.gates(row.id)
        attempts = records.queries.attempts(row.id)
        return RunPage(
            line=read_line(records, row),
            view=view,
            steps=tuple(_steps(view, pinned, (*attempts, *gates, *_asking(question)))),
            gates=tuple(read_gate(records, it) for it in latest(gates)),
            attempts=tuple(attempts[-_ATTEMPTS:]),
            question=question,
            cause=find_cause(records, view),
            budget=None if pinned is None else pinned.budgets.get(Scope.RUN),
        )

    def _definition(self, row: RunRow) -> Definition | None:
        if row.id not in self._pinned:
            self._pinned = {row.id: read_definition(self._records, row)}
        return self._pinned[row.id]


def read_definition(records: Records, row: RunRow) -> Definition | None:
    """Return what a run has pinned; None where that cannot be read here."""
    found = find_slice(row.driver)
    if found is None or found.definition is None:
        return None
    for envelope in records.log.read(run_stream(row.id), upto=1):
        if isinstance(envelope.event, RunSubmitted):
            try:
                return records.documents.load(envelope.event.definition, found.definition)
            except SupervisorError:
                return None
    return None


def _asking(question: QuestionView | None) -> Iterable["_Asking"]:
    """Let the time that a person takes count as the step's."""
    if question is not None:
        yield _Asking(step=question.step, started_at=question.asked_at)


class _Asking(Struct, frozen=True, kw_only=True):
    step: StepName
    started_at: datetime
    ended_at: datetime | None = None


_Deed = AttemptRow | GateRow | _Asking


def read_gate(records: Records, row: GateRow) -> GateLine:
    """Return what a gate said, with what it found."""
    findings = read_findings(records, row.report)[:_FINDINGS]
    is_clear = row.verdict in {None, Verdict.PASSED} or findings or row.output is None
    printed = () if is_clear or row.output is None else last_lines(records, row.output, _PRINTED)
    return GateLine(row=row, findings=findings, printed=tuple(printed))


def _steps(view: RunView, pinned: Definition | None, deeds: Iterable[_Deed]) -> Iterable[StepLine]:
    """Show the pinned steps in the order of the main path, then those that were visited besides."""
    graph = None if pinned is None else graph_of(pinned.workflow)
    nodes = {} if graph is None else {node.name: node for node in graph.nodes}
    visited = {row.step: row for row in view.steps}
    ahead = () if graph is None else (*graph.path, *nodes)
    done = tuple(deeds)
    for name in dict.fromkeys((*ahead, *visited)):
        row = visited.get(name)  # type: ignore[call-overload]
        mine = [it for it in done if it.step == name]
        open_since = [it.started_at for it in mine if it.ended_at is None]
        yield StepLine(
            step=name,
            status=StepStatus.PENDING if row is None else row.status,
            does=nodes[name].does if name in nodes else (row.role or "" if row else ""),
            visits=0 if row is None else row.visits,
            attempts=0 if row is None else row.attempts,
            said=(row.last_verdict or "") if row else "",
            took=sum((it.ended_at - it.started_at for it in mine if it.ended_at), timedelta()),
            since=min(open_since, default=None) if view.outcome is None else None,
            ways=_ways(graph.arrows if graph else (), name),
        )


def _ways(arrows: Iterable[Arrow], name: str) -> tuple[Arrow, ...]:
    return tuple(it for it in arrows if it.source == name and it.kind != "next")
