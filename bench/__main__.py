"""Measure the engine against the floor and its peers, and how quickly commands start.

    make bench                       # everything, in 15 minutes; writes docs/benchmarks.md
    make bench QUICK=1               # what is ours alone, in two minutes; writes nothing
    .venv/bin/python -m bench seq    # one part: seq, resume, start, runs, kanban, growth,
                                     # sandboxes, redaction, clis, workspaces, context, knowledge,
                                     # gates, sessions, features, teams, evidence

Every number is a median over interleaved rounds of one run on one machine: compare ratios, not
microseconds.
"""

import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from bench.clis import clis
from bench.context import context
from bench.evidence import evidence
from bench.features import features
from bench.gates import gates
from bench.growth import growth
from bench.kanban import kanban
from bench.knowledge import knowledge
from bench.redaction import redaction
from bench.runs import runs
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
ROUNDS = 1 if "QUICK" in os.environ else 3
STEPS = 1000
EVENTS_A_STEP = 4
FEW_EVENTS, MANY_EVENTS = 10_000, 100_000
OWN = frozenset({"floor", "supervisor"})


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
    there = [engine for engine in TITLES if PYTHON[engine].exists()]
    reports: dict[str, list[dict[str, float]]] = {engine: [] for engine in there}
    for _ in range(ROUNDS):
        for engine in there:
            with tempfile.TemporaryDirectory(dir=ROOT / "build") as directory:
                reports[engine].append(child(engine, "seq", directory, STEPS))
    floor = statistics.median(report["median"] for report in reports["floor"])
    yield "| engine | median µs | p99 µs | ratio to the floor |\n|---|---:|---:|---:|"
    for engine in there:
        title = TITLES[engine]
        median = statistics.median(report["median"] for report in reports[engine])
        worst = statistics.median(report["p99"] for report in reports[engine])
        yield f"| {title} | {median:,.0f} | {worst:,.0f} | {median / floor:.2f} |"


def resume() -> Iterator[str]:
    """Time the first step after `kill -9`, interpreter start and imports included."""
    yield "| engine | after 10,000 events: s | after 100,000 events: s |\n|---|---:|---:|"
    for engine, title in TITLES.items():
        few = _resumed(engine, FEW_EVENTS // EVENTS_A_STEP)
        many = f"{_resumed(engine, MANY_EVENTS // EVENTS_A_STEP):.2f}" if engine in OWN else ""
        yield f"| {title} | {few:.2f} | {many} |"
    yield "\nPeers take minutes to write 100,000 events, and are asked after 10,000 alone."


def _resumed(engine: str, steps: int) -> float:
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as directory:
        child(engine, "prepare", directory, steps)
        return child(engine, "resume", directory, steps)["seconds"]


PARTS = {
    "seq": ("One step of a no-op run", sequential),
    "resume": ("Going on after `kill -9`", resume),
    "start": ("Starting a command", start),
    "runs": ("A whole run, beside a shell script that does the same", runs),
    "kanban": ("An iteration of a kanban of 200 tasks", kanban),
    "growth": ("A thousand runs in one ledger", growth),
    "sandboxes": ("Starting a sandbox", sandboxes),
    "redaction": ("Redacting what commands print", redaction),
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

NOT_MEASURED = "It could not be measured here"
BY_HAND = "\n<!-- What follows was written by hand, and stays when this is measured again. -->\n"

QUICK = ("seq", "start", "runs", "knowledge")
"""What is measured in two minutes: nothing that needs a peer to be installed."""

PREFACE = """# Benchmarks

Made by `make bench`; every table comes from one run on one machine, engines interleaved, medians
of {rounds} rounds. Compare ratios. Machine: {cores} cores, {system}, Python {python}, a load of
{load:.1f} when it began and {load_after:.1f} when it ended; it took {minutes:.0f} minutes.

A no-op step records its intent before its body and its outcome after it, durably; only DBOS
records a step when it ends. Supervisor writes the outcome of one step and the intent of the next
in one commit, with a hash chain, a lease check and its projections; the floor writes two bare rows
in two commits.
"""


MOST_SECONDS = 110 if "QUICK" in os.environ else 14 * 60 + 30
"""What all parts may take together; a part that has no time left is told about, not waited for."""

GRACE = 8
"""Seconds in which a part that is stopped may remove what it made."""

SHARE = 4
"""So many times its equal share of that is the most that one part may take."""


def main() -> None:
    """Measure the parts asked for, or all of them; a whole run writes the page."""
    (ROOT / "build").mkdir(exist_ok=True)
    if unknown := sorted({*sys.argv[1:]} - {*PARTS}):
        sys.exit(f"There is no part {', '.join(unknown)}; there are: {', '.join(PARTS)}.")
    if sys.argv[1:]:
        for part in sys.argv[1:]:
            print(f"## {PARTS[part][0]}\n\n" + "\n".join(PARTS[part][1]()) + "\n", flush=True)
        return
    is_quick = "QUICK" in os.environ
    begun, load = time.monotonic(), os.getloadavg()[0]
    sections = dict(_sections(QUICK if is_quick else tuple(PARTS), begun + MOST_SECONDS))
    if not is_quick:
        _write_page(sections, begun, load)


def _sections(parts: Sequence[str], deadline: float) -> Iterator[tuple[str, str]]:
    """Measure each part in a process of its own: what fails or hangs stops no other."""
    for number, part in enumerate(parts, start=1):
        print(f"[{number}/{len(parts)}] {part} ...", file=sys.stderr, flush=True)
        begun = time.monotonic()
        measured = _measured(part, min(deadline - begun, SHARE * MOST_SECONDS / len(parts)))
        print(f"    {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
        print(measured, flush=True)
        yield part, measured


def _measured(part: str, seconds: float) -> str:
    heading = f"## {PARTS[part][0]}\n\n"
    if seconds <= 0:
        return f"{heading}{NOT_MEASURED}: the time for all parts was up.\n"
    command = [sys.executable, "-m", "bench", part]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            output, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            return f"{heading}{NOT_MEASURED}: it was not done after {seconds:.0f} s.\n"
        finally:
            _end(process)
    sys.stderr.write(errors)
    if process.returncode != 0:
        reason = (errors.strip().splitlines() or ["it said nothing"])[-1]
        return f"{heading}{NOT_MEASURED}: {reason}\n"
    return heading + output.partition(heading)[2].rstrip() + "\n"


def _end(process: "subprocess.Popen[str]") -> None:
    """Let a part that is still at work tidy up; then end it and all that it started."""
    for sign in (signal.SIGINT, signal.SIGKILL):
        if process.poll() is None:
            os.killpg(process.pid, sign)
            with suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=GRACE)


def _write_page(sections: Mapping[str, str], begun: float, load: float) -> None:
    """Put what was measured in its place; what was not, and what others measured, stays."""
    preface = PREFACE.format(
        rounds=ROUNDS,
        cores=os.cpu_count(),
        system=platform.platform(terse=True),
        python=platform.python_version(),
        load=load,
        load_after=os.getloadavg()[0],
        minutes=(time.monotonic() - begun) / 60,
    )
    kept = dict(_kept(PAGE.read_text() if PAGE.exists() else ""))
    for part, text in sections.items():
        title = PARTS[part][0]
        if NOT_MEASURED not in text or title not in kept:
            _, mark, notes = kept.get(title, "").partition(BY_HAND)
            kept[title] = text + mark + notes
    PAGE.write_text("\n".join([preface, *kept.values()]))


def _kept(page: str) -> Iterator[tuple[str, str]]:
    """Divide a page into its sections, by title."""
    for section in page.split("\n## ")[1:]:
        yield section.partition("\n")[0], f"## {section.rstrip()}\n"


if __name__ == "__main__":
    main()
