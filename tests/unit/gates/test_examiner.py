"""One who knows all gates that need no command."""

import asyncio
import json

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, MemoryCommits
from typing_extensions import override

from supervisor_ai.domain.errors import InvalidInput, Unavailable
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.gates import Complexity, GateKind
from supervisor_ai.engine.ports.commits import Change
from supervisor_ai.engine.ports.gates import ChangeCase, Examination, Examiner
from supervisor_ai.gates.examiner import RepositoryExaminer, known_languages

ANSWER = json.dumps({"files_created": ["no.py"], "files_modified": [], "tests_written": []})
CASE = ChangeCase(base=BASE, head=HEAD, answer=ANSWER)
OLD = {"src/a.py": "a = 1\n", "tests/test_a.py": "def test_a():\n    assert f() == 1\n"}
NEW = {"src/a.py": "a = 2\n", ".envrc": "x"}


class BrokenCommits(MemoryCommits):
    """Answers to every question with an error."""

    def __init__(self, error: Exception) -> None:
        super().__init__(base={}, head={})
        self.error = error

    @override
    def changes(self, base: CommitSha, commit: CommitSha) -> tuple[Change, ...]:
        raise self.error


def examiner(commits: MemoryCommits | None = None) -> Examiner:
    return RepositoryExaminer(commits or MemoryCommits(base=OLD, head=NEW), lambda _: False)


def examine(kind: GateKind, commits: MemoryCommits | None = None) -> Examination:
    return asyncio.run(examiner(commits).examine(kind, CASE))


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        (GateKind.CLAIMS, "false_file_claim"),
        (GateKind.AUTO_RUN_FILES, "auto_run_file"),
        (GateKind.CHANGELOG, "changelog_missing"),
    ],
)
def test_each_kind_is_looked_at_in_its_way(kind: GateKind, rule: str) -> None:
    found = examine(kind)
    assert rule in [finding.rule for finding in found.findings]
    assert found.summary


def test_tests_that_are_gone_are_found() -> None:
    found = examine(GateKind.TEST_INTEGRITY)
    assert any(finding.rule.startswith("test") for finding in found.findings)


def test_complexity_is_measured() -> None:
    assert examine(GateKind.COMPLEXITY).complexity is Complexity.SIMPLE


@pytest.mark.parametrize("kind", [GateKind.COMMAND, GateKind.RED_BEFORE_GREEN, GateKind.MUTATION])
def test_what_needs_a_command_is_refused(kind: GateKind) -> None:
    with pytest.raises(InvalidInput, match="needs a command"):
        examine(kind)


@pytest.mark.parametrize(
    "error",
    [
        RecursionError(),
        MemoryError(),
        SyntaxError("odd"),
        ValueError("source code string cannot contain null bytes"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid"),
    ],
)
def test_a_parser_that_gives_up_is_never_a_pass(error: Exception) -> None:
    found = examine(GateKind.AUTO_RUN_FILES, BrokenCommits(error))
    assert [finding.rule for finding in found.findings] == ["unreadable"]
    assert type(error).__name__ in found.findings[0].message


def test_a_repository_that_does_not_answer_is_an_error() -> None:
    with pytest.raises(Unavailable):
        examine(GateKind.CHANGELOG, BrokenCommits(Unavailable("gone")))


def test_outputs_are_read() -> None:
    assert asyncio.run(examiner().read("2 passed in 0.1s")).tests == 2


def test_new_tests_and_mutants_are_found() -> None:
    code = "def add(a, b):\n    return a + b\n"
    test = "from a import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
    commits = MemoryCommits(base={}, head={"a.py": code, "tests/test_a.py": test})
    new = asyncio.run(examiner(commits).new_tests(CASE))
    assert ("tests/test_a.py", "test_add") in new.names
    (mutant,) = asyncio.run(examiner(commits).mutants(CASE, limit=1))
    assert mutant.file == "a.py"
    assert mutant.contents != code.encode()


def test_tests_that_cannot_be_read_are_no_new_tests() -> None:
    broken = examiner(BrokenCommits(RecursionError()))
    assert asyncio.run(broken.new_tests(CASE)).names == ()


def test_python_and_others_are_understood() -> None:
    paths = ("tests/test_a.py", "a.test.ts", "a_test.go", "tests/a.rs")
    for path in paths:
        assert any(language.is_test(path, b"") for language in known_languages()), path
