"""What a workspace costs, beside `git worktree add` and `git worktree remove`.

Run: .venv/bin/python -m bench.workspaces [ROUNDS] [DIRECTORY]
"""

import asyncio
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeVar

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

GIT: Final = shutil.which("git") or "git"
FILES: Final = 10_000
A_DIRECTORY: Final = 100
ROUNDS: Final = 9
NOTES: Final = """
As root, a workspace of so many files lies over an export of the base that all of a project share:
the first one makes it, as git does. An ordinary user has a check-out in each."""
RUN: Final = RunId("bench")
MEMORY: Final = Path("/dev/shm")  # noqa: S108 - only directories of random names go there
ENOUGH: Final = 8 << 30

T = TypeVar("T")


def roomy_place() -> Path | None:
    """Return a place in memory if there is room: a slow disk would hide what we cost."""
    if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ENOUGH:
        return MEMORY
    return None


def make_repository(path: Path, *, files: int = FILES) -> CommitSha:
    """Make a repository with so many files, a hundred to a directory, and check it out."""
    subprocess.run([GIT, "init", "-q", "--initial-branch=main", path], check=True)
    stream = "".join(
        [
            "commit refs/heads/main\ncommitter Ada <ada@example.org> 1000000000 +0000\n",
            "data 5\nfiles\n",
            *(_entry(number) for number in range(files)),
        ]
    )
    _git(path, "fast-import", "--quiet", stdin=stream)
    _git(path, "reset", "--quiet", "--hard")
    return CommitSha(_git(path, "rev-parse", "HEAD").strip())


def _entry(number: int) -> str:
    text = f"file {number}\n" + "some line of code\n" * (number % 60)
    name = f"part{number // A_DIRECTORY:03}/file{number % A_DIRECTORY:02}.txt"
    return f"M 100644 inline {name}\ndata {len(text)}\n{text}\n"


def _git(path: Path, *arguments: str, stdin: str = "") -> str:
    done = subprocess.run(
        [GIT, "-C", path, *arguments], input=stdin, capture_output=True, text=True, check=True
    )
    return done.stdout


class Contest:
    """Workspaces and work trees of one repository, made and removed in turns."""

    def __init__(self, place: Path, *, files: int = FILES) -> None:
        self._place = place
        self._home = place / "home"
        self._start = make_repository(self._home, files=files)
        state = place / "state" / "project"
        self._workspaces = GitWorkspaces(GitRepository(self._home), state)
        self.times: dict[str, list[float]] = {
            name: [] for name in ("worktree add", "open", "worktree remove", "close")
        }

    def go(self, rounds: int) -> None:
        """Take turns, so that both see the same disk; the first round of each is not counted."""
        for number in range(rounds + 1):
            self._work_tree(number)
            self._workspace(number)
            if number == 0:
                self.times = {name: [] for name in self.times}

    def ratio(self, ours: str, theirs: str) -> float:
        """Compare medians."""
        return statistics.median(self.times[ours]) / statistics.median(self.times[theirs])

    def _work_tree(self, number: int) -> None:
        path = str(self._place / f"tree{number}")
        self._timed("worktree add", lambda: _git(self._home, "worktree", "add", "--detach", path))
        self._timed("worktree remove", lambda: _git(self._home, "worktree", "remove", path))

    def _workspace(self, number: int) -> None:
        key = EffectKey(f"{RUN}/implement/1/{number}/worker/1")
        opened = self._timed(
            "open",
            lambda: asyncio.run(self._workspaces.open(RUN, key, fence=1, start=self._start)),
        )
        self._timed("close", lambda: asyncio.run(self._workspaces.close(opened)))

    def _timed(self, name: str, deed: Callable[[], T]) -> T:
        begun = time.perf_counter()
        result = deed()
        self.times[name].append(time.perf_counter() - begun)
        return result


def workspaces(rounds: int = ROUNDS, directory: Path | None = None) -> Iterator[str]:
    """Time opening and closing a workspace of 10,000 files."""
    with tempfile.TemporaryDirectory(dir=directory or roomy_place()) as name:
        contest = Contest(Path(name))
        contest.go(rounds)
    yield "| deed | median ms | ratio to git's |\n|---|---:|---:|"
    for ours, theirs in (("open", "worktree add"), ("close", "worktree remove")):
        for title, deed in ((f"`git {theirs}`", theirs), (f"{ours} a workspace", ours)):
            median = statistics.median(contest.times[deed]) * 1000
            yield f"| {title} | {median:.0f} | {contest.ratio(deed, theirs):.2f} |"
    yield NOTES


def main() -> None:
    """Print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    directory = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    print("\n".join(workspaces(rounds, directory)))


if __name__ == "__main__":
    main()
