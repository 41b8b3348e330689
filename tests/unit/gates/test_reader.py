"""The gates that need no command, and what their reader is told and says."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.gates.memory_commits import BASE, HEAD, MemoryCommits

from supervisor_ai.control.ports.commits import CommitFile
from supervisor_ai.control.registered_kinds import change_gates
from supervisor_ai.domain.run.gates import Complexity, GateKind, GateWord
from supervisor_ai.engine.ports.gates import ChangeCase, Examination, Mutant, NewTests
from supervisor_ai.gates.change_view import ChangeView
from supervisor_ai.gates.integrity.examine import known_languages
from supervisor_ai.gates.reader import look, serve
from supervisor_ai.gates.reader_messages import (
    NOT_UNDERSTOOD,
    Answers,
    AskedCommits,
    ReaderWork,
    Task,
    WrittenLists,
    decode,
    encode,
    read_files,
    write_files,
)

ANSWER = json.dumps({"files_created": ["no.py"], "files_modified": [], "tests_written": []})
CASE = ChangeCase(base=BASE, head=HEAD, answer=ANSWER)
OLD = {"src/a.py": "a = 1\n", "tests/test_a.py": "def test_a():\n    assert f() == 1\n"}
NEW = {"src/a.py": "a = 2\n", ".envrc": "x"}
TWO = MemoryCommits(base=OLD, head=NEW)
CODE = "def add(a, b):\n    return a + b\n"
TEST = "from a import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"


def examine(kind: GateWord) -> Examination:
    view = ChangeView(case=CASE, commits=TWO, has_commit=lambda _: False)
    return look(change_gates()[kind].look, view)


def served(task: Task, commits: MemoryCommits) -> bytes:
    return serve(encode(task), Answers(commits, lambda _: True).answer)


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        (GateKind.CLAIMS, "false_file_claim"),
        (GateKind.AUTO_RUN_FILES, "auto_run_file"),
        (GateKind.CHANGELOG, "changelog_missing"),
    ],
)
def test_each_kind_is_looked_at_in_its_way(kind: GateWord, rule: str) -> None:
    found = examine(kind)
    assert rule in [finding.rule for finding in found.findings]
    assert found.summary


def test_tests_that_are_gone_are_found() -> None:
    found = examine(GateKind.TEST_INTEGRITY)
    assert any(finding.rule.startswith("test") for finding in found.findings)


def test_complexity_is_measured() -> None:
    assert examine(GateKind.COMPLEXITY).complexity is Complexity.SIMPLE


def test_python_and_others_are_understood() -> None:
    paths = ("tests/test_a.py", "a.test.ts", "a_test.go", "tests/a.rs")
    for path in paths:
        assert any(language.is_test(path, b"") for language in known_languages()), path


@pytest.mark.parametrize(
    "kind",
    [
        GateKind.CLAIMS,
        GateKind.AUTO_RUN_FILES,
        GateKind.TEST_INTEGRITY,
        GateKind.CHANGELOG,
        GateKind.COMPLEXITY,
    ],
)
def test_the_reader_says_what_a_look_says(kind: GateWord) -> None:
    said = served(Task(work=ReaderWork.LOOK, case=CASE, look=change_gates()[kind].look), TWO)
    assert decode(said, Examination) == look(
        change_gates()[kind].look, ChangeView(case=CASE, commits=TWO, has_commit=lambda _: True)
    )


def test_the_reader_finds_new_tests_and_mutants() -> None:
    commits = MemoryCommits(base={}, head={"a.py": CODE, "tests/test_a.py": TEST})
    new = decode(served(Task(work=ReaderWork.NEW_TESTS, case=CASE), commits), NewTests)
    assert new.names == (("tests/test_a.py", "test_add"),)
    assert new.contents == {"tests/test_a.py": None}
    task = Task(work=ReaderWork.MUTANTS, case=CASE, limit=1)
    (mutant,) = decode(served(task, commits), tuple[Mutant, ...])
    assert mutant.file == "a.py"
    assert mutant.contents != CODE.encode()


def test_a_name_that_is_no_text_and_bytes_that_are_none_come_through() -> None:
    odd = b"\xff\xfe.py".decode(errors="surrogateescape")
    big = {f"{number}.txt": bytes([number]) * 1_500_000 for number in range(4)}
    commits = MemoryCommits(base={}, head={odd: b"\x00\xff", **big})
    asked = AskedCommits(Answers(commits, lambda sha: sha == "a").answer)
    listed = asked.list(HEAD)
    assert listed == commits.list(HEAD)
    assert list(asked.read(listed)) == list(commits.read(listed))
    assert asked.changes(BASE, HEAD) == commits.changes(BASE, HEAD)
    assert list(asked.patches(BASE, HEAD, [odd])) == list(commits.patches(BASE, HEAD, [odd]))
    assert [asked.has_commit("a"), asked.has_commit("b")] == [True, False]


def test_a_list_of_files_is_asked_for_and_written_once() -> None:
    commits = MemoryCommits(base={}, head={f"{number}.txt": b"x" for number in range(3)})
    questions = []
    lists = WrittenLists(commits)

    def ask(question: bytes) -> bytes:
        questions.append(question)
        return Answers(commits, lambda _: True, lists).answer(question)

    asked = AskedCommits(ask)
    assert asked.list(HEAD) == asked.list(HEAD) == commits.list(HEAD)
    assert asked.list(BASE) == ()
    assert len(questions) == 2


NAMES = st.text(st.characters(exclude_characters="\0"), min_size=1)


@given(st.lists(st.tuples(NAMES, st.integers(0)), max_size=9))
def test_a_list_of_files_is_read_as_it_was_written(rows: list[tuple[str, int]]) -> None:
    files = tuple(CommitFile(path, "0" * 40, size) for path, size in rows)
    assert read_files(write_files(files)) == files


def test_a_list_with_a_part_missing_is_not_understood() -> None:
    with pytest.raises(NOT_UNDERSTOOD):
        read_files("a.txt\0blob")
