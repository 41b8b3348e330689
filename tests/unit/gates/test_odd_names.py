"""Names and links that a person should hear of before they are committed."""

import asyncio
import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.gates.memory_commits import BASE, HEAD, MemoryCommits, two_commits

from supervisor_ai.domain.run.gates import GateKind, Severity
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.change.misleading_names import find_odd_names, leaves
from supervisor_ai.gates.examiner import RepositoryExaminer

CASE = ChangeCase(base=BASE, head=HEAD)


def rules(commits: MemoryCommits) -> dict[str, Severity]:
    return {it.rule: it.severity for it in find_odd_names(CASE, commits)}


@pytest.mark.parametrize(
    "name",
    ["\x1b[2J", "a\nb", "a\tb", "a\rb", "\u202egpj.exe", "zero\u200bwidth", "\udcff", "d/\x07/x"],
)
def test_a_name_that_is_not_what_it_looks_like_is_found(name: str) -> None:
    (found,) = find_odd_names(CASE, two_commits({}, {name: "x"}))
    assert (found.rule, found.severity) == ("control_character_in_name", Severity.ERROR)
    assert found.file is not None
    assert plain(found.message) == found.message


@pytest.mark.parametrize("name", ["-rf", "--help", "src/-x/y.py"])
def test_a_name_that_commands_take_for_an_option_is_noted(name: str) -> None:
    assert rules(two_commits({}, {name: "x"})) == {"name_like_an_option": Severity.NOTE}


@pytest.mark.parametrize(
    ("one", "other"), [("Readme", "README"), ("d/a", "D/a"), ("e\u0301", "\u00e9")]
)
def test_names_that_are_one_on_other_systems_are_noted(one: str, other: str) -> None:
    assert rules(two_commits({one: "x"}, {one: "x", other: "y"})) == {
        "colliding_names": Severity.NOTE
    }


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("x", "/etc/passwd"),
        ("x", "../../x"),
        ("x", ".."),
        ("d/x", "../.."),
        ("d/x", "../../y"),
        ("x", "d/.."),
        ("x", "d/../.."),
        ("x", ".git/hooks/pre-commit"),
        ("d/x", "../.GIT/config"),
    ],
)
def test_a_link_that_leaves_the_repository_is_found(path: str, target: str) -> None:
    commits = two_commits({}, {path: target}, links=[path])
    assert rules(commits) == {"escaping_link": Severity.ERROR}


@pytest.mark.parametrize(("path", "target"), [("x", "README"), ("d/x", "../y"), ("d/e/x", "../f")])
def test_a_link_within_the_repository_is_nothing(path: str, target: str) -> None:
    assert rules(two_commits({}, {path: target}, links=[path])) == {}


@given(
    parts=st.lists(st.sampled_from(["..", ".", "a", "b", ""]), min_size=1, max_size=6),
    depth=st.integers(min_value=0, max_value=3),
)
def test_no_link_that_leaves_is_missed(parts: list[str], depth: int) -> None:
    path, target = "d/" * depth + "link", "/".join(parts)
    reached = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if reached.startswith(("..", "/")):
        assert leaves(path, target)


def test_ordinary_changes_and_removed_files_are_nothing() -> None:
    assert rules(two_commits({"-old": "x", "a.py": "x"}, {"a.py": "y", "größe.py": "z"})) == {}


def test_the_guard_names_them_beside_what_runs_by_itself() -> None:
    commits = two_commits({}, {"-rf": "x", ".envrc": "x", "etc": "/etc"}, links=["etc"])
    examiner = RepositoryExaminer(commits, lambda _sha: True)
    seen = asyncio.run(examiner.examine(GateKind.AUTO_RUN_FILES, CASE))
    assert {it.rule for it in seen.findings} == {
        "auto_run_file",
        "escaping_link",
        "name_like_an_option",
    }
