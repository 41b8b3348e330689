"""Kill who follows a pull request, for real and at each of its doings; then let another go on.

One point of each class in `make test`, all of them in `make test-long`.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.e2e.command import User
from tests.support.followed_session import FILES

STUB = Path(__file__).with_name("forge_stub.py")
FLOW = ".supervisor/workflows/shown.yaml"
URL = "https://github.com/ada/project/pull/7"
CALLS = (
    *(("pr list", 1), ("pr create", 1), ("pr view", 1), ("pr view", 2), ("pr view", 3)),
    *(("api", 1), ("run view", 1), ("pr list", 2), ("pr view", 4), ("pr view", 5)),
    *(("pr view", 6), ("api", 2)),
)
"""All that is asked of the forge, in order."""
POINTS = [
    ("pr create", 1, "before"),
    ("pr create", 1, "after"),
    ("pr view", 2, "after"),
    ("pr view", 3, "after"),
    ("run view", 1, "before"),
    ("pr list", 2, "after"),
]
OTHERS = [(*call, at) for call in CALLS for at in ("before", "after") if (*call, at) not in POINTS]
COMMITS = (
    "before commit of TimerSet",
    "after commit of TimerSet",
    "after commit of PullRequestSeen+StepFailed",
)


@dataclass
class Scene:
    """A user with a remote on the disk, and a forge that outlives who asks it."""

    user: User
    kill: tuple[str, int, str] | None = None

    def __post_init__(self) -> None:
        self.place = self.user.home / "bin"
        self.remote = self.user.home / "origin.git"
        subprocess.run(("git", "init", "-q", "--bare", self.remote), check=True)
        self.user.commit(FILES)
        self.user.git("remote", "add", "origin", str(self.remote))
        self.place.mkdir()
        settings = {"remote": str(self.remote), "kill": self.kill}
        (self.place / "forge.json").write_text(json.dumps(settings))
        (self.place / "gh").write_text(f"#!{sys.executable} -I\n{STUB.read_text()}")
        (self.place / "gh").chmod(0o755)

    @property
    def path(self) -> str:
        return f"{self.place}:{self.user.environment['PATH']}"

    def follow(self, name: str = "no such boundary") -> int:
        """Let a process follow the run as far as it lives."""
        late = str(self.user.home / "late")
        words = (str(self.user.repository), late, name)
        done = self.user.play("tests.e2e.crash_pull_request", *words, PATH=self.path)
        assert done.code in (0, -9), done
        return done.code

    @property
    def opened(self) -> int:
        return len((self.place / "opened").read_text().splitlines())

    def calls(self) -> list[list[str]]:
        lines = (self.place / "calls.jsonl").read_text().splitlines()
        return [json.loads(line)["argv"] for line in lines]

    def require_once(self) -> None:
        """Find one pull request, one round, and every comment told once."""
        newest = self.user.newest()
        assert newest is not None
        assert newest["status"] == "completed"
        events = self.user.events(newest["id"])
        assert self.opened == 1
        urls = {it["payload"]["url"] for it in events if it["type"] == "PullRequestOpened"}
        assert urls == {URL}
        seen = [it["payload"] for it in events if it["type"] == "PullRequestSeen"]
        assert [it["standing"] for it in seen if it["standing"] in ("red", "green")] == [
            "red",
            "green",
        ]
        assert [key for it in seen for key in it.get("remarks", ())] == ["c1001", "IC_1"]
        branch = newest["branch"]
        assert (
            self.on_remote("rev-list", "--count", f"{self.user.git('rev-parse', 'main')}..{branch}")
            == "2"
        )
        told = self.on_remote("show", f"{branch}:told.txt")
        assert told.count("> And call it by its name.") == 1
        assert told.count("> Say which visit.") == 1
        types = [it["type"] for it in events]
        assert types.count("IntegrationLanded") == 2
        assert self.user.call("ledger", "verify").code == 0

    def on_remote(self, *words: str) -> str:
        command = ("git", "--git-dir", str(self.remote), *words)
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_unhurt_everything_is_asked_once(user: User) -> None:
    scene = Scene(user)
    assert scene.follow() == 0
    scene.require_once()
    asked = [" ".join(it) for it in scene.calls()]
    assert len(asked) == len(CALLS)
    assert all(it.startswith(words) for it, (words, _) in zip(asked, CALLS, strict=True))


@pytest.mark.parametrize(
    "point", [*POINTS, *(pytest.param(it, marks=pytest.mark.long) for it in OTHERS)]
)
def test_whoever_is_killed_at_the_forge_nothing_is_doubled(
    user: User, point: tuple[str, int, str]
) -> None:
    scene = Scene(user, kill=point)
    assert scene.follow() == -9
    assert scene.follow() == 0
    scene.require_once()


@pytest.mark.parametrize("name", COMMITS)
def test_whoever_is_killed_at_a_commit_nothing_is_doubled(user: User, name: str) -> None:
    scene = Scene(user)
    assert scene.follow(name) == -9
    assert scene.follow() == 0
    scene.require_once()


def test_the_command_itself_is_killed_and_finds_its_pull_request_again(user: User) -> None:
    scene = Scene(user, kill=("pr create", 1, "after"))
    user.commit({FLOW: FILES[FLOW].replace("30s", "1h")})
    start = ("run", "Write the visit down.", "--workflow", "shown", "--yes", "--json")
    assert user.call(*start, PATH=scene.path).code == -9
    newest = user.newest()
    assert newest is not None
    said = user.call("resume", newest["id"], "--json", PATH=scene.path)
    assert (said.code, said.run["status"]) == (5, "waiting")
    (opened,) = [it for it in user.events(newest["id"]) if it["type"] == "PullRequestOpened"]
    assert (opened["payload"]["url"], opened["payload"]["is_found"]) == (URL, True)
    assert scene.opened == 1
