"""What packing a context costs, beside repomix and gitingest on the same files.

Run: .venv/bin/python -m bench.context

The repositories are not part of this one. Put bare clones (or links to some) where they are looked
for: git clone --bare https://github.com/pallets/flask build/repositories/flask
"""

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from supervisor_ai.workspaces.repositories.git import Git

ROOT: Final = Path(__file__).parent.parent
REPOSITORIES: Final = ROOT / "build" / "repositories"
PEERS: Final = ROOT / "build" / "context-peers"
REPOMIX: Final = PEERS / "node_modules" / ".bin" / "repomix"
GITINGEST: Final = PEERS / "venv" / "bin" / "gitingest"
VERSIONS: Final = {"repomix": "1.18.1", "gitingest": "0.3.1"}
ROUNDS: Final = 2


@dataclass(frozen=True)
class Selection:
    """Which files of a repository are packed, in everybody's way of saying it."""

    repository: str
    origin: str
    directory: str
    ending: str

    @property
    def title(self) -> str:
        return self.repository if self.ending else f"{self.repository}, whole"

    @property
    def pattern(self) -> str:
        return "/".join(filter(None, (self.directory, "**", f"*{self.ending}")))

    @property
    def ours(self) -> str:
        return f"/{self.pattern}"

    @property
    def git(self) -> Path:
        return REPOSITORIES / self.repository


SELECTIONS: Final = (
    Selection("flask", "pallets/flask", "src", ".py"),
    Selection("zod", "colinhacks/zod", "packages/zod/src", ".ts"),
    Selection("django", "django/django", "django", ".py"),
    Selection("django", "django/django", "", ""),
)


def context() -> Iterator[str]:
    """Compare the packers on every repository that is there."""
    absent = [selection for selection in SELECTIONS if not selection.git.exists()]
    if len(absent) < len(SELECTIONS):
        _install()
        yield (
            "| repository | packer | CPU s | repomix costs so many times as much |\n"
            "|---|---|---:|---:|"
        )
    for selection in SELECTIONS:
        if selection not in absent:
            yield from _rows(selection)
    for selection in absent:
        yield (
            f"\nNot measured: {selection.repository}. Bring it with `git clone --bare "
            f"https://github.com/{selection.origin} {selection.git.relative_to(ROOT)}`."
        )
    yield NOTES


NOTES: Final = """
CPU time of the whole process and its children, the start of the interpreter included, medians of 2
rounds that take turns (one, where all of django is packed). Everybody is asked for the same files;
ours are read from a commit, redacted and counted, those of repomix are searched by its own check
for secrets and counted. "In a running supervisor" is the same packing without the start of a
process, as a run pays for it; the cache is keyed by git's name of each content. gitingest looks for
no secrets and counts no tokens without a network."""


def _rows(selection: Selection) -> Iterator[str]:
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as name:
        place = Path(name)
        tree = _checkout(selection, place)
        commands = _commands(selection, tree, place)
        times: dict[str, list[float]] = {}
        files = 0
        for _ in range(ROUNDS if selection.ending else 1):
            (place / "cold.db").unlink(missing_ok=True)
            for title, (command, environment) in commands.items():
                seconds, output = _cpu(command, environment, place)
                times.setdefault(title, []).append(seconds)
                if output.startswith("{"):
                    report = json.loads(output)
                    files = report["files"]
                    inside = f"{title}, in a running supervisor"
                    times.setdefault(inside, []).append(report["cpu"])
    medians = {title: statistics.median(seconds) for title, seconds in times.items()}
    for title, median in medians.items():
        ratio = medians[f"repomix {VERSIONS['repomix']}"] / median
        yield f"| {selection.title}, {files} files | {title} | {median:.2f} | {ratio:.1f} |"


def _commands(
    selection: Selection, tree: Path, place: Path
) -> dict[str, tuple[list[str], Mapping[str, str]]]:
    ours = [sys.executable, "-m", "bench.packing", str(selection.git), selection.ours]
    config = place / "repomix.json"
    config.write_text("{}")
    repomix = [str(REPOMIX), "-c", str(config), "--include", selection.pattern, "--quiet"]
    repomix += ["--no-gitignore", "--no-default-patterns", "--no-git-sort-by-changes"]
    repomix += ["-o", str(place / "repomix.xml"), str(tree)]
    gitingest = [str(GITINGEST), str(tree / selection.directory), "-i", f"*{selection.ending}"]
    gitingest += ["-o", str(place / "digest.txt")]
    packers: dict[str, tuple[list[str], Mapping[str, str]]] = {
        "ours, cold": ([*ours, str(place / "cold.db")], {}),
        "ours, warm": ([*ours, str(place / "cold.db")], {}),
        f"repomix {VERSIONS['repomix']}": (repomix, {"REPOMIX_TOKEN_CACHE": "0"}),
        f"repomix {VERSIONS['repomix']}, its own cache warm": (repomix, {}),
    }
    if selection.ending:  # It would take minutes for everything.
        packers[f"gitingest {VERSIONS['gitingest']}"] = (gitingest, {})
    return packers


def _checkout(selection: Selection, place: Path) -> Path:
    tree = place / "tree"
    tree.mkdir()
    archive = Git(directory=selection.git).run("archive", "--format=tar", "HEAD").output
    tar = shutil.which("tar") or "tar"
    subprocess.run([tar, "-x", "-C", str(tree)], input=archive, check=True)
    return tree


def _cpu(command: list[str], extra: Mapping[str, str], place: Path) -> tuple[float, str]:
    """Run a command; return what it and its children cost, and what it said."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(place),
        "PYTHONPATH": str(ROOT),
        # Nobody downloads a vocabulary: what has none on this machine does not count.
        "HTTPS_PROXY": "http://127.0.0.1:9",
        **extra,
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, cwd=place, env=environment, capture_output=True, text=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed:\n{done.stdout[-1000:]}{done.stderr[-1000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def _install() -> None:
    PEERS.mkdir(parents=True, exist_ok=True)
    npm = shutil.which("npm")
    if not REPOMIX.exists() and npm:
        package = f"repomix@{VERSIONS['repomix']}"
        quiet = ("--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(PEERS))
        subprocess.run([npm, "install", *quiet, package], check=True, stdout=sys.stderr)
    if not GITINGEST.exists():
        subprocess.run([sys.executable, "-m", "venv", str(PEERS / "venv")], check=True)
        pip = [str(PEERS / "venv" / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, f"gitingest=={VERSIONS['gitingest']}"], check=True)


if __name__ == "__main__":
    (ROOT / "build").mkdir(exist_ok=True)
    print("\n".join(context()))
