"""How much a command costs a person who waits for it: CPU of the whole process, and wall time."""

import compileall
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.gates import make_environment
from bench.runs import OURS, cost_of, make_project

FILES = 5
ROOT = Path(__file__).parent.parent
PYTHON = ROOT / ".venv" / "bin" / "python"
ROUNDS = 5 if "QUICK" in os.environ else 7
# What a command may cost above `python -c pass`, in milliseconds of CPU.
GOALS = {
    "status": 250,
    "events RUN": 250,
    "logs RUN": 250,
    "approve RUN": 250,
    "workflow list": 250,
    "gate list": 250,
    "role list": 250,
    "run --dry-run TASK": 450,
}
WHY = f"""
CPU of the whole process above `python -c pass`, on a project with one run, bytecode compiled;
medians of {ROUNDS} rounds that take turns. The goals were set where `python -c pass` takes 12 ms by
the clock. What was read of definitions is kept until a commit or a definition of
your own changes; a list that is asked for the first time after that takes about twice as much."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one process took, in milliseconds."""

    cpu: float
    wall: float


def start() -> Iterator[str]:
    """Measure commands on a small project, in turn, so that all see the same machine."""
    compileall.compile_dir(ROOT / "src", quiet=1)
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as directory:
        place = Path(directory)
        environment = make_environment(place)
        project = make_project(place / "project", FILES)
        done = [*OURS, "run", "Write it", "--workflow", "standard", "--yes"]
        cost_of(done, project, environment)
        medians = _medians(_commands(project, environment), environment)
    floor = medians["python -c pass"]
    yield f"Load of the machine: {os.getloadavg()[0]:.1f}.\n"
    yield "| command | CPU above `python -c pass`, ms | goal | wall ms |\n|---|---:|---:|---:|"
    for name, cost in medians.items():
        goal = GOALS.get(name.removeprefix("supervisor "), "")
        yield f"| `{name}` | {cost.cpu - floor.cpu:.0f} | {goal} | {cost.wall:.0f} |"
    yield WHY


def _commands(project: Path, environment: Mapping[str, str]) -> Mapping[str, list[str]]:
    ours = [*OURS, "-C", str(project)]
    status = [*ours, "status", "--json"]
    asked = subprocess.run(status, env=environment, capture_output=True, check=True, text=True)
    run = _first_run(asked.stdout)
    words = {name: name.replace("RUN", run).split() for name in GOALS}
    return {
        "python -c pass": [str(PYTHON), "-c", "pass"],
        "supervisor --help": [*OURS, "--help"],
        **{f"supervisor {name}": [*ours, *line] for name, line in words.items()},
    }


def _first_run(answer: str) -> str:
    [first, *_] = json.loads(answer)["runs"]
    return str(first["id"])


def _medians(commands: Mapping[str, list[str]], environment: Mapping[str, str]) -> dict[str, Cost]:
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            costs[name].append(_measured(command, environment))
    return {
        name: Cost(
            cpu=statistics.median(cost.cpu for cost in found),
            wall=statistics.median(cost.wall for cost in found),
        )
        for name, found in costs.items()
    }


def _measured(command: list[str], environment: Mapping[str, str]) -> Cost:
    """Run a command; one that has nothing to approve refuses, and is measured all the same."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    wall = time.perf_counter() - begun
    return Cost(cpu=(used.ru_utime + used.ru_stime) * 1000, wall=wall * 1000)
