"""A supervisor that starts a run, or goes on with one, and may die on the way, by SIGKILL.

Its order is `{"directory": …, "kill_at": N or null, "run": name or null, "kanban": file or null,
"kanban_directory": name or null, "remit": words or null}`; it dies at boundary N. Unless it does,
it prints the boundaries that it passed, and what the disk looked like at each of them.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from tests.e2e.crash_ports import Boundaries, crashing

from supervisor_ai.bootstrap.projects import open_project, read_settings
from supervisor_ai.control.commands.run_execution import drive_family
from supervisor_ai.control.commands.run_start import PreparedRun, StartRequest, prepare, submit
from supervisor_ai.control.project import OpenProject
from supervisor_ai.documents.kanban_reader import MarkdownKanbanReader
from supervisor_ai.drivers.kanban.commands.start import KanbanRequest, Office, prepare_kanban_run
from supervisor_ai.drivers.kanban.places import find_place
from supervisor_ai.drivers.loop.commands.start import LoopRequest, prepare_loop

Order = dict[str, Any]


def prepared_for(order: Order, project: OpenProject) -> PreparedRun:
    """Look up what the run needs: it does a task, works on a remit, or on a kanban."""
    if order["remit"] is not None:
        return prepare_loop(project.preflight, LoopRequest(remit=order["remit"]))
    if order["kanban"] is None:
        return prepare(project.preflight, StartRequest(task="Write the file"))
    directory = Path(order["directory"])
    office = Office(
        preflight=project.preflight,
        reader=MarkdownKanbanReader(),
        records=project.records,
        start=directory,
    )
    place = find_place(office.desk, order["kanban"], order["kanban_directory"])
    prepared = prepare_kanban_run(office, place, KanbanRequest()).prepared
    assert prepared is not None
    return prepared


async def supervise(order: Order, boundaries: Boundaries) -> None:
    """Do what the command line does for `run` and `resume`."""
    directory = Path(order["directory"])
    project = open_project(directory, read_settings(), alter=crashing(boundaries))
    name = order["run"]
    if name is None:
        run = await submit(project, prepared_for(order, project), queued=False)
    else:
        run = project.records.find(name).id
    await drive_family(project, run)


def main(said: str) -> None:
    """Be the supervisor; report the boundaries that were passed unless killed."""
    order: Order = json.loads(said)
    is_first = order["kill_at"] is None and order["run"] is None
    watched = (Path(order["directory"]), Path(os.environ["SUPERVISOR_STATE"])) if is_first else ()
    boundaries = Boundaries(order["kill_at"], watched=watched)
    asyncio.run(supervise(order, boundaries))
    sys.stdout.write(json.dumps([boundaries.passed, boundaries.marks]))
