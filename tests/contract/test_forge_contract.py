"""GitHub, GitLab and the fake one through the suite of every forge."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest
from tests.integration.workspaces.recorded_gh import install
from typing_extensions import override

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.forge import (
    CheckState,
    CiCheck,
    Forge,
    NotOpened,
    NotSeen,
    PullRequest,
    PullRequestState,
    PullRequestView,
    Remark,
)
from supervisor_ai.testing.fake_forge import FakeForge
from supervisor_ai.testing.forge_suite import ForgeSuite
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.forges.user_forges import UserForges
from supervisor_ai.workspaces.repositories.repository import GitRepository

FILES: Final = {"README": "hello\n"}
WORDS: Final = {"branch": "ai/r1", "title": "Do it", "body": "Why\n\n- what"}
RECORDINGS: Final = {
    "empty": "opened",
    "open": "found",
    "barred": "forbidden",
    "red": "look_red",
    "merged": "look_merged",
    "closed": "look_closed",
    "busy": "look_limited",
}


def asking(commit: CommitSha) -> PullRequest:
    return PullRequest(
        branch=WORDS["branch"],
        commit=commit,
        target="main",
        title=WORDS["title"],
        body=WORDS["body"],
    )


class TestFakeForge(ForgeSuite):
    request = asking(CommitSha("c"))

    @override
    def url(self) -> str:
        return "https://forge.example/pull/1"

    @override
    def stage(self, scene: str) -> Forge:
        forge = FakeForge()
        if scene == "open":
            forge.urls[self.request.branch] = self.url()
        if scene == "barred":
            forge.refusal = NotOpened(reason="You may not.")
        forge.requests.append(self.request)
        ended = {"merged": PullRequestState.MERGED, "closed": PullRequestState.CLOSED}
        view = PullRequestView(
            state=ended.get(scene, PullRequestState.OPEN), head=self.request.commit
        )
        if scene == "busy":
            forge.sights.append(NotSeen(reason="Later.", is_passing=True))
        elif scene == "red":
            failed = CiCheck(name="unit", state=CheckState.FAILED, log="AssertionError")
            wish = Remark(key="1", author="grace", text="Why?", counts=True, file="a", line=1)
            noise = Remark(key="2", author="eve", text="Buy!", counts=False)
            forge.sights.append(replace(view, checks=(failed,), remarks=(wish, noise)))
        else:
            forge.sights.append(view)
        return forge


class Recorded(ForgeSuite):
    """A forge behind a program that was recorded."""

    program: str
    remote: str

    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path) -> None:
        self.place = tmp_path
        subprocess.run(("git", "init", "-q", "--bare", tmp_path / "origin.git"), check=True)
        self.user = ScratchRepository(tmp_path / "home")
        self.user.git.run("remote", "add", "origin", self.remote.format(place=tmp_path))
        base = self.user.commit(FILES)
        commit = self.user.plant(FILES | {"new": "new\n"}, parent=base)
        self.request = asking(commit)
        road = tmp_path / "road"
        road.write_text(f"#!/bin/sh\nexec git-receive-pack {tmp_path / 'origin.git'}\n")
        road.chmod(0o755)
        self.scenes = 0

    @override
    def stage(self, scene: str) -> Forge:
        git = shutil.which("git")
        assert git is not None
        self.scenes += 1
        place = self.place / f"bin{self.scenes}"
        install(place, RECORDINGS[scene], program=self.program, commit=self.request.commit, **WORDS)
        environment = {
            "PATH": f"{place}:{Path(git).parent}:/bin",
            "HOME": str(self.place),
            "GIT_SSH_COMMAND": str(self.place / "road"),
        }
        return UserForges(GitRepository(self.user.path), environment)


class TestGitHub(Recorded):
    program = "gh"
    remote = "{place}/origin.git"

    @override
    def url(self) -> str:
        return "https://github.com/ada/project/pull/7"


class TestGitLab(Recorded):
    program = "glab"
    remote = "git@gitlab.example.org:group/sub/project.git"

    @override
    def url(self) -> str:
        return "https://gitlab.example.org/group/sub/project/-/merge_requests/7"
