"""Merge requests: a real remote on the disk, and a `glab` that was recorded."""

import asyncio
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.integration.workspaces.recorded_gh import RecordedGh, install

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.definition import ForgeChoice
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.forge import (
    CheckState,
    NotOpened,
    NotSeen,
    Opened,
    PullRequest,
    PullRequestState,
    PullRequestView,
)
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.forges.user_forges import UserForges
from supervisor_ai.workspaces.repositories.repository import GitRepository

BRANCH = "ai/r1"
REMOTE = "git@gitlab.example.org:group/sub/project.git"
URL = "https://gitlab.example.org/group/sub/project/-/merge_requests/7"
FILES = {"README": "hello\n"}


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A user with a remote on a GitLab, whose road ends on this disk."""

    user: ScratchRepository
    place: Path
    base: CommitSha
    commit: CommitSha

    @property
    def request(self) -> PullRequest:
        return PullRequest(
            branch=BRANCH, commit=self.commit, target="main", title="Do it", body="Why\n\n- what"
        )

    def record(self, recording: str, commit: str | None = None) -> RecordedGh:
        place = self.place / "bin"
        return install(place, recording, program="glab", commit=commit or self.commit)

    @property
    def forge(self) -> UserForges:
        git = shutil.which("git")
        assert git is not None
        road = self.place / "road"
        road.write_text(f"#!/bin/sh\nexec git-receive-pack {self.place / 'origin.git'}\n")
        road.chmod(0o755)
        environment = {
            "PATH": f"{self.place / 'bin'}:{Path(git).parent}:/bin",
            "HOME": str(self.place),
            "GIT_SSH_COMMAND": str(road),
        }
        return UserForges(GitRepository(self.user.path), environment)

    def open(self, request: PullRequest | None = None) -> Opened | NotOpened:
        return asyncio.run(self.forge.open(request or self.request))

    def look(self, *, ci: bool = True, reviews: bool = True) -> PullRequestView | NotSeen:
        return asyncio.run(self.forge.look(URL, ci=ci, reviews=reviews))

    @property
    def pushed(self) -> str:
        where = ("git", "--git-dir", str(self.place / "origin.git"))
        command = (*where, "for-each-ref", "--format=%(objectname)", f"refs/heads/{BRANCH}")
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    subprocess.run(("git", "init", "-q", "--bare", tmp_path / "origin.git"), check=True)
    user = ScratchRepository(tmp_path / "home")
    user.git.run("remote", "add", "origin", REMOTE)
    base = user.commit(FILES)
    commit = user.plant(FILES | {"new": "new\n"}, parent=base)
    return Scene(user=user, place=tmp_path, base=base, commit=commit)


@pytest.mark.parametrize("recording", ["opened", "found_of_a_stranger", "fork"])
def test_a_branch_is_pushed_and_a_merge_request_opened(scene: Scene, recording: str) -> None:
    glab = scene.record(recording)
    assert scene.open() == Opened(url=URL)
    assert scene.pushed == scene.commit
    assert glab.is_at_its_end()


def test_without_a_target_the_project_chooses_and_a_draft_need_not_be(scene: Scene) -> None:
    glab = scene.record("opened_by_default")
    assert scene.open(replace(scene.request, target=None, is_draft=False)) == Opened(url=URL)
    assert glab.is_at_its_end()


def test_one_that_shows_the_commit_already_is_left_alone(scene: Scene) -> None:
    scene.record("found")
    assert scene.open() == Opened(url=URL, is_found=True)
    assert scene.pushed == ""


def test_one_that_is_open_is_brought_up_to_date(scene: Scene) -> None:
    scene.record("found", commit=scene.base)
    assert scene.open() == Opened(url=URL, is_found=True)
    assert scene.pushed == scene.commit


def test_one_that_appears_meanwhile_is_found(scene: Scene) -> None:
    glab = scene.record("exists")
    assert scene.open() == Opened(url=URL, is_found=True)
    assert glab.is_at_its_end()


@pytest.mark.parametrize(
    ("recording", "reason", "is_pushed"),
    [
        ("not_logged_in", "`glab` is not logged in; run `glab auth login`.", False),
        ("no_project", "`glab` does not find the project", False),
        ("garbage", "What `glab` says about the project cannot be read.", False),
        ("no_json", "What `glab` says about the project cannot be read.", False),
        ("list_fails", "The forge does not answer `glab`", False),
        ("forbidden", "You may not open merge requests there.", True),
        ("refused", "`glab` could not open the merge request for 'ai/r1'.", True),
        ("no_url", "What `glab` says about the merge request for 'ai/r1' cannot be read.", True),
    ],
)
def test_a_failure_is_told(scene: Scene, recording: str, reason: str, *, is_pushed: bool) -> None:
    glab = scene.record(recording)
    refused = scene.open()
    assert isinstance(refused, NotOpened)
    assert refused.reason.startswith(reason)
    assert bool(scene.pushed) == is_pushed
    assert glab.is_at_its_end()


def test_without_glab_nothing_is_pushed(scene: Scene) -> None:
    refused = scene.open()
    assert isinstance(refused, NotOpened)
    assert "'glab' was not found; install it" in refused.reason
    assert scene.pushed == ""


def test_a_remote_that_is_no_project_is_told(scene: Scene) -> None:
    scene.user.git.run("remote", "set-url", "origin", scene.place / "origin.git")
    refused = scene.open(replace(scene.request, forge=ForgeChoice.GITLAB))
    assert isinstance(refused, NotOpened)
    assert refused.reason == "The remote 'origin' is no project on GitLab."
    scene.user.git.run("remote", "remove", "origin")
    refused = scene.open(replace(scene.request, forge=ForgeChoice.GITLAB))
    assert isinstance(refused, NotOpened)
    assert "git remote add origin URL" in refused.reason


def test_the_config_can_choose_the_forge(scene: Scene) -> None:
    refused = scene.open(replace(scene.request, forge=ForgeChoice.NONE))
    assert isinstance(refused, NotOpened)
    assert "has no forge" in refused.reason
    refused = scene.open(replace(scene.request, forge=ForgeChoice.GITHUB))
    assert isinstance(refused, NotOpened)
    assert "'gh' was not found" in refused.reason


def test_failed_jobs_come_with_their_logs_and_members_count(scene: Scene) -> None:
    glab = scene.record("look_red")
    found = scene.look()
    assert isinstance(found, PullRequestView)
    assert glab.is_at_its_end()
    assert [(it.name, it.state) for it in found.checks] == [
        ("unit", CheckState.FAILED),
        ("lint", CheckState.PASSED),
        ("extra", CheckState.PASSED),
        ("deploy", CheckState.PASSED),
        ("stopped", CheckState.FAILED),
    ]
    assert "AssertionError" in found.checks[0].log
    assert "\x1b" not in found.checks[0].log
    assert found.checks[4].log.startswith("(no log: ")
    told = [(it.key, it.author, it.counts, it.is_demand, it.file, it.line) for it in found.remarks]
    assert told == [
        ("r21", "grace", True, True, None, None),
        ("r22", "eve", False, True, None, None),
        ("n501", "grace", True, False, "done.txt", 1),
        ("n502", "eve", False, False, "done.txt", 1),
        ("n505", "grace", True, False, "a", None),
        ("n506", "grace", True, False, None, None),
        ("n507", "eve", False, False, None, None),
    ]
    assert found.open_demands == 1


@pytest.mark.parametrize(
    ("recording", "states", "ci", "reviews"),
    [
        ("look_pending", [CheckState.FAILED, CheckState.PENDING], True, True),
        ("look_old_pipeline", [CheckState.PENDING], True, True),
        ("look_green", [CheckState.PASSED], True, True),
        ("look_child_failed", [CheckState.PASSED, CheckState.FAILED], True, True),
        ("look_child_running", [CheckState.PASSED, CheckState.PENDING], True, True),
        ("look_reviews", [], False, True),
        ("look_ci", [], True, False),
    ],
)
def test_only_as_much_is_asked_as_is_needed(
    scene: Scene, recording: str, states: list[CheckState], *, ci: bool, reviews: bool
) -> None:
    glab = scene.record(recording)
    found = scene.look(ci=ci, reviews=reviews)
    assert isinstance(found, PullRequestView)
    assert (found.state, found.head) == (PullRequestState.OPEN, scene.commit)
    assert [it.state for it in found.checks] == states
    assert glab.is_at_its_end()


@pytest.mark.parametrize("state", [PullRequestState.MERGED, PullRequestState.CLOSED])
def test_an_end_is_seen(scene: Scene, state: PullRequestState) -> None:
    scene.record(f"look_{state.value}")
    found = scene.look()
    assert isinstance(found, PullRequestView)
    assert found.state is state


@pytest.mark.parametrize(
    ("recording", "reason", "is_passing"),
    [
        ("look_limited", "The forge asks `glab` to come back later", True),
        ("look_no_network", "The forge does not answer `glab`", True),
        ("look_jobs_fail", "The forge does not answer `glab`", True),
        ("look_reviewers_fail", "The forge does not answer `glab`", True),
        ("look_comments_fail", "The forge does not answer `glab`", True),
        ("look_members_fail", "The forge asks `glab` to come back later", True),
        ("look_gone", "`glab` does not find the merge request", False),
        ("look_wrong_head", "What `glab` says about the merge request cannot be read.", False),
    ],
)
def test_what_cannot_be_seen_is_told(
    scene: Scene, recording: str, reason: str, *, is_passing: bool
) -> None:
    scene.record(recording)
    found = scene.look()
    assert isinstance(found, NotSeen)
    assert (found.reason.startswith(reason), found.is_passing) == (True, is_passing)
