"""Lists of files that a reader is told once: it knows what the repository holds, and no other."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.gates.memory_commits import MemoryCommits
from typing_extensions import override

from supervisor_ai.control.ports.commits import CommitFile
from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.engine.ports.gates import ChangeCase, ReportQuestion
from supervisor_ai.gates.commit_lists import KnownLists, TaughtLists
from supervisor_ai.gates.reader_messages import AskedCommits, ReaderWork, Task

READER = 7


def name(number: int) -> CommitSha:
    return CommitSha(f"{number:040x}")


def repository(*trees: Mapping[str, str]) -> MemoryCommits:
    return MemoryCommits(**{name(at): tree for at, tree in enumerate(trees)})


class CountedCommits(MemoryCommits):
    """Notes which commits are listed."""

    def __init__(self, **trees: Mapping[str, str | bytes]) -> None:
        super().__init__(**trees)
        self.listed: list[CommitSha] = []

    @override
    def list(self, commit: CommitSha) -> tuple[CommitFile, ...]:
        self.listed.append(commit)
        if commit not in self.trees:
            raise Unavailable("git failed")
        return super().list(commit)


def taught(
    commits: MemoryCommits, orders: Sequence[Sequence[CommitSha]]
) -> tuple[KnownLists, list[int]]:
    teacher, known, sizes = TaughtLists(commits), KnownLists(), []
    for wanted in orders:
        lessons = teacher.lessons(READER, wanted)
        sizes.append(len(lessons))
        known.learn(lessons)
    return known, sizes


PATHS = st.sampled_from(["a", "a/b", "a-b", "é", "\udcff", "odd\nname", "z" * 300, "Z"])
TREES = st.dictionaries(PATHS, st.sampled_from(["", "x", "longer"]))


@given(st.lists(TREES, min_size=1, max_size=7), st.data())
def test_what_is_known_is_what_the_commits_hold(
    trees: list[dict[str, str]], data: st.DataObject
) -> None:
    commits = repository(*trees)
    names = st.lists(st.sampled_from(range(len(trees))), max_size=3)
    orders = [[name(at) for at in some] for some in data.draw(st.lists(names, max_size=6))]
    known, _ = taught(commits, orders)
    for commit in map(name, range(len(trees))):
        assert known.of(commit) in (None, commits.list(commit))
    for commit in orders[-1][-1:] if orders else ():
        assert known.of(commit) == commits.list(commit)


def test_a_commit_is_told_once_and_the_next_by_what_differs() -> None:
    many = {f"file{at}": "x" for at in range(3_000)}
    commits = repository(many, {**many, "new": "y"}, {**many, **dict.fromkeys(many, "z")})
    known, sizes = taught(commits, [[name(0)], [name(0)], [name(0), name(1)], [name(2)]])
    whole, nothing, little, whole_again = sizes
    assert nothing == 0
    assert little < 200
    assert whole_again > whole // 2
    assert all(known.of(name(at)) == commits.list(name(at)) for at in range(3))


def test_each_reader_is_told_what_it_does_not_know_and_forgets_what_is_old() -> None:
    commits = repository(*({"a": str(at)} for at in range(6)))
    teacher, known = TaughtLists(commits), KnownLists()
    assert teacher.lessons(1, [name(0)]) == teacher.lessons(2, [name(0)]) != b""
    for at in range(6):
        known.learn(teacher.lessons(3, [name(at)]))
    assert [at for at in range(6) if known.of(name(at))] == [2, 3, 4, 5]
    assert teacher.lessons(3, [name(0)])
    for reader in range(4, 40):
        teacher.lessons(reader, [])
    assert teacher.lessons(1, [name(0)])


def test_what_builds_on_something_unknown_is_not_known_and_is_asked_for() -> None:
    commits = repository({"a": "1"}, {"a": "2"})
    teacher, known = TaughtLists(commits), KnownLists()
    teacher.lessons(READER, [name(0)])
    known.learn(teacher.lessons(READER, [name(1)]))
    assert known.of(name(1)) is None
    with pytest.raises(RuntimeError, match="asked"):
        AskedCommits(_refuse, known.of).list(name(1))


def test_what_is_known_is_not_asked_for() -> None:
    commits = repository({"a": "1"}, {})
    known, _ = taught(commits, [[name(0), name(1)]])
    asked = AskedCommits(_refuse, known.of)
    assert asked.list(name(0)) == commits.list(name(0))
    assert asked.list(name(1)) == ()


def _refuse(question: bytes) -> bytes:
    raise RuntimeError(f"asked {question!r}")


def test_names_that_can_mean_another_commit_and_what_git_cannot_list_are_not_told() -> None:
    commits = CountedCommits(HEAD={"a": "1"})
    teacher = TaughtLists(commits)
    assert teacher.lessons(READER, [CommitSha("HEAD"), name(0)]) == b""
    assert commits.listed == [name(0)]


def test_a_task_names_the_commits_that_it_is_about() -> None:
    case = ChangeCase(base=name(1), head=name(3), start=name(2))
    assert Task(work=ReaderWork.LOOK, case=case).commits == (name(1), name(2), name(3))
    assert Task(work=ReaderWork.REPORT).commits == ()
    question = ReportQuestion(command=("true",), commit=name(4), root="/", place=None)
    assert Task(work=ReaderWork.REQUEST, question=question).commits == (name(4),)
