"""A supervisor with a short lease: `python -m tests.e2e.short_lease DIRECTORY [RUN]`.

Exits as the command line does: 4 when somebody else owns the run.
"""

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

from supervisor_ai.bootstrap.projects import open_project, read_settings
from supervisor_ai.control.commands.run_execution import drive_family
from supervisor_ai.control.commands.run_start import StartRequest, prepare, submit
from supervisor_ai.domain.errors import Busy
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.world import Timing, World

LEASE = Timing(lease=timedelta(seconds=1.5), poll=timedelta(seconds=0.1))
BUSY = 4


def hurried(world: World) -> World:
    """Shorten the lease."""
    return replace(world, timing=LEASE)


async def supervise(directory: Path, name: str | None) -> None:
    """Start a run, or go on with one."""
    project = open_project(directory, read_settings(), alter=hurried)
    if name is None:
        prepared = prepare(project.preflight, StartRequest(task="Write the file"))
        run = await submit(project, prepared, queued=False)
    else:
        run = project.records.find(name).id
    await drive_family(project, run)


if __name__ == "__main__":
    try:
        asyncio.run(supervise(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None))
    except Busy as busy:
        sys.stderr.write(f"{type(busy).__name__}: {busy}\n")
        sys.exit(BUSY)
