"""A real CLI writes its task file with its own tools, while the files beside it are mounts."""

from pathlib import Path
from typing import Final

import pytest
from tests.clis.stage import Stage
from tests.clis.vocabulary import Turn
from tests.clis.whole_run import configure, fenced
from tests.e2e.command import make_user
from tests.e2e.kanban_project import FILE, kanban_files, task_text

from supervisor_ai.lab.server import LabServer

CONFIG: Final = "kanban: {manager: builtin, gates: []}\n"
TASK: Final = "tasks/1-look.md"
HEADING: Final = "## Work Log\n"
ENTRY: Final = """\
## Work Log

### [2030-01-01T00:00:00Z] What was found

**Facts:** It was looked at.

**Analysis:** It had to be so.

**Conclusion:** ok
"""
WHOLE: Final = task_text("Architect").replace("## Work Log\n", ENTRY)
DONE: Final = fenced({"status": "ok", "message": "It is so."})


def tool(name: str, **given: str) -> Turn:
    return {"tool": {"name": name, "input": dict(given)}}


READ: Final = tool("Read", file_path=TASK)
EDIT: Final = tool("Edit", file_path=TASK, old_string="## Work Log\n", new_string=ENTRY)
WRITE: Final = tool("Write", file_path=TASK, content=WHOLE)
APPEND: Final = tool(
    "Bash", command=f"cat >> {TASK} <<'END'\n{ENTRY.removeprefix(HEADING)}END", description="log"
)
PATCH: Final = (
    f"*** Begin Patch\n*** Update File: {TASK}\n@@\n {HEADING}"
    + "".join(f"+{line}\n" for line in ENTRY.splitlines()[1:])
    + "*** End Patch\n"
)
REPLACE: Final = tool(
    "replace", file_path=TASK, old_string=HEADING, new_string=ENTRY, instruction="Log it."
)
LONG: Final = pytest.mark.long


@pytest.mark.parametrize(
    ("adapter", "turns"),
    [
        pytest.param("claude", [READ, EDIT], id="claude edits"),
        pytest.param("claude", [APPEND], id="claude appends", marks=LONG),
        pytest.param("claude", [READ, WRITE], id="claude writes", marks=LONG),
        pytest.param(
            "codex",
            [{"custom": {"name": "apply_patch", "input": PATCH}}],
            id="codex patches",
            marks=LONG,
        ),
        pytest.param("gemini", [REPLACE], id="gemini replaces", marks=LONG),
        pytest.param(
            "gemini",
            [tool("write_file", file_path=TASK, content=WHOLE)],
            id="gemini writes",
            marks=LONG,
        ),
    ],
)
def test_a_real_cli_writes_its_task_file(stage: Stage, turns: list[Turn], tmp_path: Path) -> None:
    user = make_user(tmp_path / "user", tmp_path / "state")
    user.commit({".supervisor/config.yaml": CONFIG, **kanban_files({"look": "Architect"})})
    with LabServer({"cursor": "history", "scenarios": [{"turns": [*turns, DONE]}]}) as lab:
        configure(user, {stage: lab})
        said = user.call("kanban", "run", FILE, "--cli", stage.adapter, "--yes", "--json")
        heard = [str(seen.body)[-1500:] for seen in lab.requests]
    assert said.code == 0, "\n".join((said.err, *heard))
    assert "**Conclusion:** ok" in user.git("show", f"{said.run['branch']}:{TASK}")
