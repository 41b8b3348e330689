"""Starts a run or goes on with one, and dies by SIGKILL at a boundary.

`main(DIRECTORY, NAME, RUN)`: NAME is the beginning of the boundary's
name. Where none is called so, the names of all that were passed are printed.
"""

import asyncio
import json
import sys
from pathlib import Path

from tests.e2e.crash_ports import Boundaries, NamedBoundaries, crashing

from supervisor_ai.bootstrap.projects import open_project, read_settings
from supervisor_ai.control.commands.run_execution import drive_family
from supervisor_ai.control.commands.run_start import StartRequest, prepare, submit


async def supervise(directory: Path, at: Boundaries, name: str | None) -> None:
    """Do what `run` and `resume` do."""
    project = open_project(directory, read_settings(), alter=crashing(at))
    if name is None:
        request = StartRequest(task="Do it", workflow="quick")
        run = await submit(project, prepare(project.preflight, request), queued=False)
    else:
        run = project.records.find(name).id
    await drive_family(project, run)


def main(directory: str, name: str, run: str | None = None) -> None:
    at = NamedBoundaries(name)
    asyncio.run(supervise(Path(directory), at, run))
    sys.stdout.write(json.dumps(at.passed))
