"""Measure the engine against the floor and its peers, and how quickly commands start.

    make bench                       # everything; writes docs/benchmarks.md
    .venv/bin/python -m bench seq    # one part: seq, resume, start, sandboxes, workspaces, clis,
                                     # context, knowledge, gates, evidence, sessions, teams,
                                     # features

Every number is a median over interleaved rounds of one run on one machine: compare ratios, not
microseconds.
"""

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.clis import clis
from bench.context import context
from bench.evidence import evidence
from bench.features import features
from bench.gates import gates
from bench.knowledge import knowledge
from bench.sandboxes import sandboxes
from bench.sessions import sessions
from bench.start import start
from bench.teams import teams
from bench.workspaces import workspaces

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
OURS = ROOT / ".venv" / "bin" / "python"
PEERS = ROOT / ".venv-bench" / "bin" / "python"
PYTHON = {"floor": OURS, "supervisor": OURS, "langgraph": PEERS, "dbos": PEERS}
TITLES = {
    "floor": "SQLite by hand: two commits a step, WAL, synchronous FULL",
    "supervisor": "supervisor",
    "langgraph": "LangGraph 1.2.20, SQLite saver, durability sync",
    "dbos": "DBOS 3.3.0 on SQLite, file set to WAL",
}
ROUNDS = 3
STEPS = 1000
EVENTS_A_STEP = 4


def child(engine: str, test: str, directory: str, steps: int) -> dict[str, float]:
    """Run one engine in a process of its own and return what it reports."""
    command = [str(PYTHON[engine]), "-m", "bench.engines", engine, test, directory, str(steps)]
    started = time.time()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        if test == "prepare":
            return {}
        sys.exit(f"{engine} {test} reported nothing:\n{done.stderr[-2000:]}")
    report: dict[str, float] = json.loads(lines[-1])
    if "first" in report:
        report["seconds"] = report["first"] - started
    return report


def sequential() -> Iterator[str]:
    """Time a step of a no-op run."""
    reports: dict[str, list[dict[str, float]]] = {engine: [] for engine in TITLES}
    for _ in range(ROUNDS):
        for engine in TITLES:
            with tempfile.TemporaryDirectory(dir=ROOT / "build") as directory:
                reports[engine].append(child(engine, "seq", directory, STEPS))
    floor = statistics.median(report["median"] for report in reports["floor"])
    yield "| engine | median µs | p99 µs | ratio to the floor |\n|---|---:|---:|---:|"
    for engine, title in TITLES.items():
        median = statistics.median(report["median"] for report in reports[engine])
        worst = statistics.median(report["p99"] for report in reports[engine])
        yield f"| {title} | {median:,.0f} | {worst:,.0f} | {median / floor:.2f} |"


def resume() -> Iterator[str]:
    """Time the first step after `kill -9`, interpreter start and imports included."""
    yield "| engine | after 10,000 events: s | after 100,000 events: s |\n|---|---:|---:|"
    for engine, title in TITLES.items():
        seconds = [_resumed(engine, events // EVENTS_A_STEP) for events in (10_000, 100_000)]
        yield f"| {title} | {seconds[0]:.2f} | {seconds[1]:.2f} |"


def _resumed(engine: str, steps: int) -> float:
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as directory:
        child(engine, "prepare", directory, steps)
        return child(engine, "resume", directory, steps)["seconds"]


PARTS = {
    "seq": ("One step of a no-op run", sequential),
    "resume": ("Going on after `kill -9`", resume),
    "start": ("Starting a command", start),
    "sandboxes": ("Starting a sandbox", sandboxes),
    "clis": ("One session of a real CLI", clis),
    "workspaces": ("Opening a workspace of 10,000 files", workspaces),
    "context": ("Packing a context", context),
    "knowledge": ("Choosing from a knowledge store", knowledge),
    "gates": ("Gates", gates),
    "sessions": ("A long session", sessions),
    "features": ("Schedules of features", features),
    "teams": ("A crowd in one team", teams),
    "evidence": ("Green that is contradicted first, in runs of the tests alone", evidence),
}

PREFACE = """# Benchmarks

Made by `make bench`; every table comes from one run on one machine, engines interleaved, medians
of {rounds} rounds. Compare ratios. Machine: {cores} cores, {system}, Python {python}.

A no-op step records its intent before its body and its outcome after it, durably; only DBOS
records a step when it ends. Supervisor writes the outcome of one step and the intent of the next
in one commit, with a hash chain, a lease check and its projections; the floor writes two bare rows
in two commits.
"""


def main() -> None:
    """Measure what was asked for; a whole run writes the page."""
    (ROOT / "build").mkdir(exist_ok=True)
    wanted = sys.argv[1:] or list(PARTS)
    preface = PREFACE.format(
        rounds=ROUNDS,
        cores=os.cpu_count(),
        system=platform.platform(terse=True),
        python=platform.python_version(),
    )
    page = [preface]
    for part in wanted:
        title, measure = PARTS[part]
        page.append(f"## {title}\n\n" + "\n".join(measure()) + "\n")
        print(page[-1], flush=True)
    if len(wanted) == len(PARTS):
        PAGE.write_text("\n".join(page))


if __name__ == "__main__":
    main()
