"""A change of the machine's tools is noticed."""

import os
from pathlib import Path

from supervisor_ai.gates.runners.table import edition
from supervisor_ai.sandboxes.tool_stamps import stamp_tools


def test_a_package_that_comes_makes_another_stamp(tmp_path: Path) -> None:
    shelf = tmp_path / "venv" / "lib" / "python3.11" / "site-packages"
    shelf.mkdir(parents=True)
    programs = tmp_path / "venv" / "bin"
    programs.mkdir()
    (tmp_path / "venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    tmp_path.chmod(0o755)
    environment = {"PATH": str(programs), "VIRTUAL_ENV": str(tmp_path / "venv")}
    before = stamp_tools(environment, tmp_path)
    assert stamp_tools(environment, tmp_path) == before
    os.utime(shelf, (1, 1))
    assert stamp_tools(environment, tmp_path) != before


def test_the_table_of_runners_has_a_name() -> None:
    assert len(edition()) == 64
