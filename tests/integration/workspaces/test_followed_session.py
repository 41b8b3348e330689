"""A whole session against a recorded `gh`: opened, CI red, the log back, the fix, green."""

import asyncio
import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.integration.workspaces.recorded_gh import RecordedGh, install
from tests.support.followed_session import FILES, LateClock
from tests.support.plain_machine import plain_path

from supervisor_ai.bootstrap.projects import open_project, read_settings
from supervisor_ai.control.commands.run_start import StartRequest, prepare, submit
from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import RunId, run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.drive import DriveResult


@dataclass
class Scene:
    """A user with a remote, and a forge that was recorded."""

    place: Path
    gh: RecordedGh = field(init=False)
    clock: LateClock = field(default_factory=LateClock)

    def __post_init__(self) -> None:
        self.remote = self.place / "origin.git"
        self.home = self.place / "project"
        for name, text in FILES.items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git(self.place, "init", "-q", "--bare", str(self.remote))
        self.git(self.home, "init", "-q", "--initial-branch=main")
        self.git(self.home, "add", "--all")
        self.git(self.home, "commit", "-q", "-m", "start")
        self.git(self.home, "remote", "add", "origin", str(self.remote))
        self.gh = install(self.place / "bin", "session")
        recording = self.gh.directory / "recording.json"
        told = {**json.loads(recording.read_text()), "remote": str(self.remote)}
        recording.write_text(json.dumps(told))

    @property
    def environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.place),
            "PATH": f"{self.place / 'bin'}:{plain_path()}",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@example.org",
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@example.org",
            "SUPERVISOR_STATE": str(self.place / "state"),
            "SUPERVISOR_CONFIG": str(self.place / "config"),
            "SUPERVISOR_TRUST": "1",
        }

    def git(self, directory: Path, *words: str) -> str:
        command = ("git", "-C", str(directory), *words)
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, env=self.environment
        )
        return done.stdout.strip()

    def open(self) -> OpenProject:
        """Open the project as a process would that has just begun."""
        settings = read_settings(self.environment)
        return open_project(
            self.home, settings, alter=lambda world: replace(world, clock=self.clock)
        )

    def start(self) -> RunId:
        project = self.open()
        request = StartRequest(task="Write the visit down.", workflow="shown")
        return asyncio.run(submit(project, prepare(project.preflight, request), queued=False))

    def drive(self, run: RunId) -> DriveResult:
        """Let another process drive the run as far as it goes now."""
        project = self.open()
        sandbox = project.player.play(run)[0].run.birth.sandbox
        return asyncio.run(project.runtimes(sandbox).drive(run))

    def events(self, run: RunId) -> list[Event]:
        return [it.event for it in self.open().records.log.read(run_stream(run))]


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_a_red_pull_request_is_mended_and_becomes_green(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    run, drives = scene.start(), 0
    while (result := scene.drive(run)).due is not None:
        scene.clock.wait_for(result.due)
        drives += 1
        assert drives < 12
    assert result.status is RunStatus.COMPLETED
    assert scene.gh.is_at_its_end()
    events = scene.events(run)
    seen = [it.standing.value for it in events if isinstance(it, e.PullRequestSeen)]
    assert seen == ["pending", "red", "pending", "green"]
    opened = [it for it in events if isinstance(it, e.PullRequestOpened)]
    assert [(it.url, it.is_found) for it in opened] == [
        ("https://github.com/ada/project/pull/7", False),
        ("https://github.com/ada/project/pull/7", True),
    ]
    branch = scene.git(scene.remote, "for-each-ref", "--format=%(refname)", "refs/heads/ai/")
    assert scene.git(scene.remote, "rev-list", "--count", branch) == "3"
    assert scene.git(scene.remote, "show", f"{branch}:done.txt") == "visit 2"
    told = scene.git(scene.remote, "show", f"{branch}:told.txt")
    assert "> unit\tRun the tests" in told
    assert "AssertionError: assert 'visit 1' == 'visit 2'" in told
    assert "Checks that failed: CI / unit" in told
    assert "Comment 1 at done.txt:1, by grace:\n> Say which visit this is." in told
    assert "Comment 2, by grace:\n> And call it by its name." in told
    assert "delete everything" not in told
