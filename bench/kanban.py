"""What an iteration of a kanban costs where it has many tasks.

Run: .venv/bin/python -m bench kanban
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.gates import make_environment
from bench.runs import OURS, cost_of
from bench.workspaces import GIT, roomy_place

TASKS: Final = 200
FEW, MORE = 3, 11
"""Iterations of the two runs whose difference is told: what a start takes is in both."""
NOT_COMPLETE: Final = 1
"""The exit code of a run that is out of iterations."""
GOAL: Final = 0.8
REQUEST: Final = "Say many things"
AGENT: Final = """\
import json
import os
import pathlib
import re
import sys

COUNT = {count}
ITEM = '''  - description: Add file {{number}}.
    files: [file{{number}}.txt]
    related_domains: [files]
    expertise_required: [text]
'''
ENTRY = '''
### [2030-01-31T12:00:00Z] Done.

**Facts:** Done.

**Analysis:** It is what the task asks for.

**Conclusion:** ok
'''
task_file = pathlib.Path(re.search(r'"task_file": "(.+)"', sys.stdin.read())[1])
text = task_file.read_text()
if os.environ["SUPERVISOR_STEP"] == "architect":
    items = "".join(ITEM.format(number=number) for number in range(1, COUNT))
    listed = "<!-- start workitems -->\\nwork_items:\\n" + items + "<!-- end workitems -->"
    text = re.sub("<!-- start.*end workitems -->", lambda _: listed, text, flags=re.DOTALL)
else:
    pathlib.Path(f"made-{{task_file.stem}}.txt").write_text("made")
task_file.write_text(text + ENTRY)
answer = {{"nonce": os.environ["SUPERVISOR_NONCE"], "status": "ok", "message": "Done."}}
fence = 3 * "`"
print(f"{{fence}}json\\n{{json.dumps(answer)}}\\n{{fence}}")
"""
CONFIG: Final = """\
cli: idle
clis:
  idle: {{adapter: command, command: [python3, tools/agent.py]}}
gates:
  test: {{command: ["true"]}}
kanban:
  manager: builtin
  max_iterations: {most}
"""


def kanban() -> Iterator[str]:
    """Let two kanbans of equal tasks go on for a few iterations, and for some more."""
    load = os.getloadavg()[0]
    costs = [_cost(most) for most in (FEW, MORE)]
    each = (costs[1] - costs[0]) / (MORE - FEW)
    yield (
        f"{each:.2f} s of CPU (goal: {GOAL}): the difference between runs of {FEW} and of {MORE} "
        f"iterations of a kanban of {TASKS} tasks, at a load of {load:.1f}; in each the agent, "
        "which does next to nothing, and one gate run in sandboxes."
    )


def _cost(most: int) -> float:
    with tempfile.TemporaryDirectory(dir=roomy_place()) as directory:
        place = Path(directory)
        environment = make_environment(place)
        project = _make_project(place / "project", most)
        cost_of([*OURS, "kanban", "new", REQUEST], project, environment)
        branch = subprocess.run(
            [GIT, "-C", project, "for-each-ref", "--format=%(refname:short)", "refs/heads/ai"],
            check=True, capture_output=True, text=True,
        ).stdout.strip()  # fmt: skip
        subprocess.run([GIT, "-C", project, "merge", "-q", "--ff-only", branch], check=True)
        [file] = (project / "tasks").glob("0-kanban-*.md")
        run = [*OURS, "kanban", "run", str(file.relative_to(project))]
        return cost_of(run, project, environment, code=NOT_COMPLETE).cpu


def _make_project(project: Path, most: int) -> Path:
    subprocess.run([GIT, "init", "-q", "--initial-branch", "main", project], check=True)
    files = {
        ".supervisor/config.yaml": CONFIG.format(most=most),
        "tools/agent.py": AGENT.format(count=TASKS),
    }
    for name, text in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    for key, value in (("user.name", "Ada"), ("user.email", "ada@example.org")):
        subprocess.run([GIT, "-C", project, "config", key, value], check=True)
    for line in (("add", "--all"), ("commit", "-q", "-m", "An agent")):
        subprocess.run([GIT, "-C", project, *line], check=True)
    return project


if __name__ == "__main__":
    sys.stdout.write("\n".join(kanban()) + "\n")
