"""A process that has everything imported and forks a supervisor for each line on stdin.

A line is `{"directory": …, "kill_at": N or null, "run": name or null, "kanban": file or null,
"kanban_directory": name or null}`: start a run, or go on with one, and die by SIGKILL at boundary
N. The answer is `{"code": …, "boundaries": […], "marks": […]}`; a killed process has the code -9.
Forking spares each of a hundred processes the imports.
"""

import asyncio
import gc
import json
import os
import sys
from pathlib import Path
from typing import Any

from tests.e2e.crash_ports import Boundaries, crashing
from tests.support.preloaded import preload
from tests.support.processes import die_with_parent

from supervisor_ai.bootstrap.projects import open_project, read_settings
from supervisor_ai.control.commands.run_execution import drive_family
from supervisor_ai.control.commands.run_start import PreparedRun, StartRequest, prepare, submit
from supervisor_ai.control.project import OpenProject
from supervisor_ai.documents.kanban_reader import MarkdownKanbanReader
from supervisor_ai.drivers.kanban.commands.start import KanbanRequest, Office, prepare_kanban_run
from supervisor_ai.drivers.kanban.places import find_place

Order = dict[str, Any]


def prepared_for(order: Order, project: OpenProject) -> PreparedRun:
    """Look up what the run needs: it does a task, or works on a kanban."""
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


def child(order: Order, report: int) -> None:
    """Be the supervisor; report the boundaries that were passed unless killed."""
    is_first = order["kill_at"] is None and order["run"] is None
    watched = (Path(order["directory"]), Path(os.environ["SUPERVISOR_STATE"])) if is_first else ()
    boundaries = Boundaries(order["kill_at"], watched=watched)
    asyncio.run(supervise(order, boundaries))
    with os.fdopen(report, "w") as file:
        json.dump([boundaries.passed, boundaries.marks], file)


def obey(order: Order) -> Order:
    """Fork a supervisor and wait for its end."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        die_with_parent()
        os.close(reader)
        code = 1
        try:
            child(order, writer)
            code = 0
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as file:
        said = file.read()
    _, status = os.waitpid(pid, 0)
    passed, marks = json.loads(said) if said else ([], [])
    code = os.waitstatus_to_exitcode(status)
    return {"code": code, "boundaries": passed, "marks": marks}


def main() -> None:
    """Obey one order after the other."""
    preload()
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(obey(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
