"""Summary of a run when its drive is over: outcome, branch, changes and next commands."""

from collections.abc import Callable
from typing import Final

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.output import can_ask
from supervisor_ai.cli.run_details import (
    Rows,
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
from supervisor_ai.cli.tables import labelled
from supervisor_ai.control.phrases import one_line, short
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.queries.events import find_left_out, find_pull_request
from supervisor_ai.control.questions import find_question
from supervisor_ai.control.run_views import RunView
from supervisor_ai.control.sentences import describe
from supervisor_ai.control.slices import AboutRun, Standpoint, find_slice
from supervisor_ai.domain.file_names import shown_name
from supervisor_ai.domain.run.status import ENDED, RunStatus, StepStatus
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.terminal import plain
from supervisor_ai.tools.text import counted

_FILES: Final = 50
_ATTEMPTS: Final = 10


def summarise(invocation: Invocation, project: OpenProject, run: RunView) -> str:
    """Say what was done, where it is, and what can be done next."""
    about = about_run(invocation, project, run)
    rows = [
        *name(project.records, run),
        *_outcome(project, run),
        *_work(project, run, is_plain=about is None),
        *_left_out(project, run),
        *count_of_tests(project.records, run),
        *remarks(project.records, run),
        *(() if run.status is RunStatus.QUEUED else [("took", _took(run))]),
        *spent(run),
        ("ledger", str(project.records.ledger)),
        *_next(invocation, project, run),
        *(() if about is None else about.rows),
    ]
    return "\n".join([headline(run), *labelled(rows)])


def about_run(invocation: Invocation, project: OpenProject, run: RunView) -> AboutRun | None:
    """Ask a run's driver what it has to say about it, for whoever typed the command."""
    found = find_slice(run.driver)
    if found is None:
        return None
    at = Standpoint(
        records=project.records,
        checkout=project.preflight.checkout,
        start=invocation.directory,
        command=invocation.command,
    )
    return found.about_run(at, run)


def _outcome(project: OpenProject, run: RunView) -> Rows:
    is_whole = not run.degraded and StepStatus.SKIPPED not in {step.status for step in run.steps}
    if not (run.status is RunStatus.COMPLETED and is_whole):
        yield from outcome(project.records, run)


def _work(project: OpenProject, run: RunView, *, is_plain: bool) -> Rows:
    if run.commit is None or run.base is None:
        if run.status is RunStatus.COMPLETED and is_plain:
            yield "changes", "nothing was changed"
        return
    yield "branch", run.branch or ""
    yield "commit", f"{short(run.commit)} on top of {run.base.ref} at {short(run.base.sha)}"
    stat = project.repository.diff_stat(run.base.sha, run.commit)
    yield "changes", changes(project.redacted, stat)
    url = find_pull_request(project.records, run.id)
    if url is not None:
        yield "request", one_line(url)


def _left_out(project: OpenProject, run: RunView) -> Rows:
    told = [one_line(describe(event)) for event in find_left_out(project.records, run.id)]
    if told:
        yield "left out", "\n".join(told[-_ATTEMPTS:])


def changes(redact: Callable[[str], str], stat: str) -> str:
    """Show git's summary: a worker chose the names of the files, and how many there are."""
    lines = [line.strip() for line in redact(plain(stat)).strip().splitlines()]
    *files, total = lines or [""]
    more = [f"… and {len(files) - _FILES} more"] if len(files) > _FILES else []
    return "\n".join((*map(_file, files[:_FILES]), *more, total))


def _file(line: str) -> str:
    name, mark, extent = line.rpartition("|")
    return f"{shown_name(name.strip())} {mark}{extent}" if mark else shown_name(line)


def _took(run: RunView) -> str:
    seconds = (run.updated_at - run.created_at).total_seconds()
    attempts = sum(step.attempts for step in run.steps)
    visits = sum(step.visits for step in run.steps)
    worked = f"{counted(attempts, 'attempt')} of workers"
    return f"{seconds:.1f} s, {counted(visits, 'visit')} to steps, {worked}"


def _is_ready(project: OpenProject, run: RunView) -> bool:
    asked = find_question(project.records, run)
    return asked is not None and asked.reason == ApprovalReason.COMPLETION


def _next(invocation: Invocation, project: OpenProject, run: RunView) -> Rows:
    supervisor = invocation.command
    match run.status:
        case RunStatus.WAITING:
            yield from wait(project.records, run)
            asked = tuple(question(invocation, project.records, run))
            yield from asked
            # On a terminal the answer goes on with the run, and completing a task always does.
            if not (asked and (can_ask() or _is_ready(project, run))):
                yield "then", continuation(invocation, project.records, f"resume {run.id}")
        case RunStatus.COMPLETED:
            verbs = ("diff", "merge", "logs") if run.commit is not None else ("logs",)
            yield "next", "\n".join(f"{supervisor} {verb} {run.id}" for verb in verbs)
        case RunStatus.FAILED:
            failed = [step.step for step in run.steps if step.status is StepStatus.FAILED]
            at = f" --step {failed[-1]}" if failed else ""
            yield "next", f"{supervisor} logs {run.id}{at}"
            yield "", f"{supervisor} diff {run.id}"
            workers = [step.step for step in run.steps if step.role is not None]
            if workers:
                at_fault = [step for step in workers if step in failed] or workers
                yield "", f"{supervisor} fork {run.id} --at {at_fault[-1]}"
                yield "its work", f"{supervisor} workspace list --run {run.id}"
                yield "", f"{supervisor} workspace restore REF makes a branch of it"
        case RunStatus.QUEUED:
            yield "next", continuation(invocation, project.records, "serve")
        case _:
            if run.status not in ENDED:
                yield "next", continuation(invocation, project.records, f"resume {run.id}")
