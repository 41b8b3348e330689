"""Other people's projects, taken apart by a plan and put together again with equal trees."""

import subprocess
from pathlib import Path
from typing import Final

import pytest
import yaml
from tests.e2e.command import User
from tests.projects.archive import unpack
from tests.projects.table import load

CONFIG: Final = """\
cli: copier
workflow: small
clis:
  copier: {adapter: command, command: [python3, tools/agent.py]}
gates:
  whole: {command: [test, -d, tools/whole]}
  auto_run_files: {policy: warn}
  test_integrity: {policy: warn}
baseline: note
"""
SMALL: Final = """\
name: small
description: Implement, look and commit
initial_step: implement
steps:
  implement:
    role: implementer
    next: look
  look:
    type: orchestrator_gate
    gate: whole
    next: commit
  commit:
    type: commit
    terminal: true
"""
NAMES: Final = ("inflection", "iniconfig", "blinker", "fast-uri")
_MOST: Final = 6


def known_files(place: Path) -> list[str]:
    """List the files that git would know: what a project ignores is no part of it."""
    for words in (("init", "--quiet"), ("add", "--all")):
        subprocess.run(["git", *words], cwd=place, check=True)
    listed = ["git", "ls-files", "-z"]
    found = subprocess.run(listed, cwd=place, check=True, capture_output=True, text=True).stdout
    return [it for it in found.split("\0") if it and not (place / it).is_symlink()]


def taken_apart(files: list[str]) -> str:
    """Write a plan: a few files for each component, each chain in the order of their names."""
    chunks = [files[at : at + _MOST] for at in range(0, len(files), _MOST)]
    half = (len(chunks) + 1) // 2
    parts = [
        {
            "id": f"part{at}",
            "files": chunk,
            "depends_on": [f"part{at - 2}"] if at % half > 1 else [],
        }
        for at, chunk in enumerate(chunks)
    ]
    phases = [
        {"id": name, "components": these}
        for name, these in (("first", parts[:half]), ("second", parts[half:]))
        if these
    ]
    return yaml.safe_dump({"feature": {"id": "P1", "title": "All of it", "phases": phases}})


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_a_project_that_was_taken_apart_has_the_same_tree_again(
    newcomer: User, tmp_path: Path, name: str
) -> None:
    project = next(it for it in load() if it.name == name)
    place = tmp_path / "release"
    place.mkdir()
    unpack(project, place)
    files = known_files(place)
    assert len(files) > 2 * _MOST, files
    agent = Path(__file__).with_name("part_agent.py").read_text()
    newcomer.write(
        {
            ".supervisor/config.yaml": CONFIG,
            ".supervisor/workflows/small.yaml": SMALL,
            "tools/agent.py": agent,
            "plan.yaml": taken_apart(files),
        }
    )
    for file in files:
        target = newcomer.repository / "tools/whole" / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((place / file).read_bytes())
        target.chmod((place / file).stat().st_mode & 0o755 | 0o600)
    newcomer.git("add", "--all", "--force", "tools/whole")
    newcomer.commit()
    assert newcomer.call("feature", "load", "plan.yaml").code == 0
    done = newcomer.call("feature", "run", "P1", "--yes", "--json", "--max-parallel", "3")
    assert done.code == 0, done.err[-2000:]
    branch = done.run["branch"]
    ours = newcomer.git("ls-tree", "-r", "-z", branch).split("\0")
    built = {it for it in ours if it.partition("\t")[2] in set(files)}
    whole = newcomer.git("ls-tree", "-r", "-z", "main:tools/whole").split("\0")
    assert built == {it for it in whole if it}
