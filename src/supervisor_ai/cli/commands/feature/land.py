"""`supervisor feature land`."""

from typing import TYPE_CHECKING, TypedDict, Unpack, cast

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import dry_run_option, json_option
from supervisor_ai.cli.output import report_mutation
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.domain.errors import Conflict, NotFound
from supervisor_ai.drivers.feature.commands.land import Lander, landed_view, request_of
from supervisor_ai.drivers.feature.projects.landings import LandingState, LandingStatus
from supervisor_ai.drivers.feature.projects.stream import LandingView, earlier_landings
from supervisor_ai.drivers.feature.runs import newest_of, state_of

if TYPE_CHECKING:
    from supervisor_ai.drivers.feature.projects.ports import LandingRequest, ProjectLandings


class _Options(TypedDict):
    feature: str
    dry_run: bool
    as_json: bool


@verb(example="supervisor feature land P1T5 --dry-run")
@click.argument("feature", metavar="FEATURE")
@dry_run_option
@json_option
@click.pass_obj
def land(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Land a feature in all of its repositories, or in none.

    For features whose projects are repositories of their own. In each of them the branch from which
    the feature was built takes its part as one commit. All commits are made first and kept under
    refs; then the branches move one after the other. If one has moved meanwhile, those before it go
    back. Every move is recorded, so that after a crash the same command finishes or undoes it.
    """
    project = invocation.project()
    name = options["feature"]
    run = newest_of(project.records, name)
    if run is None:
        raise NotFound(
            f"No run has built the feature {name!r}.",
            hint=f"Start one: {invocation.command} feature run {name}",
        )
    landings = cast("ProjectLandings", invocation.port("feature", "landings"))
    here = str(project.preflight.checkout)

    def make_request() -> "LandingRequest":
        earlier = earlier_landings(project.records, run.row)
        return request_of(run, state_of(project.records, run), here, earlier)

    view = LandingView(project.world.log, run.row.id)
    if options["dry_run"]:
        moves = landings.prepare(make_request(), dry_run=True)
        status = LandingStatus.MOVING if moves else LandingStatus.NONE
        state = LandingState(status=status, moves=moves)
        shown = landed_view(run.row.id, state, dry_run=True)
        return report_mutation(shown, as_json=options["as_json"])
    lander = Lander(view=view, landings=landings, actor=project.actor)
    state = lander.land(make_request)
    if state.status in {LandingStatus.UNDONE, LandingStatus.SPLIT}:
        raise Conflict(
            landed_view(run.row.id, state).detail,
            hint=f"Look at the branches, then try again: {invocation.command} feature land {name}",
        )
    report_mutation(landed_view(run.row.id, state), as_json=options["as_json"])
    return DONE
