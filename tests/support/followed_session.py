"""A project whose runs follow their pull requests, and a clock that need not be waited for."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from typing_extensions import override

from supervisor_ai.engine.host import SystemClock

_AGENT: Final = """\
import json, os, pathlib, sys

prompt = sys.stdin.read()
visit = os.environ["SUPERVISOR_VISIT"]
pathlib.Path("done.txt").write_text("visit " + visit)
pathlib.Path("told.txt").write_text(prompt)
answer = {
    "status": "SUCCESS", "summary": "Wrote it.", "nonce": os.environ["SUPERVISOR_NONCE"],
    "files_created": ["done.txt", "told.txt"] if visit == "1" else [],
    "files_modified": ["done.txt", "told.txt"] if visit == "2" else [], "tests_written": [],
}
print("```json", json.dumps(answer), "```", sep="\\n")
"""
FILES: Final = {
    "tools/agent.py": _AGENT,
    ".supervisor/config.yaml": """\
cli: agent
clis:
  agent: {adapter: command, command: [python3, tools/agent.py]}
gates:
  test: {command: [test, -f, done.txt]}
baseline: "off"
""",
    ".supervisor/workflows/shown.yaml": """\
steps:
  implement: {role: implementer, next: check}
  check: {gate: test, next: commit, on_fail: implement}
  commit: {type: commit, next: show}
  show: {type: pull_request, follow: {every: 30s, max_rounds: 2}, terminal: true}
""",
}
"""The agent writes down which visit it is and what it was told."""


class LateClock(SystemClock):
    """The machine's clock, set forward by hand; a file lets other processes agree with it."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        is_kept = file is not None and file.exists()
        self.late = timedelta(seconds=float(file.read_text())) if file and is_kept else timedelta()

    @override
    def now(self) -> datetime:
        return super().now() + self.late

    def wait_for(self, due: datetime) -> None:
        """Let the time come."""
        self.late += max(timedelta(), due - self.now())
        if self._file is not None:
            self._file.write_text(str(self.late.total_seconds()))
