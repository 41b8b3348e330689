"""A small repository for crash tests, and what can be seen of a run in it from outside."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from msgspec.structs import asdict
from tests.support.plain_machine import plain_environment

from supervisor_ai.bootstrap.projects import open_project, read_settings
from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.ids import RunId, run_stream

AGENT = """\
import os, sys

sys.stdin.read()
role = os.environ["SUPERVISOR_ROLE"]
if role == "implementer":
    with open("done.txt", "w") as file:
        file.write("visit " + os.environ["SUPERVISOR_VISIT"])
answer = {
    "planner": {"status": "COMPLETE", "summary": "One file."},
    "implementer": {
        "status": "SUCCESS", "summary": "Wrote it.",
        "files_created": ["done.txt"], "files_modified": [], "tests_written": [],
    },
    "reviewer": {"status": "APPROVED", "summary": "Good.", "issues": []},
}[role]
answer["nonce"] = os.environ["SUPERVISOR_NONCE"]
# It has no word that JSON would quote in another way, and importing that takes as long as a start.
print("```json", str(answer).replace("'", '"'), "```", sep="\\n")
"""
CONFIG = """\
cli: agent
clis:
  agent: {adapter: command, command: [python3, tools/agent.py]}
gates:
  test: {command: [grep, --quiet, visit 2, done.txt]}
baseline: note
"""
FILES = {"tools/agent.py": AGENT, ".supervisor/config.yaml": CONFIG}
VARYING = frozenset(
    (
        *("commit", "start", "snapshot", "prompt", "expected", "attempt", "branch", "root", "base"),
        *("took", "tip", "rest", "definition", "permit", "nonce", "transcript", "key"),
        "report",
    )
)
LOST = frozenset(
    (
        "AttemptLost",
        "BaselineLost",
        "GateLost",
        "IntegrationLost",
        "KanbanReadLost",
        "KanbanSaveLost",
        "WorkReportLost",
    )
)
OF_LOST = frozenset(
    (
        *(
            "BaselineStarted",
            "AttemptStarted",
            "ContextPacked",
            "PromptSent",
            "GateStarted",
            "IntegrationStarted",
        ),
        *("KanbanReadStarted", "KanbanSaveStarted", "KnowledgeInjected", "WorkReportStarted"),
        *("ScopeTaken", "TaskPlanned", "WorkTaken", "QaTaken", "AssessmentTaken", "FindingsTaken"),
    )
)
OWNERSHIP = frozenset(("RunOwned",))

Facts = dict[str, Any]


def environment(place: Path) -> dict[str, str]:
    """Give a supervisor a home and a state directory of its own."""
    # Measuring the coverage of a hundred killed processes would only cost time.
    ours = ("SUPERVISOR_", "COVERAGE_", "COV_")
    kept = {name: it for name, it in plain_environment().items() if not name.startswith(ours)}
    return {
        **kept,
        "HOME": str(place / "home"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "SUPERVISOR_STATE": str(place / "state"),
        "SUPERVISOR_CONFIG": str(place / "home"),
        "SUPERVISOR_TRUST": "1",
    }


def make_repository(directory: Path, files: Mapping[str, str] = FILES) -> None:
    """Make a repository; in the usual one, the first implementation does not pass its gate."""
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(directory, "init", "--quiet", "--initial-branch=main")
    git(directory, "add", "--all")
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    git(directory, *who, "commit", "--quiet", "--message", "start")


def git(directory: Path, *words: str) -> str:
    """Run git in a repository."""
    done = subprocess.run(
        ["git", "-C", str(directory), *words], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


class Sight:
    """What can be seen of the only run in a repository."""

    def __init__(self, directory: Path, place: Path) -> None:
        self._directory = directory
        self._state = place / "state"
        self._project = open_project(directory, read_settings(environment(place)))
        rows, _ = self._project.records.queries.runs(limit=2)
        self.run: RunId | None = rows[0].id if rows else None
        self.status = rows[0].status.value if rows else None

    def events(self) -> list[Envelope]:
        """Return the run's facts."""
        return list(self._project.records.log.read(run_stream(RunId(self.run or ""))))

    def types(self) -> list[str]:
        """Name the run's facts."""
        return [envelope.type for envelope in self.events()]

    def story(self) -> list[tuple[str, Facts]]:
        """Tell what happened without what a crash adds and without names that always differ."""
        told: list[Envelope] = []
        for envelope in self.events():
            if envelope.type in LOST:
                told = _without(told, _place(envelope))
            elif envelope.type not in OWNERSHIP:
                told.append(envelope)
        return [(at.type, _facts(asdict(at.event))) for at in _side_by_side(told)]

    def faults(self) -> tuple[object, ...]:
        """Return what is wrong with the ledger."""
        return self._project.care.verify().faults

    def tree(self) -> str:
        """Return the tree that landed."""
        return git(self._directory, "rev-parse", f"{self._branch()}^{{tree}}")

    def landed(self) -> list[str]:
        """Return the operation keys of the commits on the run's branch."""
        trailer = "--format=%(trailers:key=Supervisor-Op,valueonly,separator=)"
        log = git(self._directory, "log", trailer, self._branch())
        return [line for line in log.splitlines() if line]

    def strays(self) -> list[str]:
        """Find workspaces, registered commands and processes that the run left behind."""
        left = [str(path) for path in self._state.glob(f"*/{self.run}")]
        left += [str(path) for path in self._state.glob("sandbox/processes/*") if path.is_file()]
        return left + [command for command in _commands() if str(self.run) in command]

    def _branch(self) -> str:
        return git(self._directory, "for-each-ref", "--format=%(refname)", "refs/heads/ai/")


def _place(envelope: Envelope) -> tuple[object, ...]:
    return tuple(getattr(envelope.event, name, None) for name in ("step", "visit", "slot"))


def _without(told: list[Envelope], place: tuple[object, ...]) -> list[Envelope]:
    """Leave out what an operation did that was lost: all since the last end at its place."""
    kept: list[Envelope] = []
    is_open = True
    for envelope in reversed(told):
        is_here = _place(envelope) == place
        is_open = is_open and not (is_here and envelope.type not in OF_LOST)
        if not (is_here and is_open):
            kept.append(envelope)
    return kept[::-1]


def _side_by_side(told: list[Envelope]) -> Iterator[Envelope]:
    """Put what gates of a visit did at the same time into a fixed order."""
    for (is_gate, *_), group in groupby(told, key=_gates):
        facts = list(group)
        yield from sorted(facts, key=_in_turn) if is_gate else facts


def _gates(envelope: Envelope) -> tuple[object, ...]:
    step, visit, _ = _place(envelope)
    return envelope.type.startswith("Gate"), step, visit


def _in_turn(envelope: Envelope) -> tuple[str, bool]:
    return str(_place(envelope)), envelope.type != "GateStarted"


def _facts(payload: Facts) -> Facts:
    kept = {name: value for name, value in payload.items() if name not in VARYING}
    snapshot = payload.get("snapshot")
    return {**kept, "tree": snapshot["tree"]} if isinstance(snapshot, dict) else kept


def _commands() -> list[str]:
    commands = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            commands.append(path.read_text(errors="replace").replace("\0", " "))
        except OSError:
            continue
    return commands
