"""What a long session costs inside a process that stays: asking, saying, and taking in a file.

Run: .venv/bin/python -m bench.sessions [MESSAGES] [DIRECTORY]
"""

import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from supervisor_ai.bootstrap.projects import (
    open_pipelines,
    open_project,
    open_session_folders,
    read_settings,
)
from supervisor_ai.control.commands.run_start import submit
from supervisor_ai.control.sessions.calls import make_call
from supervisor_ai.control.sessions.desk import open_desk
from supervisor_ai.control.sessions.start import (
    SessionOffice,
    WantedSession,
    plan_session,
    start_session,
    sync_folder,
)
from supervisor_ai.domain.ids import SessionId
from supervisor_ai.drivers.checkpoint.commands.start import SupervisorRequest, prepare_supervisor

GIT: Final = shutil.which("git") or "git"
MESSAGES: Final = 10_000
ROUNDS: Final = 25
GOAL: Final = 50


def sessions() -> Iterator[str]:
    """Time what members ask of a session with many messages."""
    with tempfile.TemporaryDirectory() as name:
        yield from measure(Path(name), MESSAGES)


def measure(directory: Path, messages: int) -> Iterator[str]:
    """Import so many lines, then ask as members do."""
    office = _office(directory)
    planned = plan_session(
        office, WantedSession(name="bench", title=None, pipeline="full-lifecycle")
    )
    session = start_session(office, planned)
    sync_folder(office, session)
    file = Path(office.folders.place(planned.folder)) / ".msg/messages.jsonl"
    file.write_text("".join(map(_line, range(messages))))
    taken = _timed(lambda: sync_folder(office, session))
    again = _timed(lambda: sync_folder(office, session))
    room = office.room(session)
    yield f"One session with {messages:,} messages of a file; medians of {ROUNDS} calls.\n"
    yield "| what | CPU ms | goal |\n|---|---:|---:|"
    for operation in ("list", "get_state", "status"):
        told = {"operation": operation}
        times = [_timed(lambda: make_call(room, "team_msg", told)) for _ in range(ROUNDS)]  # noqa: B023 - called at once
        yield f"| `{operation}` | {statistics.median(times):.1f} | {GOAL} |"
    said = {"operation": "log", "summary": "so"}
    logged = [_timed(lambda: make_call(room, "team_msg", said)) for _ in range(ROUNDS)]
    yield f"| `log` | {statistics.median(logged):.1f} | {GOAL} |"
    yield from _wakes(office, session)
    fresh = [_timed(lambda: _ask_afresh(directory)) for _ in range(3)]
    yield f"| `get_state`, the first call of a process | {statistics.median(fresh):.0f} |  |"
    yield f"| import of all lines | {taken:,.0f} |  |"
    yield f"| sync again, nothing new | {again:.0f} |  |"


def _wakes(office: SessionOffice, session: SessionId) -> Iterator[str]:
    """Let a supervisor watch over the session, and wake it with messages that it refuses."""
    project = office.project
    wish = SupervisorRequest(session=session, is_alone=True)
    prepared = prepare_supervisor(project.preflight, office.desk, wish)
    run = asyncio.run(submit(project, prepared, queued=False))
    runtime = project.runtimes(project.birth(run).sandbox)
    begun = _timed(lambda: asyncio.run(runtime.drive(run)))
    room = office.room(session)
    told = {"operation": "log", "to": "supervisor", "summary": "Well?"}
    times = []
    for _ in range(ROUNDS):
        make_call(room, "team_msg", told)
        times.append(_timed(lambda: asyncio.run(runtime.drive(run))))
    woken = statistics.median(times)
    yield f"| the supervisor wakes, reads a message and answers | {woken:.1f} | {GOAL} |"
    yield f"| the supervisor begins | {begun:.0f} |  |"


def _ask_afresh(directory: Path) -> object:
    office = _open(directory)
    session = office.desk.queries.sessions()[0].id
    return make_call(office.room(session), "team_msg", {"operation": "get_state"})


def _office(directory: Path) -> SessionOffice:
    place = directory / "project"
    subprocess.run([GIT, "init", "--quiet", place], check=True)
    own = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")
    commit = ("commit", "--quiet", "--allow-empty", "--message", "begin")
    subprocess.run([GIT, "-C", place, *own, *commit], check=True)
    return _open(directory)


def _open(directory: Path) -> SessionOffice:
    own = {"HOME": str(directory), "SUPERVISOR_STATE": str(directory / "state")}
    settings = read_settings({**os.environ, **own, "SUPERVISOR_TRUST": "1"})
    project = open_project(directory / "project", settings)
    return SessionOffice(
        project=project,
        desk=open_desk(project),
        folders=open_session_folders(directory / "project", settings),
        pipelines=open_pipelines(),
        actor=project.actor,
    )


def _line(number: int) -> str:
    record = {
        "id": f"MSG-{number + 1:03}",
        "ts": "2030-01-01T00:00:00+00:00",
        "from": f"worker{number % 5}",
        "to": "coordinator",
        "type": "progress" if number % 4 else "state_update",
        "summary": f"message {number}",
        "data": {"n": number},
    }
    return f"{json.dumps(record)}\n"


def _timed(act: Callable[[], object]) -> float:
    begin = time.process_time()
    act()
    return (time.process_time() - begin) * 1e3


def main() -> None:
    """Measure in a directory of the caller's choice."""
    messages = int(sys.argv[1]) if len(sys.argv) > 1 else MESSAGES
    where = sys.argv[2] if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory(dir=where) as name:
        print("\n".join(measure(Path(name), messages)))


if __name__ == "__main__":
    main()
