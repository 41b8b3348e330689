"""The command starts fast because it imports only what the verb needs."""

import os
import subprocess
import sys
from collections.abc import Sequence

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


def imported_by(arguments: Sequence[str]) -> set[str]:
    """Return the top-level names that a Python with these arguments imports."""
    # Coverage of child processes would bring its own imports.
    environment = {name: value for name, value in os.environ.items() if "COVERAGE" not in name}
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        env=environment,
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


def test_a_heavy_import_is_noticed() -> None:
    assert imported_by(["-c", "import sqlite3.dbapi2"]) & HEAVY == {"sqlite3"}
