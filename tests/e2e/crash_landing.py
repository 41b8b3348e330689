"""Lands the newest feature of a directory, and dies by SIGKILL at a boundary.

`main(DIRECTORY, NAME, NUMBER)` does what `feature land` does, as a landing of its own called NAME,
so that one feature can be landed many times; at the boundary with that number it dies. Without one
it prints the names of all.
"""

import json
import sys
from contextlib import AbstractContextManager
from pathlib import Path

from tests.e2e.crash_ports import Boundaries, crashing

from supervisor_ai.bootstrap.projects import open_project, read_settings
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.commands.land import Lander, request_of
from supervisor_ai.drivers.feature.projects.landings import RepositoryMove
from supervisor_ai.drivers.feature.projects.ports import (
    LandingRequest,
    MoveStand,
    ProjectLandings,
)
from supervisor_ai.drivers.feature.projects.stream import LandingView
from supervisor_ai.drivers.feature.runs import newest_of, state_of
from supervisor_ai.workspaces.commits.project_landings import GitProjectLandings
from supervisor_ai.workspaces.repositories.repository import GitRepository


class CrashingLandings:
    """Landings with a boundary on either side of what they change."""

    def __init__(self, landings: ProjectLandings, at: Boundaries) -> None:
        self._landings = landings
        self._at = at

    def alone(self) -> AbstractContextManager[None]:
        return self._landings.alone()

    def prepare(
        self, request: LandingRequest, *, dry_run: bool = False
    ) -> tuple[RepositoryMove, ...]:
        self._at.mark("before the commits are made")
        moves = self._landings.prepare(request, dry_run=dry_run)
        self._at.mark("after the commits are made")
        return moves

    def stand(self, move: RepositoryMove) -> MoveStand:
        return self._landings.stand(move)

    def move(self, move: RepositoryMove) -> None:
        self._at.mark(f"before {move.repository} moves")
        self._landings.move(move)
        self._at.mark(f"after {move.repository} moves")

    def restore(self, move: RepositoryMove) -> None:
        self._at.mark(f"before {move.repository} goes back")
        self._landings.restore(move)
        self._at.mark(f"after {move.repository} goes back")


def main(directory: str, name: str, number: str | None = None) -> None:
    at = Boundaries(None if number is None else int(number))
    project = open_project(Path(directory), read_settings(), alter=crashing(at))
    run, repository = newest_of(project.records, "P1"), project.repository
    if run is None or not isinstance(repository, GitRepository):
        raise InternalError("No feature was built here.")
    request = replace(request_of(run, state_of(project.records, run), directory), run=RunId(name))
    landings = GitProjectLandings(repository, Path(directory).parent / "landings")
    lander = Lander(
        view=LandingView(project.world.log, request.run),
        landings=CrashingLandings(landings, at),
        actor=project.actor,
    )
    state = lander.land(lambda: request)
    sys.stdout.write(json.dumps({"passed": at.passed, "status": state.status.value}))
