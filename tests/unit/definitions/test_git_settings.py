"""What the files say about branches and commits."""
# ruff: noqa: E501 - mistakes are told in one line each

from datetime import timedelta
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from tests.unit.definitions.layered import Layers
from tests.unit.definitions.project_files import COMMIT, CONFIG, ProjectFiles
from tests.unit.definitions.seeds import BLOCKS

from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.domain.git_flow.policy import GitPolicy, MergeStrategy


@pytest.fixture
def layers(tmp_path: Path) -> Layers:
    return Layers(tmp_path)


def policy(layers: Layers, project: str) -> GitPolicy:
    return layers.load(project).definition.git


def test_nobody_says_anything(layers: Layers) -> None:
    assert policy(layers, "") == GitPolicy()


def test_the_seed_means_what_it_says(layers: Layers) -> None:
    [entry] = [it for it in BLOCKS.values() if it.loads == "git settings"]
    assert policy(layers, entry.text) == GitPolicy(
        branch_pattern="ai/{task_id}-{description}", auto_commit=False
    )


def test_every_setting_holds(layers: Layers) -> None:
    text = (
        "git: {auto_branch: false, merge_strategy: squash, protected_branches: [main, 'release/*']}"
    )
    assert policy(layers, text) == GitPolicy(
        auto_branch=False,
        merge_strategy=MergeStrategy.SQUASH,
        protected_branches=("main", "release/*"),
    )


def test_a_project_waits_and_shows_more_than_the_user_but_not_less(layers: Layers) -> None:
    layers.user("git: {auto_commit: false, dry_run_preview: true, protected_branches: [main]}\n")
    said = "git: {auto_commit: true, dry_run_preview: false, protected_branches: [dev]}"
    assert policy(layers, said) == GitPolicy(auto_commit=False, protected_branches=("main", "dev"))
    layers.user("git: {auto_commit: true, dry_run_preview: false, sign_commits: false}\n")
    assert policy(layers, "git: {auto_commit: false, dry_run_preview: true}") == GitPolicy(
        auto_commit=False, sign_commits=False
    )


def test_only_the_user_says_how_long_snapshots_stay(layers: Layers) -> None:
    layers.user("git: {keep_snapshots: 30d}\n")
    assert policy(layers, "") == GitPolicy(keep_snapshots=timedelta(days=30))
    assert "only your own config may do that" in layers.mistakes("git: {keep_snapshots: 1h}")


def test_mistakes_are_told_with_their_lines(layers: Layers) -> None:
    text = """git:
  branch_pattern: "ai/{topic}"
  merge_strategy: rebase
  protected_branches: ["a b"]
  sign_commits: false
  autobranch: true
"""
    assert layers.mistakes(text) == snapshot("""\
The definitions have 5 mistakes:
  .supervisor/config.yaml:3: git.branch_pattern: there is no placeholder {topic}; there are {run_id}, {slug}, {task_id}, {description}, found 'ai/{topic}'
  .supervisor/config.yaml:4: git.merge_strategy: must be 'auto', 'ff', 'merge' or 'squash', found 'rebase'
  .supervisor/config.yaml:5: git.protected_branches[0]: is no name of a branch for git: 'a b' has ' ' in it, found 'a b'
  .supervisor/config.yaml:6: git.sign_commits: says whether your commits are signed; only your own config may do that
  .supervisor/config.yaml:7: git.autobranch: unknown key; did you mean 'auto_branch'?\
""")


def test_what_holds_is_listed(tmp_path: Path) -> None:
    files = ProjectFiles({CONFIG: "git: {auto_commit: false}\n"})
    catalog = FileCatalog(files, tmp_path, ())  # type: ignore[arg-type]
    rows = {it.key: (it.value, it.origin) for it in catalog.config(COMMIT) if it.path[0] == "git"}
    assert rows == snapshot(
        {
            "git.auto_branch": (True, "built-in"),
            "git.auto_commit": (False, "project"),
            "git.branch_pattern": ("ai/{run_id}-{slug}", "built-in"),
            "git.dry_run_preview": (True, "built-in"),
            "git.merge_gates": (False, "built-in"),
            "git.merge_strategy": ("auto", "built-in"),
            "git.sign_commits": (True, "built-in"),
        }
    )
