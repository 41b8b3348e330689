"""The names of branches."""

import pytest

from supervisor_ai.control.commands.run_start import branch_name
from supervisor_ai.domain.ids import RunId


@pytest.mark.parametrize(
    ("task", "branch"),
    [
        ("Add a /health endpoint", "ai/r1-add-a-health-endpoint"),
        ("Größe prüfen\nand more below", "ai/r1-große-prufen".replace("ß", "")),
        ("  ../../etc; rm -rf ~ --\x1b[31m", "ai/r1-etc-rm-rf-31m"),
        ("日本語", "ai/r1"),
        ("word " * 20, "ai/r1-word-word-word-word-word-word-word-word"),
        ("a" * 60, f"ai/r1-{'a' * 40}"),
    ],
)
def test_a_branch_shows_the_task_in_safe_letters(task: str, branch: str) -> None:
    assert branch_name(RunId("r1"), task) == branch
