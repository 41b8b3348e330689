"""Starting the run that watches over a team."""

from supervisor_ai.control.commands.run_start import (
    PreparedRun,
    StartRequest,
    checked,
    find_base,
    pin,
)
from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import Conflict
from supervisor_ai.domain.ids import run_stream
from supervisor_ai.domain.run.events import PermitGranted
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.driver import TeamDriver
from supervisor_ai.drivers.team.machines.teardown import TeardownStatus
from supervisor_ai.drivers.team.residence.definition import permit_of
from supervisor_ai.drivers.team.residence.wishes import WantedWatch


def unfinished_watch(records: Records, name: str) -> RunRow | None:
    """Return the run that holds a team's permit, also one that has not looked at it yet."""
    held = PermitGranted(permit=permit_of(name))
    for row in records.queries.runs_of(TeamDriver.name):
        begun = records.log.read(run_stream(row.id), upto=2)
        if row.status not in ENDED and any(it.event == held for it in begun):
            return row
    return None


def prepare_watch(
    preflight: Preflight, teams: TeamDesk, name: str, base: str | None = None
) -> PreparedRun:
    """Look up what the supervisor of a team needs, without changing anything."""
    if teams.state(name).teardown.status is TeardownStatus.TEAM_DELETED:
        raise Conflict(f"Team {name!r} was deleted.", hint="Make a new one.")
    asked = checked(preflight, StartRequest(task=f"Watch over team {name}", base=base))
    found = find_base(preflight, base)
    loaded = preflight.catalog.resolve_for(TeamDriver.name, found.sha, WantedWatch(team=name))
    prepared = pin(preflight, asked, found, loaded)
    return replace(prepared, driver=TeamDriver.name, permit=permit_of(name))
