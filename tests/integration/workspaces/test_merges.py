from collections.abc import Iterator
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.commits.merges import GitMerges, try_merges
from supervisor_ai.workspaces.repositories.repository import GitRepository

LINES = "".join(f"line {number}\n" for number in range(30))
FILES = {"README": LINES, "src/a.py": "a\n"}


@pytest.fixture
def user(tmp_path: Path) -> ScratchRepository:
    return ScratchRepository(tmp_path / "home")


@pytest.fixture
def merges(user: ScratchRepository, tmp_path: Path) -> Iterator[GitMerges]:
    with try_merges(GitRepository(user.path), tmp_path / "state") as merges:
        yield merges
    assert list((tmp_path / "state").iterdir()) == []


def test_a_conflict_names_its_files(user: ScratchRepository, merges: GitMerges) -> None:
    base = user.commit(FILES)
    ours = user.plant(FILES | {"README": "ours\n", "new \udcff": "1\n"}, parent=base)
    theirs = user.plant(FILES | {"README": "theirs\n", "new \udcff": "2\n"}, parent=base)
    assert merges.conflicts(ours, theirs) == ("README", "new \N{REPLACEMENT CHARACTER}")


def test_a_branch_may_have_what_ends_a_line_in_its_name(
    user: ScratchRepository, merges: GitMerges
) -> None:
    base = user.commit(FILES)
    user.git.run("branch", "a\u2028b", base)
    assert (merges.tip("a\u2028b"), merges.tip("a")) == (base, None)


def test_an_overlap_is_clean_and_its_files_are_known(
    user: ScratchRepository, merges: GitMerges
) -> None:
    base = user.commit(FILES)
    ours = user.plant(FILES | {"README": f"first\n{LINES}"}, parent=base)
    theirs = user.plant(FILES | {"README": f"{LINES}last\n", "new": "x\n"}, parent=base)
    assert merges.conflicts(ours, theirs) == ()
    assert merges.shared(ours, theirs) == ("README",)
    other = user.plant(FILES | {"other": "x\n"}, parent=base)
    assert merges.conflicts(ours, other) == ()
    assert merges.shared(ours, other) == ()


def test_a_file_where_another_has_a_directory_is_a_conflict(
    user: ScratchRepository, merges: GitMerges
) -> None:
    base = user.commit(FILES)
    ours = user.plant(FILES | {"place": "file\n"}, parent=base)
    theirs = user.plant(FILES | {"place/inside": "x\n"}, parent=base)
    [path] = merges.conflicts(ours, theirs) or ()
    assert path.startswith("place")


def test_histories_without_a_common_start_cannot_be_merged(
    user: ScratchRepository, merges: GitMerges
) -> None:
    ours, theirs = user.plant(FILES), user.plant({"other": "x\n"})
    assert merges.conflicts(ours, theirs) is None
    assert merges.shared(ours, theirs) == ()


def test_what_is_merged_or_was_squashed_adds_nothing(
    user: ScratchRepository, merges: GitMerges
) -> None:
    base = user.commit(FILES)
    work = user.plant(FILES | {"new": "x\n"}, parent=base)
    squashed = user.plant(FILES | {"new": "x\n", "more": "y\n"}, parent=base)
    held = {(work, work), (user.plant(FILES, parent=work), work), (squashed, work)}
    rival = user.plant(FILES | {"new": "rival\n"}, parent=base)
    stranger = user.plant({"other": "x\n"})
    others = {(base, work), (rival, work)}
    assert merges.held([*held, *others]) == held
    # One without a common start keeps git from trying them together.
    alone = GitMerges(repository=merges.repository, scratch=merges.scratch)
    assert alone.held([*held, *others, (stranger, work)]) == held
    assert merges.held([]) == frozenset()


def test_nothing_of_the_users_repository_changes(
    user: ScratchRepository, merges: GitMerges
) -> None:
    files = FILES | {".gitattributes": "README merge=evil\n"}
    base = user.commit(files)
    marker = user.path / "started"
    user.git.run("config", "merge.evil.driver", f"touch {marker}")
    ours = user.plant(files | {"README": "ours\n"}, parent=base)
    theirs = user.plant(files | {"README": "theirs\n"}, parent=base)
    before = user.git.run("count-objects", "-v").text
    assert merges.conflicts(ours, theirs) == ("README",)
    assert user.git.run("count-objects", "-v").text == before
    assert not marker.exists()


def test_commits_and_branches_that_are_gone_are_said_to_be(
    user: ScratchRepository, merges: GitMerges
) -> None:
    base, unknown = user.commit(FILES), CommitSha("1" * 40)
    assert (merges.tip("main"), merges.tip("nothing")) == (base, None)
    assert (merges.exists(base), merges.exists(unknown)) == (True, False)
    with pytest.raises(Unavailable):
        merges.conflicts(base, unknown)


def test_branches_are_known_at_once_and_one_that_is_merged_is_held(
    user: ScratchRepository, merges: GitMerges
) -> None:
    base = user.commit(FILES)
    tip = user.commit({"later": "x\n"})
    apart = user.plant(FILES | {"apart": "x\n"}, parent=base)
    for name, commit in {"ai/merged": base, "ai/apart": apart}.items():
        user.git.run("update-ref", f"refs/heads/{name}", commit)
    assert [merges.tip(name) for name in ("ai/merged", "ai/apart", "ai/gone")] == [
        base,
        apart,
        None,
    ]
    assert merges.exists(apart)
    assert not merges.exists(CommitSha("0" * 40))
    same = user.plant({**FILES, "later": "x\n"}, parent=base)
    assert merges.held([(tip, base), (tip, apart), (tip, same)]) == {(tip, base), (tip, same)}


def test_merges_that_were_foreseen_come_to_the_same(
    user: ScratchRepository, merges: GitMerges
) -> None:
    base = user.commit(FILES)
    first = user.plant(FILES | {"README": "ours\n"}, parent=base)
    rival = user.plant(FILES | {"README": "theirs\n"}, parent=base)
    clean = user.plant(FILES | {"src/a.py": "b\n"}, parent=rival)
    pairs = [(first, rival), (first, clean), (rival, clean), (clean, clean), (first, base)]
    merges.foresee(pairs)
    alone = GitMerges(repository=merges.repository, scratch=merges.scratch)
    for pair in pairs:
        assert merges.conflicts(*pair) == alone.conflicts(*pair)
        assert merges.shared(*pair) == alone.shared(*pair)
    assert merges.conflicts(first, rival) == ("README",)


def test_names_of_changed_files_are_not_taken_for_anything_else(
    user: ScratchRepository, merges: GitMerges
) -> None:
    base = user.commit(FILES)
    names = (base, "M", "a\nb", "ä ö", f"src/{base}")
    both = dict.fromkeys(names, "1\n2\n3\n4\n5\n")
    start = user.plant(FILES | both, parent=base)
    one = user.plant(FILES | {name: f"0\n{text}" for name, text in both.items()}, parent=start)
    other = user.plant(FILES | {name: f"{text}6\n" for name, text in both.items()}, parent=start)
    idle = user.plant(FILES | both, parent=start)
    pairs = [(one, other), (one, idle), (idle, other), (start, one)]
    merges.foresee(pairs)
    alone = GitMerges(repository=merges.repository, scratch=merges.scratch)
    for pair in pairs:
        assert merges.shared(*pair) == alone.shared(*pair)
    assert merges.shared(one, other) == tuple(sorted(names))
    assert merges.shared(one, idle) == ()


def test_a_pair_that_cannot_be_merged_does_not_hide_the_others(
    user: ScratchRepository, merges: GitMerges
) -> None:
    base, stranger = user.commit(FILES), user.plant({"other": "x\n"})
    ours = user.plant(FILES | {"README": "ours\n"}, parent=base)
    theirs = user.plant(FILES | {"README": "theirs\n"}, parent=base)
    merges.foresee([(ours, theirs), (ours, stranger), (theirs, base)])
    assert merges.conflicts(ours, theirs) == ("README",)
    assert merges.conflicts(ours, stranger) is None
    assert merges.conflicts(theirs, base) == ()
    assert merges.shared(theirs, base) == ()
