"""Hostile code is read in a process of its own, and what was too much for it is a finding."""

import asyncio
import json
import os
import resource
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, MemoryCommits
from typing_extensions import override

from supervisor_ai.control.ports.commits import ChangedPath
from supervisor_ai.domain.errors import InvalidInput, Unavailable
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.gates import GateKind, GateWord
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import (
    ChangeCase,
    Examination,
    ReportQuestion,
    ReportRequest,
    Unexaminable,
)
from supervisor_ai.gates.commit_reader import LIMITS
from supervisor_ai.gates.examiner import RepositoryExaminer

ROOT: Final = Path(__file__).parents[3]
CASE: Final = ChangeCase(base=BASE, head=HEAD)
CODE: Final = "def add(a, b):\n    return a + b\n"
TEST: Final = "from a import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
LOOKS: Final = [
    GateKind.CLAIMS,
    GateKind.AUTO_RUN_FILES,
    GateKind.TEST_INTEGRITY,
    GateKind.CHANGELOG,
    GateKind.COMPLEXITY,
]
TOO_SMALL: Final = {
    # Less would run out where the parser allocates, which tells nobody why it ends.
    "memory": replace(LIMITS, memory=56 << 20),
    "work": replace(LIMITS, cpu=1),
    "too long": replace(LIMITS, wall=0.01),
    "too much to say": replace(LIMITS, speech=20),
}
MANY_TESTS: Final = "".join(f"def test_{n}():\n    assert f({n}) == {n}\n" for n in range(6_000))


class GoneCommits(MemoryCommits):
    """A repository that does not answer."""

    @override
    def changes(self, base: CommitSha, commit: CommitSha) -> tuple[ChangedPath, ...]:
        raise Unavailable("It is gone.")


def examiner(commits: MemoryCommits, limits: str = "") -> RepositoryExaminer:
    return RepositoryExaminer(commits, lambda _: False, TOO_SMALL.get(limits, LIMITS))


def examine(kind: GateWord, commits: MemoryCommits, limits: str = "") -> Examination:
    return asyncio.run(examiner(commits, limits).examine(kind, CASE))


def test_a_change_is_looked_at() -> None:
    commits = MemoryCommits(base={"tests/test_a.py": TEST}, head={".envrc": "x"})
    found = examine(GateKind.AUTO_RUN_FILES, commits)
    assert [finding.file for finding in found.findings] == [".envrc"]
    found = examine(GateKind.TEST_INTEGRITY, commits)
    assert found.findings
    assert found.summary


@pytest.mark.parametrize("kind", [GateKind.COMMAND, GateKind.RED_BEFORE_GREEN, GateKind.MUTATION])
def test_what_needs_a_command_is_refused(kind: GateWord) -> None:
    with pytest.raises(InvalidInput, match="needs a command"):
        examine(kind, MemoryCommits(base={}, head={}))


def test_outputs_are_read() -> None:
    commits = MemoryCommits(base={}, head={})
    assert asyncio.run(examiner(commits).read("2 passed in 0.1s")).tests == 2


def test_new_tests_and_mutants_are_found() -> None:
    commits = MemoryCommits(base={}, head={"a.py": CODE, "tests/test_a.py": TEST})
    new = asyncio.run(examiner(commits).new_tests(CASE))
    assert new.names == (("tests/test_a.py", "test_add"),)
    assert new.contents == {"tests/test_a.py": TEST.encode()}
    (mutant,) = asyncio.run(examiner(commits).mutants(CASE, limit=1))
    assert mutant.file == "a.py"


def children() -> set[str]:
    found = set[str]()
    for listed in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):  # A thread may end meanwhile; its children are another's then.
            found.update(listed.read_text().split())
    return found


def test_a_reader_that_was_started_before_does_the_work() -> None:
    before = children()
    looking = examiner(MemoryCommits(base={}, head={".envrc": "x"}))
    looking.get_ready()
    hired = children() - before
    found = asyncio.run(looking.examine(GateKind.CHANGELOG, CASE))
    assert found.summary
    assert (len(hired), children() - before) == (1, hired)
    del looking
    assert not children() & hired


def test_what_a_task_imports_is_loaded_before_it_is_forked_for() -> None:
    script = """if True:
        import sys
        from supervisor_ai.engine.ports.gates import ChangeCase
        from supervisor_ai.gates import reader
        from supervisor_ai.gates.reader_messages import Answers, ReaderWork, Task, encode
        from tests.unit.gates.memory_commits import BASE, HEAD, MemoryCommits
        two = MemoryCommits(base={"a.py": "a = 1"}, head={"a.py": "a = 2", "b.txt": "b"})
        reader.prepare()
        for work in set(ReaderWork) - {ReaderWork.LOOK}:
            reader.load(work.encode())
            loaded = set(sys.modules)
            task = Task(work=work, case=ChangeCase(base=BASE, head=HEAD), report=b"<testsuite/>")
            assert reader.serve(encode(task), Answers(two, lambda _: True).answer)
            late = {it for it in set(sys.modules) - loaded if it.startswith("supervisor_ai")}
            assert not late, (work, late)
    """
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("limit", TOO_SMALL)
def test_what_is_too_much_for_the_reader_is_never_a_pass(limit: str) -> None:
    commits = MemoryCommits(base={}, head={"tests/test_a.py": MANY_TESTS, "a.py": CODE * 1000})
    found = examine(GateKind.TEST_INTEGRITY, commits, limit)
    assert [finding.rule for finding in found.findings] == ["unreadable"]
    assert limit in found.findings[0].message
    assert asyncio.run(examiner(commits, limit).new_tests(CASE)).names == ()


@pytest.mark.parametrize("limit", ["too long", "too much to say"])
def test_a_change_that_nobody_could_look_at_is_not_one_without_faults(limit: str) -> None:
    commits = MemoryCommits(base={}, head={"a.py": CODE})
    with pytest.raises(Unexaminable, match=limit):
        asyncio.run(examiner(commits, limit).mutants(CASE, limit=1))


@pytest.mark.parametrize("kind", LOOKS)
def test_a_repository_that_does_not_answer_is_an_error(kind: GateWord) -> None:
    claims = {"files_created": ["no.py"], "files_modified": [], "tests_written": []}
    case = replace(CASE, answer=json.dumps(claims))
    gone = GoneCommits(base={}, head={})
    with pytest.raises(Unavailable):
        asyncio.run(examiner(gone).examine(kind, case))


DOTTED: Final = MemoryCommits(
    base={"pyproject.toml": "[tool.pytest]\na = 1\n"},
    head={"pyproject.toml": f"[tool.pytest]\na = 1\n{'.'.join('a' * 20_000)} = 1\n"},
)


def test_a_dotted_key_costs_this_process_nothing() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for kind in (GateKind.AUTO_RUN_FILES, GateKind.TEST_INTEGRITY):
        found = examine(kind, DOTTED)
        assert found.findings
        assert all(finding.file == "pyproject.toml" for finding in found.findings)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 50_000


def test_a_dotted_key_costs_its_reader_little() -> None:
    # The peak of all children of a process is kept, so it is asked of a process that has no others.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
        assert fresh.submit(_peak_of_readers).result() < 400_000


def test_a_reader_that_was_started_ahead_does_the_first_task() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
        assert fresh.submit(_readers_before_and_after).result() == (1, 1)


def _readers_before_and_after() -> tuple[int, int]:
    looks = examiner(MemoryCommits(base={}, head={"a.py": CODE}))
    looks.get_ready()
    looks.get_ready()
    before = _children()
    asyncio.run(looks.examine(GateKind.COMPLEXITY, CASE))
    return before, _children()


def _children() -> int:
    lists = Path("/proc/self/task").glob("*/children")
    return sum(len(each.read_text().split()) for each in lists)


def _peak_of_readers() -> int:
    for kind in (GateKind.AUTO_RUN_FILES, GateKind.TEST_INTEGRITY):
        assert examine(kind, DOTTED).findings
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


TESTS: Final = """\
import pytest


def test_good():
    pass


@pytest.mark.parametrize("n", [1, 2])
def test_bad(n):
    assert n == 1, "\\x1b[31mthe reason"


@pytest.mark.skip(reason="not now")
def test_left_out():
    pass


@pytest.fixture
def torn():
    raise ValueError("no fixture")


def test_torn(torn):
    pass
"""


def test_a_report_that_pytest_wrote_is_read(tmp_path: Path) -> None:
    file = tmp_path / "test_some.py"
    file.write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
    subprocess.run(
        [*command, "--junitxml=junit.xml", file.name],
        cwd=tmp_path,
        env={"PATH": os.defpath},
        check=False,
        capture_output=True,
    )
    report = (tmp_path / "junit.xml").read_bytes()
    reading = asyncio.run(examiner(MemoryCommits(base={}, head={})).read_report(report))
    assert (reading.tests, reading.failed, reading.skipped) == (4, 2, 1)
    assert reading.failing_tests == ("test_some::test_bad[2]", "test_some::test_torn")
    assert "the reason" in reading.failing
    assert "no fixture" in reading.failing


@pytest.mark.parametrize(
    ("report", "limits", "reason"),
    [
        (b"<testsuite", "", "it is not valid XML"),
        (b"<!DOCTYPE a><testsuite/>", "", "it declares a document type"),
        (b"<testsuite/>", "too long", "it takes too long"),
    ],
)
def test_a_report_that_cannot_be_read_is_said(report: bytes, limits: str, reason: str) -> None:
    with pytest.raises(Unexaminable, match=reason):
        asyncio.run(examiner(MemoryCommits(base={}, head={}), limits).read_report(report))


def test_reports_that_cannot_be_read_or_that_nobody_asked_for_say_nothing() -> None:
    asked = ReportRequest(argv=("make",), runners=("pytest",))
    verbose = "a.py::test_a PASSED\n1 passed in 0.1s"
    planted = b'<testsuite><testcase name="planted"/></testsuite>'
    reports = {"pytest.xml": b"<testsuite", "other.xml": planted, "jest-1.json": b"[]"}
    reading = asyncio.run(examiner(MemoryCommits(head={})).read(verbose, asked, reports))
    assert [result.name for result in reading.results] == ["a.py::test_a"]
    reading = asyncio.run(examiner(MemoryCommits(head={})).read("", asked, reports))
    assert reading.is_unfinished


def test_scripts_that_nobody_could_read_are_taken_for_a_runner() -> None:
    question = ReportQuestion(command=("make", "test"), commit=HEAD, root="/w", place="/r")
    commits = MemoryCommits(head={"Makefile": "test:\n\tpytest\n"})
    read = asyncio.run(examiner(commits).report_request(question))
    assert read.runners == ("pytest",)
    assert "--junitxml=/r/pytest.xml" in read.environment["PYTEST_ADDOPTS"]
    late = asyncio.run(examiner(commits, "too long").report_request(question))
    assert (late.argv, len(late.runners)) == (("make", "test"), 1)
