"""What a whole run costs, beside a shell script that does the same git work, calls and tests.

Run: .venv/bin/python -m bench.runs [FILES...]
     .venv/bin/python -m bench.runs ordinary [FILES...]    # root has an ordinary user call it
"""

import compileall
import os
import resource
import site
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.gates import make_environment
from bench.sandboxes import NOBODY
from bench.workspaces import GIT, make_repository, roomy_place

ROOT: Final = Path(__file__).parent.parent
OURS: Final = (str(Path(sys.executable).with_name("supervisor")),)
SIZES: Final = (5, 10_000, 50_000)
GOALS: Final = {5: 0.8, 50_000: 5.0}
WHY: Final = """
The smallest run consists mostly of the start of the process (imports, definitions), the start of
the reader of hostile code, sandboxes and calls of git; its gates are too quick for a look at the
machine's tools, by which verdicts are found again. In the largest, the most besides is for what git
does with an index of all files, for one list of them, and for packing. As root, all workspaces lie
over one export of the base, which the run before left and the next one takes over; as an ordinary
user, the gates on the base, the implementer and the gate on the change each have a check-out of
their own.
"""
QUICK: Final = "QUICK" in os.environ
ROUNDS: Final = 1 if QUICK else 3
FEW: Final = (5, 10_000)
QUEUED: Final = 6 if QUICK else 20
A_MINUTE: Final = 300
AGENT: Final = """\
#!/bin/sh
# Does nothing but what each role must: the time is ours, not its.
cat > /dev/null
case "$SUPERVISOR_ROLE" in
planner) says='"status": "COMPLETE", "summary": "One file."' ;;
implementer)
    echo "$SUPERVISOR_RUN" > done.txt
    says='"status": "SUCCESS", "summary": "Wrote it.", "files_created": ["done.txt"],
        "files_modified": [], "tests_written": []' ;;
*) says='"status": "APPROVED", "summary": "Good.", "issues": []' ;;
esac
printf '```json\\n{"nonce": "%s", %s}\\n```\\n' "$SUPERVISOR_NONCE" "$says"
"""
CONFIG: Final = """\
cli: idle
clis:
  idle: {adapter: command, command: [sh, tools/agent.sh]}
gates:
  test: {command: [test, -f, done.txt]}
"""
PLAIN: Final = """\
set -e
git worktree add -q -b "plain-$1" "$2" main
cd "$2"
for role in planner implementer; do
    SUPERVISOR_ROLE=$role SUPERVISOR_RUN=$1 sh tools/agent.sh < /dev/null > /dev/null
done
test -f done.txt
SUPERVISOR_ROLE=reviewer sh tools/agent.sh < /dev/null > /dev/null
git add --all
git -c user.name=a -c user.email=a@example.org commit -q -m "$1"
cd -
git worktree remove --force "$2"
"""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one process and all that it waited for took, in seconds."""

    cpu: float
    wall: float


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who calls the commands."""

    words: tuple[str, ...] = ()
    """What makes a command this user's."""
    ours: tuple[str, ...] = OURS
    variables: tuple[tuple[str, str], ...] = ()


Called = Callable[[Path], Caller]


def whoever_asks(_place: Path) -> Caller:
    """Let whoever measures call them."""
    return Caller()


def ordinary_user(place: Path) -> Caller:
    """Give a place to a user with few rights, with a Python that such a user can start."""
    python = place / "python"
    subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", python], check=True)
    [packages] = python.glob("lib/*/site-packages")
    (packages / "ours.pth").write_text("\n".join((*site.getsitepackages(), str(ROOT / "src"))))
    subprocess.run(["/bin/chown", "-R", f"{NOBODY[1]}:{NOBODY[3]}", place], check=True)
    return Caller(
        words=("setpriv", *NOBODY),
        ours=(str(python / "bin" / "python"), "-P", "-m", "supervisor_ai"),
        variables=(("PATH", "/usr/bin:/bin"),),
    )


def runs(sizes: tuple[int, ...] = SIZES) -> Iterator[str]:
    """Run the workflow `standard` on repositories of several sizes, in turn with the script."""
    yield from contests(FEW if QUICK else sizes, whoever_asks)
    yield WHY
    yield from queue()


def contests(sizes: tuple[int, ...], called: Called) -> Iterator[str]:
    """Print the table of what a caller waits for."""
    compileall.compile_dir(ROOT / "src", quiet=1)
    yield f"Load of the machine: {os.getloadavg()[0]:.1f}.\n"
    yield "| files | shell s | `standard` s | goal | CPU of it s | ratio |"
    yield "|---:|---:|---:|---:|---:|---:|"
    for files in sizes:
        plain, ours = _contest(files, called)
        goal = GOALS.get(files, "")
        row = f"| {files:,} | {plain.wall:.2f} | {ours.wall:.2f} | {goal} | {ours.cpu:.2f} |"
        yield f"{row} {ours.wall / plain.wall:.0f} |"


def queue() -> Iterator[str]:
    """Let `supervisor serve` drive runs that wait in the queue of a small repository."""
    with tempfile.TemporaryDirectory(dir=roomy_place()) as directory:
        place = Path(directory)
        environment = make_environment(place)
        project = make_project(place / "project", SIZES[0])
        for number in range(QUEUED):
            words = ["run", f"Write {number}", "--workflow", "standard", "--yes", "--queue"]
            cost_of([*OURS, *words], project, environment)
        cost = cost_of([*OURS, "serve", "--once", "--limit", "4"], project, environment)
        conflicts = cost_of([*OURS, "conflicts", "--json"], project, environment)
    rate = QUEUED / cost.wall * 60
    yield f"`supervisor serve --limit 4` drives {QUEUED} queued runs of the smallest repository:"
    yield f"{rate:.0f} a minute (goal: {A_MINUTE}), {cost.cpu / QUEUED:.2f} s of CPU each."
    yield f"`supervisor conflicts` among them takes {conflicts.cpu:.2f} s of CPU."


def _contest(files: int, called: Called) -> tuple[Cost, Cost]:
    with tempfile.TemporaryDirectory(dir=roomy_place()) as directory:
        place = Path(directory)
        project = make_project(place / "project", files)
        costs: dict[str, list[Cost]] = {"plain": [], "ours": []}
        script = place / "plain.sh"
        script.write_text(PLAIN)
        caller = called(place)
        environment = {**make_environment(place), **dict(caller.variables)}
        run = ("run", "Write it", "--workflow", "standard", "--yes", "--json")
        ours = [*caller.words, *caller.ours, *run]
        # The first run proves the sandbox and fills the caches, as every user's first one does.
        cost_of(ours, project, environment)
        for number in range(ROUNDS):
            plain = [*caller.words, "sh", str(script), str(number), str(place / "plain")]
            costs["plain"].append(cost_of(plain, project, environment))
            costs["ours"].append(cost_of(ours, project, environment))
    return _median(costs["plain"]), _median(costs["ours"])


def make_project(project: Path, files: int) -> Path:
    """Make a repository of so many files with an agent that does nothing."""
    make_repository(project, files=files)
    for name, text in {".supervisor/config.yaml": CONFIG, "tools/agent.sh": AGENT}.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text)
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for line in (("add", "--all"), ("commit", "-q", "-m", "An agent")):
        subprocess.run([GIT, "-C", project, *identity, *line], check=True)
    for key, value in (("user.name", "Ada"), ("user.email", "ada@example.org")):
        subprocess.run([GIT, "-C", project, "config", key, value], check=True)
    return project


def cost_of(
    command: list[str], project: Path, environment: Mapping[str, str], code: int = 0
) -> Cost:
    """Run a command that must end so."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, check=False)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != code:
        said = f"{done.stdout[-2000:]!r}\n{done.stderr[-2000:]!r}"
        sys.exit(f"{command} ended with {done.returncode}:\n{said}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(cpu=cpu, wall=wall)


def _median(costs: list[Cost]) -> Cost:
    return Cost(
        cpu=statistics.median(cost.cpu for cost in costs),
        wall=statistics.median(cost.wall for cost in costs),
    )


def main() -> None:
    """Print the table."""
    words = sys.argv[1:]
    is_ordinary = words[:1] == ["ordinary"]
    sizes = tuple(int(word) for word in words[is_ordinary:]) or SIZES
    print("\n".join(contests(sizes, ordinary_user) if is_ordinary else runs(sizes)))


if __name__ == "__main__":
    main()
