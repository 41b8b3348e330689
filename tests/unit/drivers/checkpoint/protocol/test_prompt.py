"""The prompt of a supervisor: every field that is missing is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.drivers.checkpoint.protocol.prompt import (
    LONGEST_PROMPT,
    PromptProblems,
    SupervisorPrompt,
    read_prompt,
)

PROMPT = """\
## Role Assignment
role: supervisor
role_spec: .claude/skills/team/roles/supervisor/role.md
session: .workflow/.team/TLV4-demo
session_id: TLV4-demo
team_name: lifecycle
requirement: Build a shop
  with two lines

Read the spec, then wait: the coordinator wakes you.
recovery: true
"""


def test_the_fields_of_the_seed_are_read() -> None:
    assert read_prompt(PROMPT) == SupervisorPrompt(
        role_spec=".claude/skills/team/roles/supervisor/role.md",
        session=".workflow/.team/TLV4-demo",
        session_id="TLV4-demo",
        team_name="lifecycle",
        requirement=(
            "Build a shop\n  with two lines\n\nRead the spec, then wait: the coordinator wakes you."
        ),
        recovery=True,
    )


def test_recovery_may_be_left_out_and_a_heading_ends_the_requirement() -> None:
    found = read_prompt(PROMPT.replace("recovery: true\n", "## Notes\nmore words\n"))
    assert isinstance(found, SupervisorPrompt)
    assert not found.recovery
    assert found.requirement.endswith("wakes you.")


def test_all_missing_fields_are_named() -> None:
    assert read_prompt("role: supervisor\nsession: x\nteam_name:\n") == PromptProblems(
        missing=("role_spec", "session_id", "team_name", "requirement")
    )
    found = read_prompt("")
    assert isinstance(found, PromptProblems)
    assert found.text == (
        "The prompt has no 'role', 'role_spec', 'session', 'session_id', 'team_name', "
        "'requirement'."
    )


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("role: supervisor", "role: writer", "Asked for 'supervisor' as 'role'; found 'writer'."),
        ("recovery: true", "recovery: yes", "Asked for true or false as 'recovery'; found 'yes'."),
        ("team_name: lifecycle", "team_name: a\nteam_name: b", "gives 'team_name' twice."),
    ],
)
def test_what_is_wrong_is_said(before: str, after: str, problem: str) -> None:
    found = read_prompt(PROMPT.replace(before, after))
    assert isinstance(found, PromptProblems)
    assert problem in found.text


def test_a_prompt_has_an_end() -> None:
    found = read_prompt("x" * (LONGEST_PROMPT + 1))
    assert isinstance(found, PromptProblems)
    assert "262144 characters; found 262145 characters" in found.text


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    assert isinstance(read_prompt(text), PromptProblems)
