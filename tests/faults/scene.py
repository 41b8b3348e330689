"""What several tests of faults do: kill processes, and look at what is left of a story."""

import os
import re
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from tests.e2e.command import SUPERVISOR, Json, User
from tests.faults.figures import Figures
from tests.support.processes import PATIENCE, Owned

RUN: Final = re.compile(r"\br[0-9a-z]{8,}\b")
MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.+Z-]+")
NOTHING_YET: Final = 3
FREE: Final = {"ledger"}

MakeUser = Callable[[str], User]

Work = tuple[list[str], set[str]]
"""The commits of a branch by their subjects, and its files by their content."""


def start(user: User, *words: str, log: str = "out", **environment: str) -> Owned:
    """Call the real command; what it says goes to a file, so that nobody has to read it."""
    with (user.home.parent / log).open("ab") as file:
        return Owned(
            [SUPERVISOR, *words],
            cwd=user.repository,
            env={**user.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=file.fileno(),
            stderr=file.fileno(),
        )


def said(user: User, log: str = "out") -> str:
    """Return the end of what the commands said."""
    path = user.home.parent / log
    return path.read_text(errors="replace")[-1500:] if path.exists() else ""


def ended(process: Owned, seconds: float) -> bool:
    """Wait for the end of a process, at most so long."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=seconds)
    return process.returncode is not None


def descendants(pid: int) -> list[int]:
    """Return all processes below one."""
    parents: dict[int, list[int]] = {}
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError, ValueError):
            parent = int((place / "stat").read_text().rpartition(") ")[2].split()[1])
            parents.setdefault(parent, []).append(int(place.name))
    found, front = [], [pid]
    while front:
        front = [child for it in front for child in parents.get(it, [])]
        found += front
    return found


def kill(process: Owned, *, is_whole: bool) -> None:
    """Kill a process, or it and all below it, and wait until it is gone."""
    for pid in [process.pid, *(descendants(process.pid) if is_whole else [])]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait(timeout=PATIENCE)


def every_run(user: User) -> list[Json]:
    """Return all runs, newest first."""
    found: list[Json] = user.call("status", "--limit", "100000", "--json").json["runs"]
    return found


def roots(user: User) -> list[Json]:
    """Return the runs that no other run has started, newest first."""
    return [it for it in every_run(user) if it["parent"] is None]


def rows(user: User, question: str) -> list[tuple[Any, ...]]:
    """Ask the ledger as a program would that only reads."""
    path = user.repository / ".supervisor/state.db"
    if not path.exists():
        return []
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=60)) as ledger:
        return ledger.execute(question).fetchall()


def work_of(user: User) -> Work:
    """Return what stands on the branch of the only run: commits, files, keys of operations."""
    begun = roots(user)
    if not begun or not user.git("for-each-ref", f"refs/heads/{begun[0]['branch']}"):
        return [], set()
    branch = begun[0]["branch"]
    listed = user.git("log", "--format=%s", f"main..{branch}").splitlines()
    keys = "--format=%(trailers:key=Supervisor-Op,valueonly,separator=)"
    made = user.git("log", keys, f"main..{branch}").split()
    twice = [f"operation {it}" for it in Counter(made) - Counter(set(made))]
    lines = user.git("grep", "-I", "--line-number", "", branch).splitlines()
    texts = {MOMENT.sub("MOMENT", it.removeprefix(f"{branch}:")) for it in lines}
    return [RUN.sub("RUN", it) for it in listed] + twice, texts


def compare(found: Work, expected: Work, count: Figures) -> None:
    """Find each unit of work once, with the content that it has where nothing went wrong."""
    made, wanted = Counter(found[0]), Counter(expected[0])
    for unit in wanted - made:
        count.broke("lost", unit)
    for unit in made - wanted:
        count.broke("doubled", unit)
    for line in sorted(found[1] ^ expected[1]):
        count.broke("lost", f"content {line}")


def check_ledger(user: User, count: Figures) -> None:
    """Find the ledger and its artifacts as they were written."""
    verified = user.call("ledger", "verify", "--json")
    if verified.code == NOTHING_YET:
        return
    found = verified.json.get("verification", {}).get("faults", [verified.json])
    for fault in found:
        count.broke("verify faults", fault)


def check_leaks(user: User, count: Figures) -> None:
    """Find nothing left: processes, mounts, temporary files, workspaces, locks, refs.

    Whoever is killed in the middle of tidying up leaves a directory for `workspace clean`; in the
    middle of writing a draft, the draft for the next who writes one.
    """
    state = user.home.parent / "state"
    waste = [*state.glob("*/*.waste")]
    drafts = [*state.glob("sandbox/processes/*.draft")]
    drafts += user.repository.glob(".supervisor/artifacts/drafts/*")
    count["left to the next run"] += len(drafts)
    count["left to clean"] += len(waste)
    for lock in git_locks(user):
        # Git itself was killed while it held it: the user's to remove, as for any killed git.
        count["left locks of git"] += 1
        lock.unlink()
    if waste:
        assert user.call("workspace", "clean", "--yes").code == 0
    for what in leaks(user):
        count.broke("leaked", what)


def git_locks(user: User) -> list[Path]:
    """Return the locks of git that nobody holds any more."""
    locks = user.repository.joinpath(".git").rglob("*.lock")
    return [it for it in locks if not it.name.startswith("supervisor")]


def leaks(user: User) -> Iterator[str]:
    """Name what a story has left behind; its processes have a moment to end."""
    place = user.home.parent
    deadline = time.monotonic() + 20
    while (left := processes(str(place))) and time.monotonic() < deadline:
        time.sleep(0.1)
    yield from (f"process {it}" for it in left)
    mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    yield from (f"mount {it}" for it in mounts if str(place) in it)
    yield from (f"temporary {it.name}" for it in (place / "tmp").iterdir())
    state = place / "state"
    yield from (f"process file {it}" for it in state.glob("sandbox/processes/*.json"))
    runs = {it["id"]: it["status"] for it in every_run(user)}
    kept = {name for name, status in runs.items() if status == "waiting"}
    yield from (f"workspace {it}" for it in state.glob("*/r*") if it.name not in kept)
    trees = user.git("worktree", "list").splitlines()
    yield from (f"work tree {it}" for it in trees[1:])
    known = {
        it["id"] for it in user.call("status", "--limit", "1000", "--json").json["runs"]
    } | FREE
    for ref in user.git("for-each-ref", "--format=%(refname)").splitlines():
        owner = ref.split("/")[2] if ref.startswith("refs/supervisor/") else ""
        if owner and owner not in known:
            yield f"ref {ref}"


def processes(word: str) -> list[str]:
    """Return the processes that have a word in their command or environment, but not ourselves."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        if int(place.name) == os.getpid():
            continue
        with suppress(OSError):
            command = (place / "cmdline").read_bytes()
            told = command + (place / "environ").read_bytes()
            if command and word.encode() in told:
                found.append(f"{place.name} {command[:300]!r}")
    return found
