"""The command starts fast because it imports only what a verb needs."""

import pytest
from tests.e2e.command import User
from tests.e2e.imports import imported

HEAVY = {"asyncio", "jinja2", "pydantic", "rich", "yaml", "msgspec", "sqlite3", "subprocess"}


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
