"""What a run passed in spite of: gates that warned, and roles that objected."""

from collections.abc import Iterable, Sequence
from typing import Final

from supervisor_ai.cli.run_details import Rows
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.ports.queries import AttemptRow, GateRow
from supervisor_ai.control.queries.run_views import RunView
from supervisor_ai.control.records import Records
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.answers import MEANINGS, AnswerKind, Meaning
from supervisor_ai.domain.run.status import StepStatus, Verdict

_NO: Final = frozenset(
    said for said, meant in MEANINGS[AnswerKind.REVIEW].items() if meant is Meaning.REJECT
)


def remarks(records: Records, run: RunView) -> Rows:
    """Name the gates that warned or could not run, and the roles that were outvoted."""
    passed = {step.step for step in run.steps if step.status is StepStatus.PASSED}
    warned = [_gate(gate) for gate in latest(records.queries.gates(run.id)) if _warns(gate, passed)]
    if warned:
        yield "warned", one_line(", ".join(warned))
    objected = _objecting(records.queries.attempts(run.id), passed)
    if objected:
        yield "objected", one_line(", ".join(objected))


def latest(gates: Iterable[GateRow]) -> tuple[GateRow, ...]:
    """Keep of each gate of each step only what it said last."""
    return tuple({(gate.step, gate.gate): gate for gate in gates}.values())


def _warns(gate: GateRow, passed: set[StepName]) -> bool:
    """Tell whether the run went on although a gate did not pass; a step that failed says more."""
    is_missing = gate.verdict is Verdict.NOT_RUN and gate.step in passed
    return gate.verdict is Verdict.WARNED or is_missing


def _gate(gate: GateRow) -> str:
    return f"{gate.gate} (could not run)" if gate.verdict is Verdict.NOT_RUN else gate.gate


def _objecting(attempts: Sequence[AttemptRow], passed: set[StepName]) -> list[str]:
    """Name who said no in the last visit to a step that passed all the same."""
    last = {it.step: it.visit for it in attempts}
    final = {
        (it.step, it.role): it.said
        for it in attempts
        if it.step in passed and it.visit == last[it.step]
    }
    return list(dict.fromkeys(role for (_, role), said in final.items() if said in _NO))
