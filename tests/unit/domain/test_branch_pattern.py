"""The names of branches: patterns, what fills them, and what git has for a name."""

import pytest

from supervisor_ai.domain.git_flow.branch_pattern import (
    BRANCH_PATTERN,
    branch_name,
    needs_number,
    pattern_mistake,
    ref_mistake,
)
from supervisor_ai.domain.git_flow.policy import GitPolicy
from supervisor_ai.domain.ids import RunId

SEED = "ai/{task_id}-{description}"


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
    assert branch_name(BRANCH_PATTERN, RunId("r1"), task) == branch


@pytest.mark.parametrize(
    ("pattern", "task", "branch"),
    [
        (SEED, "Add user authentication", "ai/task-007-add-user-authentication"),
        (SEED, "日本語", "ai/task-007"),
        ("{slug}/{run_id}", "日本語", "r1"),
        ("{description}-{task_id}", "日本語", "task-007"),
        ("{run_id}", "Do it", "r1"),
    ],
)
def test_every_placeholder_is_filled(pattern: str, task: str, branch: str) -> None:
    assert pattern_mistake(pattern) is None
    assert branch_name(pattern, RunId("r1"), task, 7) == branch
    assert ref_mistake(branch) is None


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("ai/{run_id}-{topic}", "there is no placeholder {topic}; there are {run_id}, {slug}"),
        ("ai/{slug}", "put {run_id} or {task_id} in"),
        ("x" * 200 + "{run_id}", "has more than 120 characters"),
        ("ai/{run_id}/", "a '/' too many"),
        ("/{run_id}", "a '/' too many"),
        ("ai//{run_id}", "a '/' too many"),
        ("ai/.{run_id}", "begins with '.'"),
        ("ai/{run_id}.lock", "ends with '.lock'"),
        ("ai/{run_id}..x", "has '..'"),
        ("ai/@{{run_id}}", "has"),
        ("ai/{run_id} x", "has ' ' in it"),
        ("ai/{run_id}~1", "has '~' in it"),
        ("ai/{run_id", "put {run_id} or {task_id} in"),
        ("ai/{run_id}}", "has '}' in it"),
        ("-{run_id}", "begins, ends or is as none may"),
        ("{run_id}.", "begins, ends or is as none may"),
    ],
)
def test_a_pattern_that_git_would_not_have_is_a_mistake(pattern: str, said: str) -> None:
    assert said in (pattern_mistake(pattern) or "")


def test_only_some_patterns_count_tasks() -> None:
    assert needs_number(SEED)
    assert not needs_number(BRANCH_PATTERN)


@pytest.mark.parametrize(
    ("branch", "is_protected"),
    [("main", True), ("mainline", False), ("release/1.0", True), ("dev", False)],
)
def test_a_branch_is_protected_by_its_name_or_its_beginning(
    branch: str,
    is_protected: bool,  # noqa: FBT001 - one of a row's cells
) -> None:
    policy = GitPolicy(protected_branches=("main", "release/*"))
    assert policy.protects(branch) is is_protected
