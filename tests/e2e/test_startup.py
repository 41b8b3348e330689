"""The command starts fast because it imports only what a verb needs."""

import re
import subprocess
import sys

import pytest
from tests.e2e.command import User

HEAVY = {"asyncio", "jinja2", "pydantic", "rich", "yaml", "msgspec", "sqlite3", "subprocess"}


def imported(user: User, *arguments: str) -> set[str]:
    """Name the packages that a call imports."""
    # What measures coverage imports much on its own account.
    kept = user.environment.items()
    environment = {name: it for name, it in kept if not name.startswith("COVERAGE")}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "supervisor_ai", *arguments],
        cwd=user.repository,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    names = re.findall(r"\|\s+([\w.]+)$", done.stderr, re.MULTILINE)
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_imports_nothing_but_click(user: User, arguments: list[str]) -> None:
    found = imported(user, *arguments)
    assert "click" in found
    assert not found & HEAVY


def test_status_imports_no_means_of_driving(user: User) -> None:
    user.run("--workflow", "quick")
    found = imported(user, "status")
    assert {"click", "sqlite3", "msgspec"} <= found
    assert not found & {"asyncio", "jinja2", "pydantic", "rich", "yaml"}
