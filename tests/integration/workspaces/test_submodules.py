"""Submodules in a workspace: filled without a network, and no place for changes."""

import asyncio
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.engine.ports.workspaces import PLAIN, LeftOut, WorkspacePlan
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

AT: Final = datetime(2030, 1, 1, tzinfo=UTC)
RUN, KEY = RunId("r1"), EffectKey("r1/implement/1/1/worker/1")
AUTHOR: Final = ("-c", "user.name=a", "-c", "user.email=a@example.org")
LOCAL: Final = ("-c", "protocol.file.allow=always")


def git(place: Path, *words: str) -> str:
    call = ["git", "-C", str(place), *AUTHOR, *LOCAL, *words]
    return subprocess.run(call, check=True, capture_output=True, text=True).stdout.strip()


def make(place: Path, *modules: Path) -> Path:
    subprocess.run(["git", "init", "-q", "--initial-branch=main", place], check=True)
    (place / "own.txt").write_text(f"{place.name}\n")
    for module in modules:
        git(place, "submodule", "--quiet", "add", str(module), f"parts/{module.name}")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "one")
    return place


class Clone:
    """A clone of a project with a submodule in a submodule, as `--recursive` makes it."""

    def __init__(self, root: Path, prototype: Path) -> None:
        self.place, self.root = root / "clone", root
        shutil.copytree(prototype, self.place, symlinks=True)
        self.outer = self.place / ".git/modules/parts/outer"

    @property
    def cautions(self) -> tuple[str, ...]:
        return GitRepository(self.place).head_cautions()

    def attempt(
        self, work: Callable[[Path], object], plan: WorkspacePlan = PLAIN
    ) -> tuple[Snapshot, list[LeftOut]]:
        left: list[LeftOut] = []
        workspaces = GitWorkspaces(GitRepository(self.place), self.root / "state")
        start = CommitSha(git(self.place, "rev-parse", "HEAD"))

        async def go() -> Snapshot:
            workspace = await workspaces.open(RUN, KEY, fence=1, start=start, plan=plan)
            work(workspace.path)
            snapshot = await workspaces.snapshot(
                workspace, ref="refs/supervisor/r1/a/1.1.1", at=AT, on_left_out=left.append
            )
            await workspaces.close(workspace)
            return snapshot

        return asyncio.run(go()), left

    def filled(self, plan: WorkspacePlan = PLAIN) -> list[str]:
        found: list[str] = []
        self.attempt(lambda tree: found.extend(files(tree)), plan)
        return found


def files(tree: Path) -> list[str]:
    paths = (it for it in tree.rglob("*") if it.is_file() and it.parent != tree)
    return sorted(it.relative_to(tree).as_posix() for it in paths)


WHOLE: Final = ["parts/outer/.gitmodules", "parts/outer/own.txt", "parts/outer/parts/inner/own.txt"]


@pytest.fixture(scope="module")
def prototype(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("prototype")
    inner = make(root / "inner")
    outer = make(root / "outer", inner)
    origin = make(root / "origin", outer)
    git(root, "clone", "-q", "--recursive", str(origin), "clone")
    return root / "clone"


@pytest.fixture
def clone(tmp_path: Path, prototype: Path) -> Clone:
    return Clone(tmp_path, prototype)


def test_what_this_clone_has_is_there_and_stays_as_it_was(clone: Clone) -> None:
    assert clone.cautions == ()
    seen: list[str] = []

    def work(tree: Path) -> None:
        seen.extend(files(tree))
        (tree / "own.txt").write_text("new\n")

    snapshot, left = clone.attempt(work)
    assert (seen, left) == (WHOLE, [])
    changed = git(clone.place, "diff-tree", "-r", "--name-only", "HEAD", snapshot.commit)
    assert changed == "own.txt"


def test_what_a_worker_does_in_there_is_named_and_not_kept(clone: Clone) -> None:
    def work(tree: Path) -> None:
        (tree / "parts/outer/own.txt").write_text("mine\n")
        (tree / "parts/outer/parts/inner/new\x1b.txt").write_text("mine\n")
        (tree / "parts/outer/.git").write_text("gitdir: /nowhere\n")

    snapshot, left = clone.attempt(work)
    assert git(clone.place, "diff-tree", "-r", "HEAD", snapshot.commit) == ""
    told = {it.path: it.reason for it in left if it.reason.startswith("it is a submodule")}
    assert set(told) == {"parts/outer", "parts/outer/parts/inner"}
    assert "changes in it ('own.txt') belong into its own repository" in told["parts/outer"]


def test_a_link_in_its_place_leads_nowhere(clone: Clone) -> None:
    def work(tree: Path) -> None:
        shutil.rmtree(tree / "parts/outer")
        (tree / "parts/outer").symlink_to("/etc")

    _, left = clone.attempt(work)
    assert "/etc" not in str(left)
    assert "passwd" not in str(left)


def test_nothing_of_its_own_git_directory_is_run(clone: Clone) -> None:
    trap = clone.root / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {clone.root}/pwned\ncat\n")
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "filter.trap.smudge", "filter.trap.clean", "core.sshCommand"):
        git(clone.outer, "config", key, str(trap))
    (clone.outer / "info").mkdir(exist_ok=True)
    (clone.outer / "info/attributes").write_text("* filter=trap\n")
    shutil.copy(trap, clone.outer / "hooks/post-checkout")
    assert (clone.filled(), clone.cautions) == (WHOLE, ())
    assert not (clone.root / "pwned").exists()


def test_what_is_missing_is_empty_and_named_with_what_to_do(clone: Clone) -> None:
    shutil.rmtree(clone.outer / "modules/parts/inner/objects")
    [caution] = clone.cautions
    assert "every workspace: 'parts/outer/parts/inner'. This clone does not have" in caution
    assert clone.filled() == WHOLE[:2]
    shutil.rmtree(clone.outer)
    [caution] = clone.cautions
    assert "'parts/outer'. " in caution
    assert "git submodule update --init --recursive" in caution
    assert clone.filled() == []


def test_objects_that_are_partly_missing_leave_no_half(clone: Clone) -> None:
    blob = git(clone.outer, "rev-parse", "HEAD:own.txt")
    for pack in [*clone.outer.glob("objects/pack/*.pack")]:
        moved = Path(shutil.move(pack, clone.root / "moved.pack"))
        subprocess.run(
            ["git", "-C", clone.outer, "unpack-objects", "-q"], stdin=moved.open("rb"), check=True
        )
    loose = clone.outer / "objects" / blob[:2] / blob[2:]
    loose.unlink()
    assert (len(clone.cautions), clone.filled()) == (1, [])


@pytest.mark.parametrize("name", ["../../../secret.git", "/secret.git", "parts/../../../x"])
def test_a_name_leads_out_of_no_place(clone: Clone, name: str) -> None:
    make(clone.root / "secret")
    shutil.copytree(clone.root / "secret/.git", clone.root / "secret.git")
    (clone.place / ".gitmodules").write_text(f'[submodule "{name}"]\n\tpath = stolen\n\turl = x\n')
    commit = git(clone.root / "secret", "rev-parse", "HEAD")
    git(clone.place, "update-index", "--add", "--cacheinfo", f"160000,{commit},stolen")
    git(clone.place, "commit", "-qam", "two")
    assert [it for it in clone.filled() if it.startswith("stolen")] == []


@pytest.mark.parametrize(
    ("hides", "seen"),
    [
        ("secret.txt", WHOLE),
        ("own.txt", ["parts/outer/.gitmodules"]),
        ("/parts/outer/own.txt", [WHOLE[0], WHOLE[2]]),
        ("parts/outer/parts/**", WHOLE[:2]),
        ("inner/", WHOLE[:2]),
        ("/own.txt", WHOLE),
        ("parts/", []),
    ],
)
def test_what_is_hidden_is_hidden_in_submodules_too(
    clone: Clone, hides: str, seen: list[str]
) -> None:
    assert clone.filled(WorkspacePlan(hides=(hides,))) == seen


def test_a_blind_worker_changed_nothing_where_files_are_hidden(clone: Clone) -> None:
    blind = WorkspacePlan(hides=("/parts/outer/own.txt",))
    _, left = clone.attempt(lambda tree: (tree / "new.txt").write_text("new"), blind)
    assert left == []
    _, left = clone.attempt(lambda tree: (tree / "parts/outer/new.txt").write_text("new"), blind)
    [told] = left
    assert "changes in it ('new.txt')" in told.reason
