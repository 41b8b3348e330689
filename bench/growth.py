"""What verbs that read cost on a ledger of a thousand runs, beside one of ten.

Run: .venv/bin/python -m bench.growth
"""

import compileall
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import cycle
from pathlib import Path
from typing import Final

from bench.gates import make_environment
from bench.runs import OURS, ROOT, cost_of, make_project
from bench.workspaces import GIT, roomy_place
from supervisor_ai.domain.envelope import NewEvent
from supervisor_ai.domain.ids import RunId, run_stream, stream_run
from supervisor_ai.engine.host import SystemClock
from supervisor_ai.engine.ports.ledger import Batch, StreamAppend
from supervisor_ai.store.codec import EventCodec
from supervisor_ai.store.connection import Connection
from supervisor_ai.store.event_log import SqliteEventLog

FEW: Final = 10
MANY: Final = 1_000
ROUNDS: Final = 3
AT_ONCE: Final = 50
"""How many runs are recorded in one commit."""
CHECK: Final = "ledger verify"
"""Reads every event: it grows with them, and is asked once."""
VERBS: Final = (
    *("status", "status RUN", "approvals", "conflicts", "events RUN", "logs RUN", "diff RUN"),
    *("replay RUN", "workspace list", "workflow list", "gate list", "gate claims"),
    *("knowledge list", "knowledge review", "session list", "feature list", CHECK),
)
NOTES: Final = f"""
CPU of the whole process, the least of {ROUNDS} calls that take turns; {MANY:,} runs with the facts
and refs of {FEW} real ones. No verb but `ledger verify`, which shows its progress, may grow by more
than a fifth."""


def growth() -> Iterator[str]:
    """Ask every verb on both ledgers, in turn."""
    compileall.compile_dir(ROOT / "src", quiet=1)
    with tempfile.TemporaryDirectory(dir=roomy_place()) as directory:
        few, many = Path(directory, "few"), Path(directory, "many")
        run = make_runs(few)
        shutil.copytree(few, many, symlinks=True)
        multiply(many / "project", MANY)
        yield f"Load of the machine: {os.getloadavg()[0]:.1f}.\n"
        yield f"| verb | {FEW} runs: CPU ms | {MANY:,} runs: CPU ms | growth |"
        yield "|---|---:|---:|---:|"
        for verb in VERBS:
            yield _row(verb, run, {home: make_environment(home) for home in (few, many)})
    yield NOTES


def _row(verb: str, run: RunId, homes: Mapping[Path, Mapping[str, str]]) -> str:
    words = [run if word == "RUN" else word for word in verb.split()]
    costs: dict[Path, list[float]] = {home: [] for home in homes}
    for _ in range(1 if verb == CHECK else ROUNDS):
        for home, environment in homes.items():
            command = [*OURS, *words, "--json"]
            costs[home].append(cost_of(command, home / "project", environment).cpu)
    # What keeps something for the next call takes longest the first time.
    few, many = (min(cost) * 1000 for cost in costs.values())
    return f"| `{verb}` | {few:.0f} | {many:.0f} | {many / few:.2f} |"


def make_runs(home: Path) -> RunId:
    """Let a few real runs end in a small repository; return one of them."""
    home.mkdir()
    environment = make_environment(home)
    project = make_project(home / "project", 5)
    for number in range(FEW):
        words = ["run", f"Write {number}", "--workflow", "standard", "--yes", "--queue"]
        cost_of([*OURS, *words], project, environment)
    cost_of([*OURS, "serve", "--once", "--limit", "2"], project, environment)
    with closing(_opened(project)) as connection:
        rows = connection.query("SELECT stream FROM events ORDER BY seq DESC LIMIT 1", ())
        return stream_run(rows[0][0]) or RunId("")


def _opened(project: Path) -> Connection:
    return Connection.open(project / ".supervisor" / "state.db")


def multiply(project: Path, number: int) -> None:
    """Record so many runs in all, each with the facts of a real one and refs of its own."""
    connection, codec = _opened(project), EventCodec()
    log = SqliteEventLog(connection, clock=SystemClock(), codec=codec)
    known = connection.query("SELECT DISTINCT stream FROM events WHERE stream LIKE 'run:%'", ())
    runs = [stream_run(stream) or RunId("") for (stream,) in known]
    facts = {
        run: [(at.actor, codec.encode(at.event)) for at in log.read(run_stream(run))]
        for run in runs
    }
    lines = {run: _refs(project, run) for run in runs}
    refs: list[str] = []
    appends: list[StreamAppend] = []
    for made, run in zip(range(len(runs), number), cycle(runs), strict=False):
        copy = RunId(f"{run[:6]}{made:06}")
        refs += [line.replace(run, copy) for line in lines[run]]
        events = tuple(
            NewEvent(event=codec.decode(kind, revision, payload.replace(run, copy)), actor=actor)
            for actor, (kind, revision, payload) in facts[run]
        )
        appends.append(StreamAppend(stream=run_stream(copy), expected=0, events=events))
    for first in range(0, len(appends), AT_ONCE):
        log.append(Batch(appends=tuple(appends[first : first + AT_ONCE])))
    connection.close()
    subprocess.run(
        [GIT, "-C", project, "update-ref", "--stdin"], input="".join(refs), text=True, check=True
    )
    subprocess.run([GIT, "-C", project, "pack-refs", "--all"], check=True)


def _refs(project: Path, run: RunId) -> list[str]:
    form = "--format=create %(refname) %(objectname)"
    below = (f"refs/supervisor/{run}", f"refs/heads/ai/{run}*")
    asked = [GIT, "-C", str(project), "for-each-ref", form, *below]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines(
        keepends=True
    )


def main() -> None:
    """Print the table."""
    for line in growth():
        print(line, flush=True)


if __name__ == "__main__":
    main()
