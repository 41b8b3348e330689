"""`supervisor demo feature`: eight components in three phases, by a scripted agent."""

from pathlib import Path
from typing import Final

import click

from supervisor_ai.cli.commands.feature.graphs import draw_tree
from supervisor_ai.cli.commands.feature.office import open_office
from supervisor_ai.cli.foreground.foreground_run import ForegroundRun
from supervisor_ai.cli.foreground.progress import make_progress
from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.output import can_ask, say, write
from supervisor_ai.control.commands.decisions.approvals import PersonsDecision, judge
from supervisor_ai.control.commands.demo_project import make_demo_project
from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.drivers.feature.commands.plans import keep_plan, read_plan
from supervisor_ai.drivers.feature.commands.start import FeatureRequest, prepare_feature
from supervisor_ai.drivers.feature.queries.views import run_view
from supervisor_ai.drivers.feature.runs import children_of, newest_of

_PLAN: Final = Path("shop.yaml")
_PACKAGE: Final = "supervisor_ai.definitions.feature"
_MOST_QUESTIONS: Final = 10


def show_feature(*, verbose: bool, as_json: bool) -> int:
    """Build a small shop: two at a time, with a conflict, a failing test and an approval."""
    from supervisor_ai.bootstrap.projects import commit_demo

    # The project was made a moment ago by us, so that there is nothing to ask about trust.
    directory = make_demo_project(commit_demo, _PACKAGE, "builtin/demo")
    here = Invocation(directory=directory, trusts=True)
    office = open_office(here)
    plan = read_plan(office, _PLAN)
    keep_plan(office, plan)
    say(f"A small shop of eight components with a scripted agent: {directory}")
    say("Two of them write the same file, one test fails at first, one commit needs your yes.\n")
    prepared = prepare_feature(office, plan.feature, FeatureRequest())
    progress = make_progress(verbose=verbose)
    project = here.project(progress)
    run = run_interruptibly(prepared.submit(project, prepared.prepared, queued=False))
    attendance = ForegroundRun(invocation=here, project=project, progress=progress, as_json=as_json)
    code = _attend(attendance, project, run)
    newest = newest_of(project.records, plan.feature.id)
    if newest is not None and not as_json:
        write(f"\n{draw_tree(run_view(project.records, newest))}")
    say(f"\nThe project stays in {directory}. Look around: {here.command} feature status SHOP")
    return code


def _attend(attendance: ForegroundRun, project: OpenProject, run: RunId) -> int:
    """Drive the feature; where a component waits for a person, ask and go on."""
    for _ in range(_MOST_QUESTIONS):
        code = attendance.drive(run)
        if code is not None:
            return code
        asking = [
            it.id
            for it in children_of(project.records, project.records.find(run))
            if _is_asking(project, it.id)
        ]
        if not asking:
            break
        for child in asking:
            _answer(project, child)
    return attendance.report(run)


def _is_asking(project: OpenProject, run: RunId) -> bool:
    row = project.records.queries.run(run)
    return row is not None and row.status is RunStatus.WAITING


def _answer(project: OpenProject, run: RunId) -> None:
    say(f"Run {run} asks a person before it commits.")
    if can_ask():
        is_agreed = click.confirm("Approve?", default=True, err=True)
    else:
        say("Nobody is there to ask, so the demo says yes.")
        is_agreed = True
    words = None if is_agreed else "Not yet."
    judge(project, run, PersonsDecision(is_approval=is_agreed, words=words, tree=None))
