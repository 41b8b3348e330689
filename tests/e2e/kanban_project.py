"""A user's repository with a kanban in it, and an agent that works on kanbans."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.e2e.command import User

AGENT: Final = Path(__file__).with_name("kanban_agent.py")
FILE: Final = "tasks/0-kanban-demo.md"
CONFIG: Final = """\
cli: my_agent
clis:
  my_agent:
    adapter: command
    command: [python3, tools/agent.py]
gates:
  test:
    command: [sh, -c, "! grep --recursive --quiet broken app"]
kanban:
  manager: builtin
  gates: [test]
"""

Tasks = Mapping[str, str]
"""The roles of tasks by their names, in their order."""


def kanban_text(tasks: Sequence[str]) -> str:
    """Write a kanban file whose first task is next."""
    listed = "".join(f"  - {task}\n" for task in tasks)
    header = f"type: kanban\ntitle: Demo\nphase: execute\ncurrent: {tasks[0]}\ntasks:\n{listed}"
    return f"---\n{header}---\n\n## Request\n\nBuild it.\n\n## Plan Adjustment Log\n"


def task_text(role: str) -> str:
    """Write a task file."""
    kind = "implement" if role == "Implementor" else "exploration"
    header = f"role: {role}\ntype: {kind}\nstate: todo\npriority: medium\n"
    return f"---\n{header}---\n\n# Task: It\n\n## Description\n\nDo it.\n\n## Work Log\n"


def kanban_files(tasks: Tasks, *, folder: str = "tasks") -> dict[str, str]:
    """Write a kanban and its tasks."""
    paths = {
        f"{folder}/{number}-{name}.md": role
        for number, (name, role) in enumerate(tasks.items(), start=1)
    }
    files = {path: task_text(role) for path, role in paths.items()}
    return {f"{folder}/0-kanban-demo.md": kanban_text(list(paths)), **files}


def furnish(user: User, files: Mapping[str, str], **deeds: Sequence[str]) -> None:
    """Commit a kanban and an agent for it."""
    user.commit(
        {
            ".supervisor/config.yaml": CONFIG,
            "tools/agent.py": AGENT.read_text(),
            "tools/deeds.json": json.dumps(
                {name.replace("_", "-"): it for name, it in deeds.items()}
            ),
            "app/README": "An app.\n",
            **files,
        }
    )
