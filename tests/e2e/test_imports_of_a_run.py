"""A run of one driver imports no other driver."""

import subprocess
import sys
from typing import Final

import pytest
from tests.e2e.command import User

LOOK: Final = """
import sys
from supervisor_ai.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit as ended:
    assert not ended.code, ended.code
names = [name for name in sys.modules if name.startswith("supervisor_ai.drivers.")]
print("imported:", *sorted(names))
"""
"""Runs a command and names the modules of drivers that it imported."""
CONFIG_WORDS: Final = {"supervisor_ai.drivers.kanban", "supervisor_ai.drivers.kanban.settings"}
"""A config is checked whole, whatever it says about whichever driver."""


@pytest.mark.parametrize("command", [("run", "Do it", "--dry-run"), ("run", "Do it", "--yes")])
def test_a_workflow_run_imports_no_kanban(user: User, command: tuple[str, ...]) -> None:
    if "--yes" in command:
        user.script(implement=["write done.txt"])
    said = subprocess.run(
        [sys.executable, "-c", LOOK, *command],
        cwd=user.repository,
        env=user.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "imported: " in said.stdout, said.stderr
    names = set(said.stdout.rpartition("imported: ")[2].split())
    assert {name for name in names if ".kanban" in name} <= CONFIG_WORDS
