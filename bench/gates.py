"""What gates cost: files that were tested before, and a guard beside the tests of a change."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from bench.workspaces import GIT

SUPERVISOR: Final = Path(sys.executable).with_name("supervisor")
RUNS: Final = 5
TESTS: Final = 40
CONFIG: Final = """\
cli: player
clis:
  player: {adapter: scripted, script: play.json}
gates:
  test: {command: [python3, -m, unittest, discover]}
workflow: short
"""
FLOW: Final = """\
steps:
  implement: {role: implementer, next: test}
  test: {gate: test, next: commit, on_fail: implement}
  commit: {type: commit}
"""
ANSWER: Final = {
    "status": "SUCCESS",
    "files_created": [],
    "tests_written": [],
}


def gates() -> Iterator[str]:
    """Time the gates of equal runs; only the first of them has to run its tests."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        environment = make_environment(place)
        _make_project(place / "project", environment)
        runs = [run_once(place / "project", environment) for _ in range(RUNS)]
    first, known = runs[0]["test"], statistics.median(run["test"] for run in runs[1:])
    yield "| gate | ms | ratio to running the tests |\n|---|---:|---:|"
    yield f"| `test`, {2 * TESTS} tests of 10 ms | {first:,.0f} | 1.00 |"
    yield f"| `test`, the same files again | {known:,.0f} | {known / first:.3f} |"
    for name in ("claims", "auto_run_files", "test_integrity"):
        took = statistics.median(run[name] for run in runs)
        yield f"| `{name}`, side by side with the other two | {took:,.0f} | {took / first:.3f} |"


def make_environment(place: Path) -> dict[str, str]:
    return {
        **os.environ,
        "HOME": str(place),
        "SUPERVISOR_STATE": str(place / "state"),
        "SUPERVISOR_CONFIG": str(place / "config"),
        "SUPERVISOR_TRUST": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }


def _tests(numbers: range) -> str:
    head = "import time\nimport unittest\n\nfrom twice import twice\n\n\n"
    head += "class TwiceTest(unittest.TestCase):\n"
    body = "    def test_{0}(self):\n        time.sleep(0.01)\n"
    body += "        self.assertEqual(twice({0}), {1})\n"
    return head + "\n".join(body.format(number, 2 * number) for number in numbers)


def _make_project(project: Path, environment: dict[str, str]) -> None:
    files = {
        "twice.py": "def twice(number):\n    return 2 * number\n",
        "test_twice.py": _tests(range(TESTS)),
    }
    make_project(project, environment, files, {"test_twice.py": _tests(range(2 * TESTS))})


def make_project(
    project: Path, environment: dict[str, str], files: dict[str, str], change: dict[str, str]
) -> None:
    """Make a repository of files, and an agent that changes some of them."""
    answer = {**ANSWER, "files_modified": sorted(change)}
    reply = {"role": "implementer", "write": change, "answer": answer}
    settings = {
        ".supervisor/config.yaml": CONFIG,
        ".supervisor/workflows/short.yaml": FLOW,
        "play.json": json.dumps({"replies": [reply]}),
    }
    for name, text in {**settings, **files}.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    who = (("config", "user.name", "Ada"), ("config", "user.email", "ada@example.org"))
    for words in (("init", "-q", "-b", "main"), *who, ("add", "-A"), ("commit", "-qm", "start")):
        subprocess.run([GIT, *words], cwd=project, env=environment, check=True)


def run_once(project: Path, environment: dict[str, str]) -> dict[str, float]:
    """Run the task once more; return how many milliseconds each gate took."""
    command = [SUPERVISOR, "-C", project, "run", "Add tests", "--yes", "--json"]
    run = json.loads(_asked(command, environment))["run"]
    events = _asked([SUPERVISOR, "-C", project, "events", run["id"], "--json"], environment)
    begun: dict[str, datetime] = {}
    took: dict[str, float] = {}
    for event in map(json.loads, events.splitlines()):
        _take_in(event, begun, took)
    return took


def _asked(command: list[Any], environment: dict[str, str]) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def _take_in(event: dict[str, Any], begun: dict[str, datetime], took: dict[str, float]) -> None:
    gate, at = event["payload"].get("gate"), datetime.fromisoformat(event["recorded_at"])
    name = f"baseline of {gate}" if event["type"].startswith("Baseline") else gate
    if event["type"] in {"GateStarted", "BaselineStarted"}:
        begun[name] = at
    elif event["type"] in {"GateEnded", "BaselineEnded"}:
        took[name] = (at - begun[name]).total_seconds() * 1000
