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

ROOT = Path(__file__).parent.parent
PYTHON = ROOT / ".venv" / "bin" / "python"
SUPERVISOR = PYTHON.with_name("supervisor")
ROUNDS = 5 if "QUICK" in os.environ else 15
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


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one process took, in milliseconds."""

    cpu: float
    wall: float


def start() -> Iterator[str]:
    """Measure commands on a small project, in turn, so that all see the same machine."""
    compileall.compile_dir(ROOT / "src", quiet=1)
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as directory:
        medians = _medians(_commands(make_project(directory)))
    floor = medians["python -c pass"]
    yield f"Load of the machine: {os.getloadavg()[0]:.1f}.\n"
    yield "| command | CPU above `python -c pass`, ms | goal | wall ms |\n|---|---:|---:|---:|"
    for name, cost in medians.items():
        goal = GOALS.get(name.removeprefix("supervisor "), "")
        yield f"| `{name}` | {cost.cpu - floor.cpu:.0f} | {goal} | {cost.wall:.0f} |"


def make_project(directory: str) -> Path:
    """Run the demo below a directory and return where its project is."""
    environment = {**os.environ, "TMPDIR": directory}
    subprocess.run([SUPERVISOR, "demo"], env=environment, capture_output=True, check=True)
    [project] = Path(directory).glob("supervisor-demo-*")
    return project


def _commands(project: Path) -> Mapping[str, list[str]]:
    ours = [str(SUPERVISOR), "-C", str(project)]
    asked = subprocess.run([*ours, "status", "--json"], capture_output=True, check=True, text=True)
    run = _first_run(asked.stdout)
    words = {name: name.replace("RUN", run).split() for name in GOALS}
    return {
        "python -c pass": [str(PYTHON), "-c", "pass"],
        "supervisor --help": [str(SUPERVISOR), "--help"],
        **{f"supervisor {name}": [*ours, *line] for name, line in words.items()},
    }


def _first_run(answer: str) -> str:
    [first, *_] = json.loads(answer)["runs"]
    return str(first["id"])


def _medians(commands: Mapping[str, list[str]]) -> dict[str, Cost]:
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            costs[name].append(_measured(command))
    return {
        name: Cost(
            cpu=statistics.median(cost.cpu for cost in found),
            wall=statistics.median(cost.wall for cost in found),
        )
        for name, found in costs.items()
    }


def _measured(command: list[str]) -> Cost:
    """Run a command; one that has nothing to approve refuses, and is measured all the same."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    wall = time.perf_counter() - begun
    return Cost(cpu=(used.ru_utime + used.ru_stime) * 1000, wall=wall * 1000)
