"""The team slice: everything that others need of the driver, registered."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from supervisor_ai.control.ports.definitions import Catalog, Loaded
from supervisor_ai.control.slices import Rows, Slice, SliceReference, TaskDesk, TaskList
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.drivers.team.driver import TeamDriver
from supervisor_ai.drivers.team.residence.definition import (
    TeamDefinition,
    expect_team,
    permit_of,
)
from supervisor_ai.drivers.team.residence.run_events import TEAM_RUN_EVENTS
from supervisor_ai.drivers.team.residence.sentences import TEAM_SENTENCES
from supervisor_ai.drivers.team.residence.wishes import WantedWatch
from supervisor_ai.drivers.team.stream import TEAM_STREAM
from supervisor_ai.engine.playback import opener

if TYPE_CHECKING:
    from supervisor_ai.control.run_views import RunView
    from supervisor_ai.engine.world import Performers


def _today(catalog: Catalog, pinned: Definition, commit: CommitSha, cli: str | None) -> Loaded:
    """Load what a supervisor of the same team would pin today; it asks no agent."""
    del cli
    wanted = WantedWatch(team=expect_team(pinned).team)
    return catalog.resolve_for(TeamDriver.name, commit, wanted)


def _performers(ports: Mapping[str, object]) -> "Performers":
    from supervisor_ai.drivers.team.performers import make_performers

    return make_performers(ports)


def _preview(definition: Definition) -> Rows:
    return (("team", expect_team(definition).team),)


def _task_list(desk: TaskDesk, run: "RunView", ports: Mapping[str, object]) -> TaskList | None:
    from supervisor_ai.drivers.team.queries.live import live_list

    return live_list(desk, run, ports)


def _reference() -> SliceReference:
    from supervisor_ai.drivers.team.queries.reference import REFERENCE

    return REFERENCE


SLICE: Final = Slice(
    driver=opener(TeamDriver()),
    definition=TeamDefinition,
    events=TEAM_RUN_EVENTS,
    streams=(TEAM_STREAM,),
    performers=_performers,
    sentences=TEAM_SENTENCES,
    permit=lambda pinned: permit_of(expect_team(pinned).team),
    today=_today,
    preview=_preview,
    task_list=_task_list,
    reference=_reference,
)
