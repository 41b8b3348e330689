"""`supervisor feature plan|edit`: a plan before it is built."""

from functools import partial
from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.commands.feature.graphs import draw_graph, draw_tree
from supervisor_ai.cli.commands.feature.office import limits_of, open_office, print_feature
from supervisor_ai.cli.commands.setup.trust import with_trust
from supervisor_ai.cli.editor import edit_copies
from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import (
    json_option,
)
from supervisor_ai.cli.output import can_ask, say, write, write_json
from supervisor_ai.cli.run_start import (
    StartOptions,
    agreed,
    attend,
    cli_option,
    show_prepared,
    start_options,
    wished,
)
from supervisor_ai.cli.streams import read_stdin
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.run_start import submit
from supervisor_ai.control.exit_codes import DONE, FAILED
from supervisor_ai.control.run_views import show_run
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.drivers.feature.commands.plan_start import PlanRequest, prepare_plan
from supervisor_ai.drivers.feature.commands.plans import (
    FeatureOffice,
    KeptPlan,
    find_plan,
    keep_edited,
    text_to_edit,
)
from supervisor_ai.drivers.feature.commands.replan import editable_run, take_edited
from supervisor_ai.drivers.feature.queries.views import plan_view


class _PlanOptions(StartOptions):
    title: str
    feature: str | None


class _EditOptions(TypedDict):
    feature: str
    as_json: bool


@verb(example='supervisor feature plan "User authentication"')
@click.argument("title")
@click.option("--id", "feature", metavar="ID", help="Call it so, not by the next free number.")
@cli_option
@start_options
@click.pass_obj
def plan(invocation: Invocation, **options: Unpack[_PlanOptions]) -> int:
    """Let agents plan a feature.

    A planner takes it apart into phases, a tech lead the phases into components, dependencies and
    interfaces. What they answer is checked as a whole; a tech lead whose plan has mistakes is told
    all of them. The plan is kept as .supervisor/features/ID.yaml, where you can edit it until it is
    built. The first line of TITLE is the title, `-` reads all of it from stdin.
    """
    words = read_stdin() if options["title"] == "-" else options["title"]
    office = open_office(invocation)
    request = PlanRequest(
        words=words,
        feature=options["feature"],
        **wished(options),
    )
    found = with_trust(invocation, options, partial(prepare_plan, office, request))
    if options["dry_run"]:
        return show_prepared(found.prepared, as_json=options["as_json"])
    prepared = agreed(found.prepared, options)
    if prepared is None:
        return FAILED
    attendance = attend(invocation, options)
    submission = submit(attendance.project, prepared, queued=options["queue"])
    if options["queue"]:
        return attendance.begin(submission, queued=True)
    run = run_interruptibly(submission)
    code = attendance.drive(run)
    if code is not None:
        return code
    view = show_run(attendance.project.records, run)
    if view.status is not RunStatus.COMPLETED:
        return attendance.report(run)
    drawn = plan_view(find_plan(office, found.feature).feature, limits_of(office))
    if options["as_json"]:
        write_json({"run": view, "feature": drawn})
        return DONE
    write(f"{draw_tree(drawn)}\n\n{draw_graph(drawn)}")
    say(f"Change it: {invocation.command} feature edit {found.feature}")
    say(f"Build it:  {invocation.command} feature run {found.feature}")
    return DONE


@verb(example="supervisor feature edit P1T5")
@click.argument("feature", metavar="FEATURE")
@json_option
@click.pass_obj
def edit(invocation: Invocation, **options: Unpack[_EditOptions]) -> int:
    """Change the plan of a feature before it is built.

    Your EDITOR is opened on a copy. A plan with a mistake does not take the place of the one that
    is kept; what you wrote is kept beside it, and the next edit goes on from there. Where a run
    waits because its interfaces could not be locked, it goes on with the edited plan.
    """
    office = open_office(invocation)
    feature = options["feature"]
    run = editable_run(office, feature)
    made = _edited(office, feature)
    if run is not None:
        take_edited(invocation.project(), run, made.feature)
        say(f"The interfaces are locked anew. Go on: {invocation.command} feature run {feature}")
    print_feature(plan_view(made.feature, limits_of(office)), as_json=options["as_json"])
    return DONE


def _edited(office: FeatureOffice, feature: str) -> KeptPlan:
    """Open the editor until the plan has no mistake, or the person gives up for now."""
    while True:
        name = f"{feature}.yaml"
        before = text_to_edit(office, feature)
        typed = edit_copies({name: before})[name]
        try:
            text = typed.decode()
        except UnicodeDecodeError as error:
            raise InvalidInput("What was typed is not valid UTF-8; nothing was changed.") from error
        try:
            return keep_edited(office, feature, text, before=before)
        except InvalidInput as error:
            say(error.message)
            if not can_ask() or not click.confirm("Edit again?", default=True, err=True):
                raise
