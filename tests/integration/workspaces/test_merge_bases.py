"""Where commits parted, as git itself says it, in histories of any shape."""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.example_counts import examples

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.repositories.merge_bases import find_parting

_MOST: Final = 9
HISTORIES: Final = st.lists(
    st.sets(st.integers(min_value=0, max_value=_MOST), max_size=3), min_size=1, max_size=_MOST
)
"""The parents of each commit, by how many commits they are further back."""


def make(user: ScratchRepository, history: Sequence[set[int]]) -> list[CommitSha]:
    tree = user.git.run("write-tree").text
    made: list[CommitSha] = []
    for number, steps in enumerate(history):
        parents = sorted({number - 1 - step for step in steps if step < number})
        words = [word for parent in parents for word in ("-p", made[parent])]
        commit = user.git.run("commit-tree", tree, "-m", f"{number}", *words).text
        made.append(CommitSha(commit))
    return made


@given(history=HISTORIES)
@settings(max_examples=examples(10))
def test_a_walk_finds_what_git_finds_for_each_pair(history: list[set[int]]) -> None:
    with TemporaryDirectory() as directory:
        user = ScratchRepository(Path(directory, "home"))
        commits = make(user, history)
        found = find_parting(user.git, [*commits, commits[-1]])
        is_one = user.git.ask("merge-base", "--octopus", *commits).code == 0
        for one, other in combinations(sorted(commits), 2):
            places = user.git.ask("merge-base", "--all", one, other).text.split()
            wanted = places[0] if is_one and len(places) == 1 else None
            assert found.get((one, other)) == wanted


def test_criss_cross_merges_have_no_one_place(tmp_path: Path) -> None:
    user = ScratchRepository(tmp_path / "home")
    root, left, right, one, other = make(user, [set(), {0}, {1}, {0, 1}, {1, 2}])
    found = find_parting(user.git, [left, right, one, other])
    ordered = tuple(sorted((left, right)))
    assert found[ordered[0], ordered[1]] == root
    assert tuple(sorted((one, other))) not in found
