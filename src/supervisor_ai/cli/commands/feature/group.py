"""`supervisor feature`."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Final, TypedDict, Unpack

import click

from supervisor_ai.cli.commands.feature.graphs import FORMS
from supervisor_ai.cli.commands.feature.land import land
from supervisor_ai.cli.commands.feature.office import (
    limits_of,
    open_office,
    print_feature,
    with_unplanned,
)
from supervisor_ai.cli.commands.feature.plan import edit, plan
from supervisor_ai.cli.commands.feature.undo import restart, rollback
from supervisor_ai.cli.commands.feature.wishes import cancel, pause, resume, retry, skip
from supervisor_ai.cli.commands.setup.trust import with_trust
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import (
    dry_run_option,
    json_option,
)
from supervisor_ai.cli.output import say, write, write_json
from supervisor_ai.cli.run_start import (
    StartOptions,
    attend,
    cli_option,
    overseer_option,
    start,
    start_options,
    wished,
)
from supervisor_ai.cli.tables import fitted
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.run_execution import prepare_resume
from supervisor_ai.control.commands.run_start import held_by
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.records import Records
from supervisor_ai.control.run_views import NEEDS_YOU, show_run
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.drivers.feature.commands.plans import (
    FeatureOffice,
    find_plan,
    forms_of,
    keep_plan,
    plan_names,
    read_plan,
    refuse_unfinished,
    unknown_roles,
)
from supervisor_ai.drivers.feature.commands.start import (
    FeatureRequest,
    prepare_feature,
)
from supervisor_ai.drivers.feature.plan.model import ComponentStatus
from supervisor_ai.drivers.feature.queries.views import (
    FeatureView,
    plan_view,
    row_of,
    run_view,
    standing_view,
    with_forms,
)
from supervisor_ai.drivers.feature.runs import feature_runs, newest_of

_FAILED_SHOWN: Final = 3


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


for _command in (plan, edit, restart, rollback, pause, resume, retry, skip, cancel, land):
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
    read = read_plan(office, Path(options["file"]))
    refuse_unfinished(office, read.feature.id)
    for note in unknown_roles(office, read.feature):
        say(note)
    if not options["dry_run"]:
        kept = keep_plan(office, read)
        say(f"Kept as {kept}. Build it: {invocation.command} feature run {read.feature.id}")
    view = with_forms(plan_view(read.feature, limits_of(office)), forms_of(office, read.feature))
    print_feature(view, as_json=options["as_json"])
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
    found = find_plan(office, options["feature"])
    view = standing_view(found.feature, limits_of(office), office.records)
    view = with_forms(view, forms_of(office, found.feature))
    view = with_unplanned(invocation, office, view)
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
        plan, view = newest.definition.feature, run_view(office.records, newest)
    else:
        plan = find_plan(office, name).feature
        view = standing_view(plan, limits_of(office), office.records)
    view = with_forms(view, forms_of(office, plan))
    view = with_unplanned(invocation, office, view)
    print_feature(view, as_json=options["as_json"])
    if not options["as_json"] and view.run is not None:
        paused = " and is paused" if view.is_paused else ""
        write(f"\nRun {view.run} {_stands(office.records, view)}{paused}; branch {view.branch}.")
        if view.problem is not None:
            write(one_line(view.problem))
        if view.critical_path:
            write(f"Critical path: {' → '.join(view.critical_path)}")
        write(f"It has cost {view.usage.cost} USD so far{_ahead(view)}.")
        for line in _ways_on(invocation, view):
            write(line)
        for part in (it for phase in view.phases for it in phase.components if it.undeclared):
            write(f"{part.id} has written undeclared files: {one_line(', '.join(part.undeclared))}")
        for it in view.made:
            if it.why is not None:
                again = f"{invocation.command} feature retry {view.id} {it.name}"
                write(f"{it.name} has failed: {one_line(it.why)} Try it again: {again}")
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
@overseer_option
@start_options
@click.pass_obj
def run(invocation: Invocation, **options: Unpack[_RunOptions]) -> int:
    """Build a feature: many components at once, one branch that is always green.

    FEATURE is the id of a plan that was loaded, or a file. Each component is built by a run of its
    own; finished ones are merged one at a time, and tested again on the merged files before the
    feature's branch moves. A run of the same feature that nobody drives is gone on with.
    """
    office = open_office(invocation)
    known = find_plan(office, options["feature"])
    newest = newest_of(office.records, known.feature.id)
    if newest is not None and newest.is_unfinished and not options["dry_run"]:
        return _go_on(invocation, newest.row.id, options)
    request = FeatureRequest(
        max_parallel=options["max_parallel"],
        **wished(options),
    )
    prepare = partial(prepare_feature, office, known.feature, request)
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
        standing_view(find_plan(office, it).feature, limits_of(office), None)
        for it in plan_names(office)
    ]
    if office.records is not None:
        newest = {it.definition.feature.id: it for it in reversed([*feature_runs(office.records)])}
        views += [run_view(office.records, it) for it in newest.values()]
    return views


def _stands(records: Records | None, view: FeatureView) -> str:
    """Say how a run stands: one that only waits for people in its components is not running."""
    waits = any(it.status is ComponentStatus.REVIEW for at in view.phases for it in at.components)
    if records is None or view.run is None:
        return f"is {view.run_status}"
    owner = records.queries.owner(view.run)
    is_driven = owner is not None and owner.is_alive
    is_still = view.run_status is RunStatus.RUNNING and not is_driven
    standing = show_run(records, view.run).standing
    word = NEEDS_YOU if waits and is_still else standing
    return word if word == NEEDS_YOU else f"is {word}"


def _ways_on(invocation: Invocation, view: FeatureView) -> Iterator[str]:
    """Say what can be typed about components that have failed, where their run waits for it."""
    if view.run_status is not RunStatus.WAITING:
        return
    failed = [
        f"{phase.name}.{it.name}"
        for phase in view.phases
        for it in phase.components
        if it.status is ComponentStatus.FAILED
    ]
    if failed:
        verbs = f"{invocation.command} feature retry|skip {view.id}"
        yield f"Try it again, or do without it: {verbs} {'|'.join(failed[:_FAILED_SHOWN])}"


def _ahead(view: FeatureView) -> str:
    """Say how long it takes on, where the components that are done tell it."""
    if not view.seconds_left:
        return ""
    return f"; at least {timedelta(seconds=view.seconds_left)} are left, judged by what is done"
