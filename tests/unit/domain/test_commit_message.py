"""The subjects of commits: conventional where plan or paths tell, and never too long."""

import json

import pytest

from supervisor_ai.domain.git_flow.commit_message import (
    SUBJECT_LENGTH,
    CommitWish,
    commit_message,
    conventional_subject,
    wish_of,
)

SEED = ("src/auth.py", "tests/test_auth.py")


@pytest.mark.parametrize(
    ("task", "paths", "subject"),
    [
        ("Add user authentication", SEED, "feat(auth): Add user authentication"),
        ("add user authentication.", SEED, "feat(auth): Add user authentication"),
        ("fix(api): Answer at once", SEED, "fix(api): Answer at once"),
        ("feat!: Drop the old way\nand more", SEED, "feat!: Drop the old way"),
        ("Fix the login", SEED, "fix(auth): Fix the login"),
        ("Rename it", ("a/x.py", "b/y.py"), "refactor: Rename it"),
        ("Speed it up", ("src/shop/cart.py", "src/shop/pay/card.py"), "perf(shop): Speed it up"),
        ("Revert it", ("lib.rs",), "revert: Revert it"),
        ("Test it more", ("tests/test_auth.py", "a/b.spec.ts"), "test: Test it more"),
        ("Explain it", ("docs/guide.md", "README.md"), "docs: Explain it"),
        ("Explain it", ("README.md",), "docs(readme): Explain it"),
        ("Build it", (".github/workflows/ci.yml",), "ci(ci): Build it"),
        ("Need less", ("package.json", "package-lock.json"), "build: Need less"),
        ("Do it", ("src/shop/__init__.py",), "feat(shop): Do it"),
        ("Do it", ("src/a.py", "src/b.py"), "feat: Do it"),
        ("Do it", (), "feat: Do it"),
        ("Do it", ("src/a_name_that_is_far_too_long_for_a_scope.py",), "feat: Do it"),
    ],
)
def test_type_and_scope_come_from_words_and_paths(
    task: str, paths: tuple[str, ...], subject: str
) -> None:
    assert conventional_subject(task, CommitWish(), paths) == subject


@pytest.mark.parametrize(
    ("plan", "wish"),
    [
        (
            {"commit_type": "fix", "commit_scope": "The API"},
            CommitWish(type="fix", scope="the-api"),
        ),
        ({"commit_type": " Feature "}, CommitWish(type="feat")),
        ({"commit_type": "feat(x): evil\n", "commit_scope": "a"}, CommitWish()),
        ({"commit_type": 7}, CommitWish()),
        ({"commit_type": "docs", "commit_scope": ["a"]}, CommitWish(type="docs")),
        ({}, CommitWish()),
    ],
)
def test_a_plan_suggests_what_can_be_understood(plan: object, wish: CommitWish) -> None:
    assert wish_of([json.dumps(plan)]) == wish


def test_the_last_plan_that_says_so_counts() -> None:
    plans = ['{"commit_type": "fix"}', '{"commit_type": "perf"}', "{}", "no JSON", "[]"]
    assert wish_of(plans) == CommitWish(type="perf")


def test_a_wish_is_followed() -> None:
    wish = CommitWish(type="fix", scope="login")
    assert conventional_subject("Add it", wish, SEED) == "fix(login): Add it"
    assert conventional_subject("Add it", CommitWish(type="fix"), SEED) == "fix: Add it"


def test_a_long_subject_is_cut_and_the_task_kept() -> None:
    task = "word " * 30
    made = commit_message(task, conventional_subject(task, CommitWish(), SEED))
    subject, _, body = made.partition("\n\n")
    assert len(subject) == SUBJECT_LENGTH
    assert subject.startswith("feat(auth): Word word")
    assert subject.endswith("…")
    assert body == task.strip()


def test_a_short_subject_needs_no_body_unless_the_task_has_more() -> None:
    assert commit_message("Add it", "feat: Add it") == "feat: Add it"
    assert commit_message("Add it\nslowly", "feat: Add it") == "feat: Add it\n\nAdd it\nslowly"
