"""`supervisor resume`."""

from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.foreground.foreground_run import ForegroundRun
from supervisor_ai.cli.foreground.progress import make_progress
from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import (
    fresh_option,
    json_option,
    run_argument,
    verbose_option,
    wait_option,
)
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.decisions.approvals import PersonsDecision, judge
from supervisor_ai.control.commands.run_execution import prepare_resume
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.status import ENDED


class _Options(TypedDict):
    run: str
    approve: bool
    reject: str | None
    no_cache: bool
    wait: bool
    verbose: bool
    as_json: bool


@verb(example="supervisor resume RUN --wait")
@run_argument
@click.option("--approve", is_flag=True, help="Say yes to what it asks, then go on.")
@click.option("--reject", metavar="REASON", help="Say no to what it asks, then go on.")
@fresh_option
@wait_option
@verbose_option
@json_option
@click.pass_obj
def resume(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Go on with a run from its last fact.

    What was finished is not repeated. A run that somebody else drives is left alone; a run that
    has ended is only shown. --no-cache holds until this command ends. RUN may be the beginning or
    the end of a run's name.
    """
    progress = make_progress(verbose=options["verbose"])
    project = invocation.project(progress, is_fresh=options["no_cache"])
    answer = _answer(options)
    will_approve = answer is not None and answer.is_approval
    row = run_interruptibly(prepare_resume(project, options["run"], will_approve=will_approve))
    if answer is not None:
        judge(project, row.id, answer)
    attendance = ForegroundRun(
        invocation=invocation,
        project=project,
        progress=progress,
        as_json=options["as_json"],
        wait=options["wait"],
    )
    return attendance.report(row.id) if row.status in ENDED else attendance.attend(row.id)


def _answer(options: _Options) -> PersonsDecision | None:
    if options["approve"] and options["reject"] is not None:
        raise InvalidInput("--approve and --reject were both given.", hint="Say one of them.")
    if options["approve"]:
        return PersonsDecision(is_approval=True)
    if options["reject"] is not None:
        return PersonsDecision(is_approval=False, words=options["reject"])
    return None
