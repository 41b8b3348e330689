"""`supervisor approve` and `supervisor reject`."""

from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import (
    drive_option,
    dry_run_option,
    fresh_option,
    json_option,
    run_argument,
    tree_option,
)
from supervisor_ai.cli.output import can_ask, report_mutation, say
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.approvals import PersonsDecision, judge
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import RunId


class _Shared(TypedDict):
    run: str
    tree: str | None
    drive: bool | None
    no_cache: bool
    dry_run: bool
    as_json: bool


class _ApproveOptions(_Shared):
    note: str | None


class _RejectOptions(_Shared):
    reason: str


@verb(example='supervisor approve RUN --note "Use port 8080"')
@run_argument
@click.option("--note", metavar="TEXT", help="Words for the next worker; why you accept findings.")
@tree_option
@drive_option
@fresh_option
@dry_run_option
@json_option
@click.pass_obj
def approve(invocation: Invocation, **options: Unpack[_ApproveOptions]) -> int:
    """Say yes to what a run asks.

    The answer is bound to the tree that the run asks about. Whoever drives the run takes it in;
    on a terminal, where nobody does, the run goes on here. What a yes means depends on the
    question, which `supervisor status RUN` shows:

    \b
      a step that asks     the run goes on
      a blocked worker     it tries again, and is told your note
      findings of a gate   they are accepted as they are; --note has to say why
      a review loop        you overrule the reviewers, and the step passes
      an impossible wait   the step passes without those who cannot be had
      a pull request       you opened it yourself, and the run goes on
      files of the plan    you mended them, and they are read again
      a refused landing    it is tried again
    """  # noqa: D301 - \b keeps click from joining the lines
    judgement = PersonsDecision(is_approval=True, words=options["note"], tree=options["tree"])
    return _judge(invocation, judgement, options)


@verb(example='supervisor reject RUN --reason "The endpoint must not need a login"')
@run_argument
@click.option("--reason", required=True, metavar="TEXT", help="Why; the next worker is told.")
@tree_option
@drive_option
@fresh_option
@dry_run_option
@json_option
@click.pass_obj
def reject(invocation: Invocation, **options: Unpack[_RejectOptions]) -> int:
    """Say no to what a run asks.

    What a no means depends on the question, which `supervisor status RUN` shows:

    \b
      a step that asks     back with your words: to `on_reject`, else to who made it
      a blocked worker     the run ends
      findings of a gate   back to the worker with your words
      a review loop        back to the worker with your words; rounds are counted anew
      an impossible wait   back to the worker with your words
      a pull request       the run ends
      files of the plan    the run ends
      a refused landing    it is done again, from the files as they are now
    """  # noqa: D301 - \b keeps click from joining the lines
    judgement = PersonsDecision(is_approval=False, words=options["reason"], tree=options["tree"])
    return _judge(invocation, judgement, options)


def _judge(invocation: Invocation, judgement: PersonsDecision, options: _Shared) -> int:
    _require_use(options, drives=_drives(options, is_free=True))
    project = invocation.project()
    run = project.records.find(options["run"]).id
    owner = project.records.queries.owner(run)
    is_free = owner is None or not owner.is_alive
    drives = _drives(options, is_free=is_free)
    _require_use(options, drives=drives)
    if drives and not options["dry_run"]:
        if options["drive"] is None:
            say("Nobody drives the run now, so it goes on here; --no-drive leaves it alone.")
        return _judge_and_drive(invocation, judgement, options)
    mutation = judge(project, run, judgement, dry_run=options["dry_run"])
    if not options["dry_run"] and is_free:
        say(f"Nobody drives the run now. Go on with: {invocation.command} resume {run}")
    return report_mutation(mutation, as_json=options["as_json"])


def _require_use(options: _Shared, *, drives: bool) -> None:
    if options["no_cache"] and not drives:
        raise InvalidInput(
            "--no-cache was asked for, but nothing is driven here.",
            hint="Add --drive, or say it where the run goes on: supervisor resume --no-cache",
        )


def _drives(options: _Shared, *, is_free: bool) -> bool:
    """Go on with the run where that is said, or where a person would have to do it next."""
    if options["drive"] is not None:
        return options["drive"]
    return is_free and can_ask() and not options["as_json"]


def _judge_and_drive(invocation: Invocation, judgement: PersonsDecision, options: _Shared) -> int:
    from supervisor_ai.cli.foreground_run import ForegroundRun
    from supervisor_ai.cli.interrupts import run_interruptibly
    from supervisor_ai.cli.progress import make_progress
    from supervisor_ai.control.commands.run_execution import prepare_resume

    progress = make_progress(verbose=False)
    project = invocation.project(progress, is_fresh=options["no_cache"])
    preparation = prepare_resume(project, options["run"], will_approve=judgement.is_approval)
    run_interruptibly(preparation)
    run = RunId(judge(project, options["run"], judgement).target)
    attendance = ForegroundRun(
        invocation=invocation, project=project, progress=progress, as_json=options["as_json"]
    )
    return attendance.attend(run)
