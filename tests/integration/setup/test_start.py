"""The command starts fast because it imports only what the verb needs."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from supervisor_ai.testing.scratch_repository import ScratchRepository

HEAVY = {
    *(
        "asyncio",
        "jinja2",
        "msgspec",
        "pydantic",
        "rich",
        "sqlite3",
        "starlette",
        "textual",
        "yaml",
    ),
}


def imported_by(arguments: Sequence[str], directory: Path | None = None, **more: str) -> set[str]:
    """Return the top-level names that a Python with these arguments imports."""
    # Coverage of child processes would bring its own imports.
    environment = {name: value for name, value in os.environ.items() if "COVERAGE" not in name}
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        cwd=directory,
        env={**environment, **more},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    lines = [line for line in ended.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


def test_help_imports_nothing_heavy() -> None:
    imported = imported_by(["-m", "supervisor_ai", "--help"])
    assert "supervisor_ai" in imported
    assert not imported & HEAVY


def completed(line: str, place: Path) -> set[str]:
    """Return what is imported to complete a line."""
    more = {
        "_SUPERVISOR_COMPLETE": "bash_complete",
        "COMP_LINE": line,
        "SUPERVISOR_STATE": str(place / "state"),
        "SUPERVISOR_CONFIG": str(place / "config"),
    }
    return imported_by(["-m", "supervisor_ai"], place / "home", **more)


def test_a_shell_that_asks_for_verbs_imports_none_of_them(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    assert completed("supervisor ", tmp_path) & HEAVY <= {"msgspec"}


@pytest.mark.parametrize("line", ["run --workflow ", "gate check ", "role show ", "run -c "])
def test_names_that_are_known_are_offered_without_reading_definitions(
    tmp_path: Path, line: str
) -> None:
    user = ScratchRepository(tmp_path / "home")
    user.write({"a.txt": "a"})
    user.commit()
    assert "pydantic" in completed(f"supervisor {line}", tmp_path)
    assert completed(f"supervisor {line}", tmp_path) & HEAVY <= {"msgspec"}


def test_a_heavy_import_is_noticed() -> None:
    assert imported_by(["-c", "import sqlite3.dbapi2"]) & HEAVY == {"sqlite3"}
