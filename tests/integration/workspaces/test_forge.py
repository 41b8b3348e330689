"""Pull requests: a real remote on the disk, and a `gh` that was recorded."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from tests.integration.workspaces.recorded_gh import RecordedGh, install

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.forge import NotOpened, Opened, PullRequest
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.forges.gh_errors import GH, not_opened
from supervisor_ai.workspaces.forges.github import GitHubForge
from supervisor_ai.workspaces.forges.user_programs import Ended, ProgramEnding, UserPrograms
from supervisor_ai.workspaces.repositories.repository import GitRepository

BRANCH, TITLE, BODY = "ai/r1", "Do it", "Why\n\n- what"
URL = "https://github.com/ada/project/pull/7"
FILES = {"README": "hello\n"}
NO_PAUSE = timedelta(0)
LOCAL = {"GIT_ALLOW_PROTOCOL": "file"}


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A user with a remote, and a commit that wants to be seen."""

    user: ScratchRepository
    place: Path
    base: CommitSha
    commit: CommitSha

    @property
    def request(self) -> PullRequest:
        return PullRequest(branch=BRANCH, commit=self.commit, target="main", title=TITLE, body=BODY)

    def record(self, recording: str, commit: CommitSha | None = None) -> RecordedGh:
        return install(
            self.place / "bin",
            recording,
            branch=BRANCH,
            title=TITLE,
            body=BODY,
            commit=commit or self.commit,
        )

    def environment(self, **more: str) -> dict[str, str]:
        git = shutil.which("git")
        assert git is not None
        path = f"{self.place / 'bin'}:{Path(git).parent}:/bin"
        return {"PATH": path, "HOME": str(self.place), "GIT_DIR": "/nowhere", **more}

    def forge(self, **more: str) -> GitHubForge:
        environment = self.environment(**more)
        return GitHubForge(GitRepository(self.user.path), environment, pause=NO_PAUSE)

    def open(self, request: PullRequest | None = None) -> Opened | NotOpened:
        return asyncio.run(self.forge().open(request or self.request))

    def remote(self, *arguments: str) -> str:
        command = ("git", "--git-dir", str(self.place / "origin.git"), *arguments)
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    @property
    def pushed(self) -> str:
        return self.remote("for-each-ref", "--format=%(objectname)", f"refs/heads/{BRANCH}")


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    subprocess.run(("git", "init", "-q", "--bare", tmp_path / "origin.git"), check=True)
    user = ScratchRepository(tmp_path / "home")
    user.git.run("remote", "add", "origin", tmp_path / "origin.git")
    base = user.commit(FILES)
    commit = user.plant(FILES | {"new": "new\n"}, parent=base)
    return Scene(user=user, place=tmp_path, base=base, commit=commit)


@pytest.mark.parametrize("recording", ["opened", "found_of_a_stranger", "garbage", "not_seen_yet"])
def test_a_branch_is_pushed_and_a_pull_request_opened(scene: Scene, recording: str) -> None:
    gh = scene.record(recording)
    assert scene.open() == Opened(url=URL)
    assert scene.pushed == scene.commit
    assert gh.is_at_its_end()


def test_without_a_target_the_forge_chooses_and_a_draft_need_not_be(scene: Scene) -> None:
    gh = scene.record("opened_by_default")
    assert scene.open(replace(scene.request, target=None, is_draft=False)) == Opened(url=URL)
    assert gh.is_at_its_end()


@pytest.mark.parametrize("name", ["v1.0", "HEAD~0"])
def test_what_is_no_branch_is_no_target(scene: Scene, name: str) -> None:
    scene.user.git.run("tag", "v1.0", scene.base)
    gh = scene.record("opened_by_default")
    assert scene.open(replace(scene.request, target=name, is_draft=False)) == Opened(url=URL)
    assert gh.is_at_its_end()


@pytest.mark.parametrize("name", ["main", "heads/main", "origin/main"])
def test_a_branch_of_the_remote_is_a_target(scene: Scene, name: str) -> None:
    scene.user.git.run("update-ref", "refs/remotes/origin/main", scene.base)
    gh = scene.record("opened")
    assert scene.open(replace(scene.request, target=name)) == Opened(url=URL)
    assert gh.is_at_its_end()


def test_a_title_is_one_short_line_and_never_empty(scene: Scene) -> None:
    gh = install(
        scene.place / "bin", "opened", branch=BRANCH, title="{any}", body="{any}", commit="x"
    )
    asked = replace(scene.request, title=f"one\n\x1b[31mtwo\0 {'x' * 300}", body="y" * 100_000)
    assert scene.open(asked) == Opened(url=URL)
    title = gh.calls[-1][gh.calls[-1].index("--title") + 1]
    assert (title[:9], len(title)) == ("one two x", 250)
    shutil.rmtree(scene.place / "bin")
    gh = install(scene.place / "bin", "opened", branch=BRANCH, title=BRANCH, body=BODY, commit="x")
    assert scene.open(replace(scene.request, title=" \n")) == Opened(url=URL)


def test_an_open_pull_request_is_found_and_its_branch_brought_up_to_date(scene: Scene) -> None:
    scene.user.git.run("push", "origin", f"{scene.base}:refs/heads/{BRANCH}", environment=LOCAL)
    gh = scene.record("found", commit=scene.base)
    assert scene.open() == Opened(url=URL, is_found=True)
    assert scene.pushed == scene.commit
    assert gh.is_at_its_end()


@pytest.mark.parametrize("is_ahead", [True, False])
def test_a_pull_request_that_shows_the_commit_already_is_left_alone(
    scene: Scene, *, is_ahead: bool
) -> None:
    ahead = scene.user.plant(FILES | {"more": "x\n"}, parent=scene.commit)
    head = ahead if is_ahead else scene.commit
    scene.record("found", commit=head)
    assert scene.open() == Opened(url=URL, is_found=True)
    assert scene.pushed == ""


def test_a_pull_request_that_appears_meanwhile_is_found(scene: Scene) -> None:
    gh = scene.record("exists")
    assert scene.open() == Opened(url=URL, is_found=True)
    assert gh.is_at_its_end()


def on_a_host(scene: Scene, url: str) -> str:
    """Let the remote be on a host, and a road lead there that ends on this disk."""
    scene.user.git.run("remote", "set-url", "origin", url)
    road = scene.place / "road"
    road.write_text(f"#!/bin/sh\nexec git-receive-pack {scene.place / 'origin.git'}\n")
    road.chmod(0o755)
    return str(road)


@pytest.mark.parametrize("recording", ["fork", "fork_found", "same_repository"])
def test_a_fork_asks_the_repository_that_it_comes_from(scene: Scene, recording: str) -> None:
    road = on_a_host(scene, "git@github.com:Ada/project.git")
    gh = scene.record(recording)
    opened = asyncio.run(scene.forge(GIT_SSH_COMMAND=road).open(scene.request))
    is_found = recording == "fork_found"
    owner = "ada" if recording == "same_repository" else "upstream"
    url = f"https://github.com/{owner}/project/pull/7"
    assert opened == Opened(url=url, is_found=is_found)
    assert scene.pushed == ("" if is_found else scene.commit)
    assert gh.is_at_its_end()


def test_a_repository_that_gh_does_not_see_gets_no_branch(scene: Scene) -> None:
    road = on_a_host(scene, "ssh://git@github.com/ada/project")
    scene.record("view_fails")
    refused = asyncio.run(scene.forge(GIT_SSH_COMMAND=road).open(scene.request))
    assert isinstance(refused, NotOpened)
    assert "Could not resolve to a Repository" in refused.detail
    assert scene.pushed == ""


def test_what_others_pushed_is_never_overwritten(scene: Scene) -> None:
    theirs = scene.user.plant(FILES | {"theirs": "x\n"}, parent=scene.base)
    scene.user.git.run("push", "origin", f"{theirs}:refs/heads/{BRANCH}", environment=LOCAL)
    scene.record("opened")
    refused = scene.open()
    assert isinstance(refused, NotOpened)
    assert "nothing was overwritten" in refused.reason
    assert "[rejected]" in refused.detail
    assert scene.pushed == theirs


def test_hooks_tags_and_other_branches_stay_out(scene: Scene) -> None:
    marker = scene.place / "hooked"
    hook = scene.user.path / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {marker}\n")
    hook.chmod(0o755)
    for key, value in (("push.followTags", "true"), ("remote.origin.push", "refs/heads/main")):
        scene.user.git.run("config", key, value)
    scene.user.git.run("tag", "-a", "-m", "v1", "v1", scene.base)
    scene.record("opened")
    assert scene.open() == Opened(url=URL)
    assert scene.remote("for-each-ref", "--format=%(refname)") == f"refs/heads/{BRANCH}"
    assert not marker.exists()


@pytest.mark.parametrize(
    ("recording", "reason", "is_pushed"),
    [
        ("not_logged_in", "`gh` is not logged in to GitHub; run `gh auth login`.", False),
        ("bad_credentials", "`gh` is not logged in to GitHub; run `gh auth login`.", False),
        ("no_network", "GitHub cannot be reached; look at the network.", False),
        ("no_github_host", "No remote of this repository is on a GitHub host", False),
        ("forbidden", "You may not open pull requests there.", True),
        ("no_commits", "The branch 'ai/r1' has nothing that its target does not have.", True),
        ("never_seen", "GitHub does not find the branch 'ai/r1'", True),
        ("no_url", "`gh` could not open a pull request for 'ai/r1'.", True),
    ],
)
def test_a_failure_of_gh_is_told_in_our_words_and_its_own(
    scene: Scene, recording: str, reason: str, *, is_pushed: bool
) -> None:
    gh = scene.record(recording)
    refused = scene.open()
    assert isinstance(refused, NotOpened)
    assert refused.reason.startswith(reason)
    assert refused.detail
    assert "\x1b" not in refused.detail
    assert bool(scene.pushed) == is_pushed
    assert gh.is_at_its_end()


def test_without_gh_nothing_is_pushed(scene: Scene) -> None:
    git = shutil.which("git")
    assert git is not None
    (scene.place / "bin").mkdir()
    (scene.place / "bin" / "git").symlink_to(git)
    refused = asyncio.run(scene.forge(PATH=str(scene.place / "bin")).open(scene.request))
    assert isinstance(refused, NotOpened)
    assert "'gh' was not found; install it" in refused.reason
    assert scene.pushed == ""


def test_a_program_that_cannot_start_is_as_good_as_missing(scene: Scene) -> None:
    gh = scene.place / "bin" / "gh"
    gh.parent.mkdir()
    gh.write_bytes(b"\x7fELF, not really")
    gh.chmod(0o755)
    refused = scene.open()
    assert isinstance(refused, NotOpened)
    assert "'gh' was not found" in refused.reason
    assert "Exec format error" in refused.detail


def test_without_a_remote_the_user_is_told_to_add_one(scene: Scene) -> None:
    scene.user.git.run("remote", "remove", "origin")
    refused = scene.open()
    assert isinstance(refused, NotOpened)
    assert refused.reason.endswith("add it: `git remote add origin URL`.")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("/nowhere/at/all.git", "Git could not push the branch 'ai/r1' to the remote 'origin'."),
        ("http://127.0.0.1:9/ada.git", "The remote 'origin' cannot be reached"),
        ("http://ada:hunter2@127.0.0.1:9/ada.git", "The remote 'origin' cannot be reached"),
    ],
)
def test_a_push_that_fails_is_told(scene: Scene, url: str, reason: str) -> None:
    scene.user.git.run("remote", "set-url", "origin", url)
    scene.record("opened")
    refused = scene.open()
    assert isinstance(refused, NotOpened)
    assert refused.reason.startswith(reason)
    assert refused.detail
    assert "hunter2" not in refused.detail


def test_a_remote_that_refuses_is_told_with_its_words(scene: Scene) -> None:
    hook = scene.place / "origin.git" / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nprintf '\\033[31mprotected branch %05000d' 0 >&2\nexit 1\n")
    hook.chmod(0o755)
    scene.record("opened")
    refused = scene.open()
    assert isinstance(refused, NotOpened)
    assert refused.reason == "The remote 'origin' refuses the branch 'ai/r1'."
    assert len(refused.detail) <= 4000
    assert "\x1b" not in refused.detail


ENDLESS = """\
#!/bin/sh
sleep 1000 &
echo $! > {pid}.part
mv {pid}.part {pid}
wait
"""


def endless(scene: Scene) -> Path:
    """Put a `gh` there that never ends, and whose child would outlive it."""
    pid, gh = scene.place / "pid", scene.place / "bin" / "gh"
    gh.parent.mkdir()
    gh.write_text(ENDLESS.format(pid=pid))
    gh.chmod(0o755)
    return pid


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - a process of its own cannot set an event
            await asyncio.sleep(0.01)


def is_gone(pid: Path) -> bool:
    try:
        state = Path(f"/proc/{int(pid.read_text())}/stat").read_text()
    except FileNotFoundError:
        return True
    return state.rpartition(")")[2].split()[0] == "Z"


def test_a_program_that_does_not_end_is_stopped_with_its_children(scene: Scene) -> None:
    pid = endless(scene)

    async def go() -> Ended:
        programs = UserPrograms(
            directory=scene.place,
            environment=scene.environment(),
            patience=timedelta(seconds=1),
        )
        ended = await programs.run("gh")
        await until(lambda: is_gone(pid))
        return ended

    ended = asyncio.run(go())
    assert ended.ending is ProgramEnding.TIMED_OUT
    refused = not_opened("gh", ended, GH, branch=BRANCH, remote="origin")
    assert refused.reason == "The program 'gh' did not end in time, so it was stopped."


def test_who_cancels_ends_the_programs(scene: Scene) -> None:
    pid = endless(scene)

    async def go() -> None:
        opening = asyncio.ensure_future(scene.forge().open(scene.request))
        await until(pid.exists)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        await until(lambda: is_gone(pid))

    asyncio.run(go())


def test_only_what_opens_the_users_doors_is_passed_on(scene: Scene) -> None:
    seen = scene.place / "seen"
    gh = scene.place / "bin" / "gh"
    gh.parent.mkdir()
    gh.write_text(f"#!/bin/sh\nenv > {seen}\nexit 1\n")
    gh.chmod(0o755)
    mine = {"GH_TOKEN": "t", "SSH_AUTH_SOCK": "s", "https_proxy": "p", "AWS_SECRET": "x"}
    asyncio.run(scene.forge(**mine).open(scene.request))
    found = dict(line.partition("=")[::2] for line in seen.read_text().splitlines())
    assert mine.keys() & found.keys() == {"GH_TOKEN", "SSH_AUTH_SOCK", "https_proxy"}
    assert "GIT_DIR" not in found
    assert (found["GH_PROMPT_DISABLED"], found["NO_COLOR"]) == ("1", "1")
    assert found["GIT_TERMINAL_PROMPT"] == "0"
    assert os.environ.keys() - found.keys()
