"""`supervisor status`."""

from collections.abc import Mapping, Sequence
from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option, optional_run_argument
from supervisor_ai.cli.output import say, write, write_json
from supervisor_ai.cli.run_details import (
    continuation,
    count_of_tests,
    headline,
    name,
    outcome,
    question,
    remarks,
    spent,
    wait,
)
from supervisor_ai.cli.tables import columns, fitted, labelled, local_time, title
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line, short
from supervisor_ai.control.ports.queries import GateRow
from supervisor_ai.control.queries.causes import find_cause, latest
from supervisor_ai.control.queries.notices import (
    AlertView,
    MissedView,
    find_alerts,
    find_missed,
)
from supervisor_ai.control.questions import find_question
from supervisor_ai.control.records import Records
from supervisor_ai.control.run_views import RunList, RunView, list_runs, show_run
from supervisor_ai.domain.run.status import ENDED, RunStatus, StepStatus

_LIMIT = 50


class _Options(TypedDict):
    run: str | None
    limit: int
    as_json: bool


@verb(example="supervisor status --json")
@optional_run_argument
@click.option(
    "-n", "--limit", type=click.IntRange(1), default=_LIMIT, show_default=True, help="Show so many."
)
@json_option
@click.pass_obj
def status(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Show the runs of the project, or one of them.

    Without RUN the newest runs are listed. RUN may be the beginning or the end of a run's name.
    Of each gate of the run you see what it said last; `supervisor logs RUN --gate GATE` shows all
    of it. A run that should go on and that nobody drives is `interrupted`: `supervisor resume RUN`
    goes on with it.
    """
    if options["run"] is None:
        records = invocation.records()
        runs = list_runs(records, limit=options["limit"]) if records else RunList(runs=(), total=0)
        told = _told(records) if records else {}
        _list(runs, told, as_json=options["as_json"])
    else:
        records = invocation.require_records()
        view = show_run(records, options["run"])
        if options["as_json"]:
            asked = find_question(records, view)
            gates = records.queries.gates(view.id)
            cause = find_cause(records, view)
            write_json({"run": view, "gates": gates, "question": asked, "cause": cause})
        else:
            write(_shown(invocation, records, view))
    return DONE


_Told = Mapping[str, Sequence[AlertView | MissedView]]


def _told(records: Records) -> _Told:
    """Find what the user wants to be shown, and what they should have heard and did not."""
    found: _Told = {"alerts": find_alerts(records), "missed": find_missed(records)}
    return {key: views for key, views in found.items() if views}


def _list(listed: RunList, told: _Told, *, as_json: bool) -> None:
    if as_json:
        more = {"truncated": True, "total": listed.total} if listed.is_truncated else {}
        write_json({"runs": listed.runs, **more, **told})
        return
    if not listed.runs:
        say('There are no runs yet. Start one: supervisor run "…"')
        return
    rows = [("RUN", "STATUS", "STEP", "UPDATED", "TASK"), *map(_row, listed.runs)]
    write("\n".join(fitted(rows)))
    if listed.is_truncated:
        say(f"{len(listed.runs)} of {listed.total} runs; --limit shows more.")
    for view in (view for views in told.values() for view in views):
        say(_notice_line(view))


def _notice_line(view: AlertView | MissedView) -> str:
    if isinstance(view, AlertView):
        return f"! {view.title}"
    whom = "reached nobody" if view.is_lost else "did not reach every channel"
    return f"A notice of {view.run} {whom}: {view.reason}"


def _row(run: RunView) -> tuple[str, ...]:
    failed = [it.step for it in run.steps if it.status is StepStatus.FAILED]
    at = ", ".join(run.active_steps or failed) or (run.outcome.kind.value if run.outcome else "")
    return run.id, run.standing, at, local_time(run.updated_at), title(run.task)


def _shown(invocation: Invocation, records: Records, run: RunView) -> str:
    rows = [*name(records, run), ("workflow", run.workflow)]
    rows += outcome(records, run)
    if run.base is not None:
        rows.append(("base", f"{run.base.ref} at {short(run.base.sha)}"))
    if run.branch is not None:
        landed = f" at {short(run.commit)}" if run.commit else ""
        rows.append(("branch", f"{run.branch}{landed}"))
    rows += [("created", local_time(run.created_at)), ("updated", local_time(run.updated_at))]
    rows += [*count_of_tests(records, run), *remarks(records, run), *spent(run)]
    if run.status not in ENDED:
        rows += [*wait(records, run), ("owner", _owner(invocation, records, run))]
        rows += question(invocation, records, run)
    lines = [headline(run), *labelled(rows)]
    if run.steps:
        lines += ["", *_steps(run)]
    gates = latest(records.queries.gates(run.id))
    if gates:
        lines += ["", *_gates(gates)]
    return "\n".join(lines)


def _owner(invocation: Invocation, records: Records, run: RunView) -> str:
    owner = records.queries.owner(run.id)
    if owner is not None and owner.is_alive:
        return one_line(owner.owner)
    if owner is None and run.status is RunStatus.RUNNING and not run.interrupted:
        return "none for the moment: it rests, and its owner goes on soon"
    gone = "none" if owner is None else f"none: {one_line(owner.owner)} is gone"
    return f"{gone}\nnext: {continuation(invocation, records, f'resume {run.id}')}"


def _steps(run: RunView) -> list[str]:
    rows = [("STEP", "STATUS", "VISITS", "ATTEMPTS", "ROLE", "LAST VERDICT")]
    rows += [
        (
            step.step,
            step.status.value,
            str(step.visits),
            str(step.attempts),
            step.role or "",
            one_line(step.last_verdict or ""),
        )
        for step in run.steps
    ]
    return [f"  {line}" for line in columns(rows)]


def _gates(gates: Sequence[GateRow]) -> list[str]:
    rows: list[tuple[str, ...]] = [("GATE", "STEP", "VISIT", "VERDICT", "TESTS", "FINDINGS", "WHY")]
    rows += [
        (
            gate.gate,
            gate.step,
            str(gate.visit),
            gate.verdict.value if gate.verdict else "under way",
            "" if gate.tests is None else str(gate.tests),
            str(gate.findings or ""),
            one_line(_why(gate)),
        )
        for gate in gates
    ]
    return [f"  {line}" for line in fitted(rows)]


def _why(gate: GateRow) -> str:
    return f"{'known from before: ' if gate.is_reused else ''}{gate.reason or ''}"
