"""`supervisor feature`."""

from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack, cast

import click

from supervisor_ai.cli.commands.feature_graphs import FORMS, draw_tree
from supervisor_ai.cli.commands.feature_wishes import cancel, pause, resume, retry, skip
from supervisor_ai.cli.commands.setup.trust import with_trust
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import (
    dry_run_option,
    fresh_option,
    json_option,
    queue_option,
    verbose_option,
    wait_option,
    yes_option,
)
from supervisor_ai.cli.output import say, write, write_json
from supervisor_ai.cli.run_start import (
    StartOptions,
    attend,
    budget_option,
    cli_option,
    sandbox_option,
    start,
    start_option,
)
from supervisor_ai.cli.tables import fitted
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.run_execution import prepare_resume
from supervisor_ai.control.commands.run_start import held_by
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line
from supervisor_ai.domain.errors import Conflict
from supervisor_ai.domain.ids import RunId
from supervisor_ai.drivers.feature.commands.plans import (
    FeatureOffice,
    find_plan,
    keep_plan,
    plan_names,
    read_plan,
)
from supervisor_ai.drivers.feature.commands.start import (
    FeatureRequest,
    feature_settings,
    prepare_feature,
)
from supervisor_ai.drivers.feature.plan.terms import ParallelLimits
from supervisor_ai.drivers.feature.queries.views import (
    FeatureView,
    plan_view,
    row_of,
    run_view,
    standing_view,
)
from supervisor_ai.drivers.feature.runs import feature_runs, newest_of

if TYPE_CHECKING:
    from supervisor_ai.drivers.feature.ports import PlanReader


class _LoadOptions(TypedDict):
    file: str
    dry_run: bool
    as_json: bool


class _ShowOptions(TypedDict):
    feature: str
    form: str
    as_json: bool


class _Options(TypedDict):
    feature: str
    as_json: bool


class _RunOptions(StartOptions):
    feature: str
    max_parallel: int | None


@click.group(help="Build a feature of many components at once")
def feature() -> None:
    """Build a feature of many components at once."""


for _command in (pause, resume, retry, skip, cancel):
    feature.add_command(_command)


@verb(example="supervisor feature load auth.yaml", group=feature)
@click.argument("file")
@dry_run_option
@json_option
@click.pass_obj
def load(invocation: Invocation, **options: Unpack[_LoadOptions]) -> int:
    """Check the plan of a feature and keep it.

    Every mistake is told at once, with its file and line: cycles with their path, unknown
    components, files that two components claim without an order. The plan is kept as
    .supervisor/features/ID.yaml, where you can edit it until it is built.
    """
    office = open_office(invocation)
    plan = read_plan(office, Path(options["file"]))
    newest = newest_of(office.records, plan.feature.id)
    if newest is not None and newest.is_unfinished:
        raise Conflict(
            f"Run {newest.row.id!r} builds the feature {plan.feature.id!r} as it was planned.",
            hint=f"First: {invocation.command} feature cancel {plan.feature.id}",
        )
    if not options["dry_run"]:
        kept = keep_plan(office, plan)
        say(f"Kept as {kept}. Build it: {invocation.command} feature run {plan.feature.id}")
    _print(plan_view(plan.feature, _limits(office)), as_json=options["as_json"])
    return DONE


@verb(example="supervisor feature show P1T5 --format svg > auth.svg", group=feature)
@click.argument("feature", metavar="FEATURE")
@click.option(
    "--format",
    "form",
    type=click.Choice(tuple(FORMS)),
    default="tree",
    show_default=True,
    help="How to draw it.",
)
@json_option
@click.pass_obj
def show(invocation: Invocation, **options: Unpack[_ShowOptions]) -> int:
    """Draw a feature: its phases, components and what waits for what.

    FEATURE is the id of a plan that was loaded, or a file. As a tree, as a graph for a terminal,
    as Mermaid for a document, or as an SVG picture; a star marks the critical path.
    """
    office = open_office(invocation)
    plan = find_plan(office, options["feature"])
    view = standing_view(plan.feature, _limits(office), office.records)
    if options["as_json"]:
        write_json({"feature": view})
    else:
        write(FORMS[options["form"]](view))
    return DONE


@verb(example="supervisor feature status P1T5", group=feature)
@click.argument("feature", metavar="FEATURE")
@json_option
@click.pass_obj
def status(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Show how a feature stands.

    You see the status of each component, the run that builds it, and why one that waits does so.
    """
    office = open_office(invocation)
    name = options["feature"]
    newest = newest_of(office.records, name)
    if newest is not None and office.records is not None:
        view = run_view(office.records, newest)
    else:
        plan = find_plan(office, name)
        view = standing_view(plan.feature, _limits(office), office.records)
    _print(view, as_json=options["as_json"])
    if not options["as_json"] and view.run is not None:
        waits = " and is paused" if view.is_paused else ""
        write(f"\nRun {view.run} is {view.run_status}{waits}; branch {view.branch}.")
        write(f"It has cost {view.usage.cost} USD so far{_ahead(view)}.")
    return DONE


@verb(example="supervisor feature list", name="list", group=feature)
@json_option
@click.pass_obj
def list_features(invocation: Invocation, as_json: bool) -> int:  # noqa: FBT001 - click's way
    """List the features that were loaded or built here."""
    office = open_office(invocation)
    views = {it.id: it for it in _known(office)}
    rows = [row_of(views[name]) for name in sorted(views)]
    if as_json:
        write_json({"features": rows})
        return DONE
    if not rows:
        write(f"No feature is planned. Load one: {invocation.command} feature load FILE.yaml")
        return DONE
    table = [("FEATURE", "STATUS", "DONE", "TITLE")]
    for row in rows:
        done = f"{row.progress.completed}/{row.progress.total}"
        table.append((row.id, row.status.value, done, one_line(row.title)))
    write("\n".join(fitted(table)))
    return DONE


@verb(example="supervisor feature run P1T5 --max-parallel 4 --yes", group=feature)
@click.argument("feature", metavar="FEATURE")
@click.option(
    "--max-parallel",
    type=click.IntRange(1, 64),
    metavar="N",
    help="Build so many components at the same time.",
)
@cli_option
@start_option
@sandbox_option
@budget_option
@fresh_option
@queue_option
@wait_option
@dry_run_option
@yes_option
@verbose_option
@json_option
@click.pass_obj
def run(invocation: Invocation, **options: Unpack[_RunOptions]) -> int:
    """Build a feature: many components at once, one branch that is always green.

    FEATURE is the id of a plan that was loaded, or a file. Each component is built by a run of its
    own; finished ones are merged one at a time, and tested again on the merged files before the
    feature's branch moves. A run of the same feature that nobody drives is gone on with.
    """
    office = open_office(invocation)
    plan = find_plan(office, options["feature"])
    newest = newest_of(office.records, plan.feature.id)
    if newest is not None and newest.is_unfinished and not options["dry_run"]:
        return _go_on(invocation, newest.row.id, options)
    request = FeatureRequest(
        base=options["base"],
        cli=options["cli"],
        sandbox=options["sandbox"],
        budget=options["budget"],
        max_parallel=options["max_parallel"],
        is_fresh=options["no_cache"],
    )
    prepare = partial(prepare_feature, office, plan.feature, request)
    found = with_trust(invocation, options, prepare)
    return start(invocation, found.prepared, options, submit=found.submit)


def _go_on(invocation: Invocation, unfinished: RunId, options: StartOptions) -> int:
    """Go on with the run that builds the feature, unless somebody drives it now."""
    from supervisor_ai.cli.interrupts import run_interruptibly

    attendance = attend(invocation, options)
    owner = attendance.project.records.queries.owner(unfinished)
    if owner is not None and owner.is_alive:
        raise held_by(attendance.project, unfinished)
    say(f"Run {unfinished} builds this feature and nobody drives it; it is gone on with.")
    run_interruptibly(prepare_resume(attendance.project, unfinished))
    return attendance.attend(unfinished)


def _known(office: FeatureOffice) -> list[FeatureView]:
    views = [
        standing_view(find_plan(office, it).feature, _limits(office), None)
        for it in plan_names(office)
    ]
    if office.records is not None:
        newest = {it.definition.feature.id: it for it in reversed([*feature_runs(office.records)])}
        views += [run_view(office.records, it) for it in newest.values()]
    return views


def _ahead(view: FeatureView) -> str:
    """Say how long it takes on, where the components that are done tell it."""
    if not view.seconds_left:
        return ""
    return f"; at least {timedelta(seconds=view.seconds_left)} are left, judged by what is done"


def _limits(office: FeatureOffice) -> ParallelLimits:
    commit = office.preflight.repository.resolve(None).sha
    return feature_settings(office, commit).slots


def _print(view: FeatureView, *, as_json: bool) -> None:
    if as_json:
        write_json({"feature": view})
    else:
        write(draw_tree(view))


def open_office(invocation: Invocation) -> FeatureOffice:
    """Open what features are planned with."""
    return FeatureOffice(
        preflight=invocation.preflight(),
        reader=cast("PlanReader", invocation.port("feature", "reader")),
        records=invocation.records(),
        start=invocation.directory,
    )
