"""Merges at the user's word: nothing is lost, and no program of the repository's is run."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from tests.support.processes import PATIENCE, Owned

from supervisor_ai.domain.errors import BranchMoved, Conflict, Unavailable
from supervisor_ai.domain.ids import CommitSha, TreeSha
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.commits.merges import try_merges
from supervisor_ai.workspaces.commits.user_merges import GitUserMerges
from supervisor_ai.workspaces.repositories.checkout import GitCheckout
from supervisor_ai.workspaces.repositories.repository import GitRepository

FILES = {"README": "one\ntwo\nthree\n", "old": "old\n", "dir/inside": "x\n"}
REFUSED = Conflict("Git refuses the branch.")
HOOKS = ("post-checkout", "post-merge", "post-index-change", "reference-transaction", "pre-commit")


@pytest.fixture
def user(tmp_path: Path) -> ScratchRepository:
    return ScratchRepository(tmp_path / "home")


@pytest.fixture
def merges(user: ScratchRepository, tmp_path: Path) -> Iterator[GitUserMerges]:
    with try_merges(GitRepository(user.path), tmp_path / "state") as merges:
        yield merges.for_user()


def git(user: ScratchRepository, *arguments: str) -> str:
    return user.git.run(*arguments).text


def branch_of(merges: GitUserMerges) -> str:
    branch = merges.current_branch()
    assert branch is not None
    return branch


def tree_of(merges: GitUserMerges, ours: CommitSha, theirs: CommitSha) -> TreeSha:
    merged = merges.merge(ours, theirs)
    assert merged is not None
    assert not merged.conflicts
    return merged.tree


def take(merges: GitUserMerges, ours: CommitSha, theirs: CommitSha) -> CommitSha:
    branch, tree = branch_of(merges), tree_of(merges, ours, theirs)
    merges.require_ready(branch, ours, tree)
    new = (
        theirs if merges.is_behind(ours, theirs) else merges.commit(tree, (ours, theirs), "Both\n")
    )
    merges.move(branch, new, old=ours)
    return new


def test_a_branch_and_its_files_go_forward(user: ScratchRepository, merges: GitUserMerges) -> None:
    base = user.commit(FILES)
    theirs = user.plant({"README": "changed\n", "dir": "a file now\n"}, parent=base)
    assert take(merges, base, theirs) == theirs
    assert git(user, "status", "--porcelain") == ""
    assert (user.path / "README").read_text() == "changed\n"
    assert (user.path / "dir").read_text() == "a file now\n"
    assert git(user, "rev-parse", "ORIG_HEAD") == base
    assert merges.holds(theirs, theirs)


def test_a_merge_commit_has_both_parents_and_the_users_name(
    user: ScratchRepository, merges: GitUserMerges
) -> None:
    base = user.commit(FILES)
    theirs = user.plant(FILES | {"new": "x\n"}, parent=base)
    ours = user.commit(FILES | {"README": "mine\n"})
    new = take(merges, ours, theirs)
    assert git(user, "rev-parse", "HEAD", "HEAD^1", "HEAD^2").split() == [new, ours, theirs]
    assert git(user, "status", "--porcelain") == ""
    assert git(user, "log", "-1", "--format=%B") == "Both"
    assert (user.path / "new").exists()


@pytest.mark.parametrize("deed", ["edit", "stage", "delete", "merge"])
def test_a_checkout_with_changes_is_refused(
    user: ScratchRepository, merges: GitUserMerges, deed: str
) -> None:
    base = user.commit(FILES)
    theirs = user.plant(FILES | {"README": "changed\n"}, parent=base)
    match deed:
        case "edit":
            (user.path / "old").write_text("mine\n")
        case "stage":
            (user.path / "staged").write_text("mine\n")
            git(user, "add", "staged")
        case "delete":
            (user.path / "old").unlink()
        case _:
            (user.path / ".git" / "MERGE_HEAD").write_text(f"{base}\n")
    before = git(user, "status", "--porcelain")
    with pytest.raises(Conflict, match="Nothing was touched"):
        take(merges, base, theirs)
    assert git(user, "status", "--porcelain") == before
    assert git(user, "rev-parse", "HEAD") == base


@pytest.mark.parametrize(
    ("lies", "added"),
    [("new", "new"), ("new/below", "new"), ("new", "new/below"), ("ignored.log", "ignored.log")],
)
def test_a_file_that_git_does_not_know_is_not_overwritten(
    user: ScratchRepository, merges: GitUserMerges, lies: str, added: str
) -> None:
    base = user.commit(FILES | {".gitignore": "*.log\n"})
    theirs = user.plant(FILES | {".gitignore": "*.log\n", added: "theirs\n"}, parent=base)
    mine = user.path / lies
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("precious\n")
    with pytest.raises(Conflict, match=r"in the way: '(new|ignored)"):
        take(merges, base, theirs)
    assert mine.read_text() == "precious\n"
    assert git(user, "rev-parse", "HEAD") == base


def test_a_branch_that_moved_meanwhile_keeps_its_files(
    user: ScratchRepository, merges: GitUserMerges
) -> None:
    base = user.commit(FILES)
    theirs = user.plant(FILES | {"README": "changed\n", "new": "x\n"}, parent=base)
    other = user.plant(FILES | {"old": "newer\n"}, parent=base)
    merges.require_ready(branch_of(merges), base, tree_of(merges, base, theirs))
    git(user, "update-ref", "HEAD", other)
    with pytest.raises(Conflict, match="moved in the meantime"):
        merges.move(branch_of(merges), theirs, old=base)
    assert git(user, "rev-parse", "HEAD") == other
    assert (user.path / "README").read_text() == FILES["README"]
    assert not (user.path / "new").exists()


def test_another_branch_moves_without_the_checkout(
    user: ScratchRepository, merges: GitUserMerges, tmp_path: Path
) -> None:
    base = user.commit(FILES)
    theirs = user.plant(FILES | {"README": "changed\n"}, parent=base)
    git(user, "branch", "side")
    (user.path / "old").write_text("mine\n")
    merges.require_ready("side", base, tree_of(merges, base, theirs))
    merges.move("side", theirs, old=base)
    assert git(user, "rev-parse", "side", "HEAD").split() == [theirs, base]
    git(user, "worktree", "add", "-q", str(tmp_path / "elsewhere"), "side")
    with pytest.raises(Conflict, match="is checked out in"):
        merges.require_ready("side", theirs, tree_of(merges, base, theirs))


@pytest.mark.parametrize("checked_out", ["main", "alias"])
def test_another_name_of_a_branch_is_refused(
    user: ScratchRepository, merges: GitUserMerges, checked_out: str
) -> None:
    """Its ref would move the branch that it stands for, under a checkout that knows nothing."""
    base = user.commit(FILES)
    theirs = user.plant(FILES | {"README": "changed\n"}, parent=base)
    main = branch_of(merges)
    git(user, "symbolic-ref", "refs/heads/alias", f"refs/heads/{main}")
    git(user, "symbolic-ref", "HEAD", f"refs/heads/{main if checked_out == 'main' else 'alias'}")
    with pytest.raises(Conflict, match=f"'alias' is another name of '{main}'"):
        merges.require_ready("alias", base, tree_of(merges, base, theirs))
    assert git(user, "rev-parse", main) == base


def test_a_tag_that_is_called_like_the_branch_changes_nothing(
    user: ScratchRepository, merges: GitUserMerges
) -> None:
    base = user.commit(FILES)
    main = branch_of(merges)
    git(user, "tag", main)
    assert branch_of(merges) == main
    theirs = user.plant(FILES | {"README": "changed\n"}, parent=base)
    assert take(merges, base, theirs) == theirs
    assert git(user, "rev-parse", f"refs/heads/{main}") == theirs


def test_no_program_of_the_repository_is_run(
    user: ScratchRepository, merges: GitUserMerges, tmp_path: Path
) -> None:
    attributes = {".gitattributes": "README filter=evil merge=evil diff=evil\n"}
    base = user.commit(FILES | attributes)
    theirs = user.plant(FILES | attributes | {"README": "one\ntwo\ntheirs\n"}, parent=base)
    ours = user.commit(FILES | attributes | {"README": "mine\ntwo\nthree\n"})
    mark = tmp_path / "ran"
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\necho $0 $* >> {mark}\ncat\n")
    evil.chmod(0o755)
    for hook in HOOKS:
        (user.path / ".git" / "hooks").mkdir(exist_ok=True)
        (user.path / ".git" / "hooks" / hook).symlink_to(evil)
    (user.path / ".git" / "more").write_text(f'[filter "e.v=i l"]\n\tsmudge = {evil}\n')
    for key in ("filter.evil.smudge", "filter.evil.clean", "filter.evil.process"):
        git(user, "config", key, str(evil))
    git(user, "config", "filter.evil.required", "true")
    git(user, "config", "merge.evil.driver", f"{evil} %A")
    git(user, "config", "diff.evil.textconv", str(evil))
    git(user, "config", "core.fsmonitor", str(evil))
    git(user, "config", "include.path", "more")
    mark.unlink(missing_ok=True)
    # A racy index makes git look at the contents again.
    (user.path / "README").touch()
    with pytest.raises(Conflict, match=r"A filter writes 'README'"):
        take(merges, ours, theirs)
    mine = FILES | attributes | {"README": "mine\ntwo\nthree\n"}
    harmless = user.plant(mine | {"old": "new\n"}, parent=ours)
    assert take(merges, ours, harmless) == harmless
    assert (user.path / "old").read_text() == "new\n"
    # Were a filtered file ever written, it would be written as it is stored.
    GitCheckout(repository=merges.repository).write(harmless, theirs)
    assert (user.path / "README").read_text() == "one\ntwo\ntheirs\n"
    assert not mark.exists()


def test_what_was_squashed_is_known_by_its_trailer(
    user: ScratchRepository, merges: GitUserMerges
) -> None:
    base = user.commit(FILES)
    tree = tree_of(merges, base, user.plant(FILES | {"new": "x\n"}, parent=base))
    taken = merges.commit(tree, (base,), "Take it\n\nSupervisor-Run: r1\n")
    assert merges.took(taken, "Supervisor-Run: r1", since=base)
    assert not merges.took(taken, "Supervisor-Run: r", since=base)
    assert not merges.took(base, "Supervisor-Run: r1", since=base)
    assert merges.subject(taken) == "Take it"


@pytest.mark.parametrize("is_same_run", [True, False])
def test_of_merges_at_once_one_moves_the_branch_and_the_others_touch_nothing(
    user: ScratchRepository, tmp_path: Path, *, is_same_run: bool
) -> None:
    base = user.commit(FILES)
    number = 5
    names = ["same"] * number if is_same_run else [f"new-{it}" for it in range(number)]
    works = [user.plant(FILES | {it: f"{it}\n"}, parent=base) for it in names]
    at_once = Barrier(number)

    def merge(work: CommitSha) -> str:
        with try_merges(GitRepository(user.path), tmp_path / "state") as opened:
            merges = opened.for_user()
            branch = branch_of(merges)
            merges.require_ready(branch, base, tree_of(merges, base, work))
            at_once.wait()
            try:
                merges.move(branch, work, old=base)
            except BranchMoved:
                return "moved"
        return work

    with ThreadPoolExecutor(number) as pool:
        ends = list(pool.map(merge, works))
    assert sorted(ends).count("moved") == number - 1
    assert git(user, "rev-parse", "HEAD") in ends
    assert git(user, "status", "--porcelain") == ""


def test_a_merge_that_was_killed_before_the_branch_moved_is_finished(
    user: ScratchRepository, merges: GitUserMerges
) -> None:
    base = user.commit(FILES)
    theirs = user.plant(FILES | {"README": "changed\n", "new": "x\n"}, parent=base)
    GitCheckout(repository=merges.repository).write(base, theirs)
    (user.path / "old").write_text("mine\n")
    with pytest.raises(Conflict, match=r"no commit holds: .*'old'"):
        take(merges, base, theirs)
    assert (user.path / "old").read_text() == "mine\n"
    (user.path / "old").write_text(FILES["old"])
    take(merges, base, theirs)
    assert git(user, "rev-parse", "HEAD") == theirs
    assert git(user, "status", "--porcelain") == ""


@pytest.mark.parametrize("edited", ["", "old"])
def test_files_are_taken_out_again_beside_what_somebody_edits(
    user: ScratchRepository, merges: GitUserMerges, edited: str
) -> None:
    base = user.commit(FILES)
    theirs = user.plant(FILES | {"README": "changed\n", "new": "x\n"}, parent=base)
    GitCheckout(repository=merges.repository).write(base, theirs)
    if edited:
        (user.path / edited).write_text("mine\n")
    merges._take_back(branch_of(merges), theirs, base, REFUSED)
    assert git(user, "status", "--porcelain").strip() == (f"M {edited}" if edited else "")


@pytest.mark.parametrize("edited", ["new", "README"])
def test_a_file_that_somebody_edited_since_is_not_taken_out(
    user: ScratchRepository, merges: GitUserMerges, edited: str
) -> None:
    base = user.commit(FILES)
    theirs = user.plant(FILES | {"README": "changed\n", "new": "x\n"}, parent=base)
    GitCheckout(repository=merges.repository).write(base, theirs)
    (user.path / edited).write_text("mine\n")
    with pytest.raises(Conflict, match="are in your checkout and staged") as caught:
        merges._take_back(branch_of(merges), theirs, base, REFUSED)
    assert "Nothing was touched" not in caught.value.message
    assert (user.path / "new").exists()
    assert (user.path / edited).read_text() == "mine\n"


@pytest.fixture
def locked(user: ScratchRepository) -> Path:
    user.commit(FILES)
    lock = user.path / ".git" / f"{git(user, 'symbolic-ref', 'HEAD')}.lock"
    lock.touch()
    return lock


def test_files_of_a_branch_that_git_cannot_move_are_taken_out_again(
    user: ScratchRepository, merges: GitUserMerges, locked: Path
) -> None:
    assert locked.exists()
    base = CommitSha(git(user, "rev-parse", "HEAD"))
    theirs = user.plant(FILES | {"README": "changed\n", "new": "x\n"}, parent=base)
    with pytest.raises(Unavailable, match=r"\.lock': File exists"):
        merges.move(branch_of(merges), theirs, old=base)
    assert git(user, "status", "--porcelain") == ""
    assert git(user, "rev-parse", "HEAD") == base


def test_files_that_git_cannot_commit_are_not_left_staged(
    user: ScratchRepository, merges: GitUserMerges, locked: Path
) -> None:
    (user.path / "mine").write_text("x\n")
    with pytest.raises(Conflict, match="written, but not committed"):
        merges.commit_files({"mine": b"x\n", "old": b"old\n"}, "Mine\n")
    assert git(user, "status", "--porcelain") == "?? mine"
    locked.unlink()
    merges.commit_files({"mine": b"x\n"}, "Mine\n")
    assert git(user, "status", "--porcelain") == ""


def test_what_a_user_committed_meanwhile_is_not_taken_out(
    user: ScratchRepository, merges: GitUserMerges
) -> None:
    base = user.commit(FILES)
    theirs = user.plant(FILES | {"new": "x\n"}, parent=base)
    GitCheckout(repository=merges.repository).write(base, theirs)
    git(user, *("-c", "user.name=U", "-c", "user.email=u@example.com"), "commit", "-qm", "Mine")
    with pytest.raises(Conflict, match="are in your checkout"):
        merges._take_back(branch_of(merges), theirs, base, BranchMoved("It moved."))
    assert git(user, "status", "--porcelain") == ""
    assert (user.path / "new").exists()


def until(holds: Callable[[], bool]) -> None:
    """Look all the time: what is waited for lasts a tenth of a second."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline


MOVE = """
import sys
from pathlib import Path
from supervisor_ai.workspaces.commits.merges import try_merges
from supervisor_ai.workspaces.repositories.repository import GitRepository
top, state, new, old = sys.argv[1:]
with try_merges(GitRepository(Path(top)), Path(state)) as merges:
    merges.for_user().move("main", new, old=old)
"""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_merge_that_is_stopped_while_git_writes_loses_nothing(
    user: ScratchRepository, merges: GitUserMerges, tmp_path: Path, sent: signal.Signals
) -> None:
    base = user.commit(FILES)
    blob, index = git(user, "rev-parse", "HEAD:old"), {"GIT_INDEX_FILE": str(tmp_path / "index")}
    many = "".join(f"100644 {blob}\td{it % 50}/f{it}\n" for it in range(4000)).encode()
    user.git.run("update-index", "--add", "--index-info", stdin=many, environment=index)
    tree = user.git.run("write-tree", environment=index).text
    theirs = CommitSha(git(user, "commit-tree", tree, "-p", base, "-m", "many"))
    lock = user.path / ".git" / "index.lock"
    asked = [sys.executable, "-c", MOVE, str(user.path), str(tmp_path / "state"), theirs, base]
    with Owned(asked, cwd=user.path, env=dict(os.environ), stderr=subprocess.DEVNULL) as process:
        until(lambda: lock.exists() or process.poll() is not None)
        process.send_signal(sent)
        process.wait(timeout=PATIENCE)
    until(lambda: not lock.exists())
    if sent is signal.SIGKILL:
        take(merges, base, theirs)
    assert git(user, "rev-parse", "HEAD") == theirs
    assert git(user, "status", "--porcelain") == ""
