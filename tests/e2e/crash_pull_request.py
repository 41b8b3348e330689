"""Follows the pull request of a run to its end, and dies by SIGKILL where it is told to.

`main(DIRECTORY, CLOCK, NAME)` starts a run in the directory, or
goes on with the one that is there; NAME is the beginning of the boundary's name at which it dies.
"""

import asyncio
from pathlib import Path

from tests.e2e.crash_ports import NamedBoundaries, crashing
from tests.support.followed_session import LateClock

from supervisor_ai.bootstrap.projects import open_project, read_settings
from supervisor_ai.control.commands.run_execution import drive_run
from supervisor_ai.control.commands.run_start import StartRequest, prepare, submit
from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.structs import replace


def started(project: OpenProject) -> RunId:
    rows, _ = project.records.queries.runs(limit=1)
    if rows:
        return rows[0].id
    request = StartRequest(task="Write the visit down.", workflow="shown")
    return asyncio.run(submit(project, prepare(project.preflight, request), queued=False))


def main(directory: str, file: str, name: str | None = None) -> None:
    clock, alter = LateClock(Path(file)), crashing(NamedBoundaries(name))
    project = open_project(
        Path(directory),
        read_settings(),
        alter=lambda world: alter(replace(world, clock=clock)),
    )
    run = started(project)
    while (result := asyncio.run(drive_run(project, run))).due is not None:
        clock.wait_for(result.due)
