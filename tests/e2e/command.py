"""A user at a shell: a repository with an agent of its own, and the installed command."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from tests.support.plain_machine import plain_environment
from tests.support.preloaded import Preloaded
from tests.support.processes import PATIENCE, Owned

SUPERVISOR: Final = Path(sys.executable).with_name("supervisor")
AGENT: Final = Path(__file__).with_name("agent.py")
CONFIG: Final = """\
cli: my_agent
clis:
  my_agent:
    adapter: command
    command: [python3, tools/agent.py]
gates:
  test:
    command: [test, -f, done.txt]
limits:
  step_max_retries: 0
"""
HUMAN: Final = """\
name: careful
description: Implement, then ask a person
initial_step: implement
steps:
  implement:
    role: implementer
    next: approve
  approve:
    type: human_gate
    next: commit
    on_reject: implement
    max_retries: 2
  commit:
    type: commit
    terminal: true
"""
QUICK: Final = """\
name: quick
description: Implement and commit
initial_step: implement
steps:
  implement:
    role: implementer
    next: commit
  commit:
    type: commit
    terminal: true
"""
REVIEWED: Final = """\
name: reviewed
description: Implement, review and commit
initial_step: implement
steps:
  implement:
    role: implementer
    next: review
  review:
    role: reviewer
    next: commit
  commit:
    type: commit
    terminal: true
"""

Json = dict[str, Any]


@dataclass(frozen=True)
class Said:
    """What a call printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Json:
        """Return what was printed as JSON."""
        parsed: Json = json.loads(self.out)
        return parsed

    @property
    def run(self) -> Json:
        """Return the run that was printed."""
        found: Json = self.json["run"]
        return found

    @property
    def error(self) -> Json:
        """Return the error that was printed."""
        found: Json = self.json["error"]
        return found


class User(Struct):
    """A person with a repository, and a home and a state directory of their own."""

    home: Path
    repository: Path
    environment: dict[str, str] = {}
    preloaded: Preloaded | None = None

    def git(self, *arguments: str) -> str:
        """Run git as the user."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.repository,
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def write(self, files: Mapping[str, str]) -> None:
        """Write files of the checkout."""
        for name, text in files.items():
            place = self.repository / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)

    def commit(self, files: Mapping[str, str] | None = None) -> str:
        """Write files and commit everything; return the commit."""
        self.write(files or {})
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "user")
        return self.git("rev-parse", "HEAD")

    def script(self, **deeds: list[str]) -> None:
        """Tell the agent what to do at which step."""
        self.commit({"tools/script.json": json.dumps(deeds)})

    def call(self, *arguments: str, **environment: str) -> Said:
        """Call the command and wait for its end; with tools of its own, it is started afresh."""
        if self.preloaded is not None and "PATH" not in environment:
            code, out, err = self.preloaded.call(
                arguments,
                directory=self.repository,
                environment={**self.environment, **environment},
                seconds=PATIENCE,
            )
            return Said(code=code, out=out, err=err)
        with self.start(*arguments, **environment) as process:
            out, err = process.communicate(timeout=PATIENCE)
        return Said(code=process.returncode, out=out, err=err)

    def play(self, module: str, *arguments: str, **environment: str) -> Said:
        """Let a module of these tests act in place of the command, in a process of its own."""
        assert self.preloaded is not None
        code, out, err = self.preloaded.call(
            arguments,
            directory=self.repository,
            environment={**self.environment, **environment},
            seconds=PATIENCE,
            module=module,
        )
        return Said(code=code, out=out, err=err)

    def start(self, *arguments: str, **environment: str) -> Owned:
        """Call the command and do not wait."""
        return Owned(
            [SUPERVISOR, *arguments],
            cwd=self.repository,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *arguments: str, **environment: str) -> Said:
        """Start a run and wait for it."""
        return self.call("run", "Do it", "--yes", "--json", *arguments, **environment)

    def events(self, run: str) -> list[Json]:
        """Return the facts of a run."""
        return [json.loads(line) for line in self.call("events", run, "--json").out.splitlines()]

    def types(self, run: str) -> list[str]:
        """Name the facts of a run."""
        return [event["type"] for event in self.events(run)]

    def newest(self) -> Json | None:
        """Return the newest run."""
        runs = self.call("status", "--json").json["runs"]
        return runs[0] if runs else None


def make_user(place: Path, state: Path, *, repository: Path | None = None) -> User:
    """Make a home and a copy of a repository, or a repository without a commit."""
    home, own = place / "home", place / "repository"
    home.mkdir(parents=True)
    foreign = ("SUPERVISOR_", "PYTHONDONTWRITEBYTECODE", "NO_COLOR", "COLUMNS")
    kept = {name: it for name, it in plain_environment().items() if not name.startswith(foreign)}
    environment = {
        **kept,
        "HOME": str(home),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "SUPERVISOR_STATE": str(state),
        "SUPERVISOR_CONFIG": str(home / "config"),
        "SUPERVISOR_TRUST": "1",
    }
    user = User(home=home, repository=own, environment=environment)
    if repository is not None:
        shutil.copytree(repository, own, symlinks=True)
        return user
    own.mkdir()
    user.git("init", "--quiet", "--initial-branch=main")
    user.git("config", "user.name", "Ada")
    user.git("config", "user.email", "ada@example.org")
    return user


def furnish(user: User) -> None:
    """Give the repository its definitions and its agent, and commit them."""
    user.commit(
        {
            ".supervisor/config.yaml": CONFIG,
            ".supervisor/workflows/careful.yaml": HUMAN,
            ".supervisor/workflows/quick.yaml": QUICK,
            ".supervisor/workflows/reviewed.yaml": REVIEWED,
            "tools/agent.py": AGENT.read_text(),
            "tools/script.json": "{}",
            "README.md": "A project.\n",
        }
    )


def rust_homes() -> dict[str, str]:
    """Say where Rust is, to somebody who has another home than who installed it."""
    places = {"RUSTUP_HOME": Path.home() / ".rustup", "CARGO_HOME": Path.home() / ".cargo"}
    return {
        name: os.environ.get(name, str(place))
        for name, place in places.items()
        if name in os.environ or place.is_dir()
    }


def until(holds: Callable[[], bool], what: str) -> None:
    """Wait for a condition that another process brings about."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not come about.")
        time.sleep(0.05)
