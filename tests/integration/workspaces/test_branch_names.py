"""What we take for the name of a branch is one for git, and the other way round."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.git_flow.branch_pattern import ref_mistake
from supervisor_ai.tools.programs import find_program

_PIECES = ("a", "/", ".", "..", ".lock", "-", "@", "@{", "~", "^", ":", "?", "*", "[", "\\", " ")


def git_takes(name: str) -> bool:
    program = find_program("git", None)
    assert program is not None
    asked = [program, "check-ref-format", "--branch", name]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


@given(st.lists(st.sampled_from(_PIECES), min_size=1, max_size=6).map("".join))
def test_git_has_every_name_that_we_let_pass(name: str) -> None:
    # Of a commit such as `@{-1}`, git says that it is one; of a name we are never less strict.
    assert git_takes(name) or ref_mistake(name) is not None


@pytest.mark.parametrize("name", ["ai/task-001-a", "a.b/c@d", "x-", "feat/1"])
def test_usual_names_pass(name: str) -> None:
    assert git_takes(name)
    assert ref_mistake(name) is None
