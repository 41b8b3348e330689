"""A user with a project, a home of their own, and the installed command."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from tests.support.processes import PATIENCE, Owned

SUPERVISOR: Final = Path(sys.executable).with_name("supervisor")
Json = dict[str, Any]


class Desktop:
    """Where a user works."""

    def __init__(self, ground: Path, *, path: str) -> None:
        self.home, self.project = ground / "home", ground / "project"
        self.home.mkdir()
        self.project.mkdir()
        self.environment = {
            "PATH": path,
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TMPDIR": str(ground),
            "NO_PROXY": "127.0.0.1",
            "SUPERVISOR_STATE": str(ground / "state"),
            "SUPERVISOR_CONFIG": str(ground / "config"),
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        self._git("init", "--quiet", "--initial-branch=main")
        self._git("config", "user.name", "Ada")
        self._git("config", "user.email", "ada@example.org")
        self.write("README.md", "A project.\n")
        self.commit()

    def write(self, name: str, text: str) -> Path:
        place = self.project / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    def commit(self) -> None:
        self._git("add", "--all")
        self._git("commit", "--quiet", "--allow-empty", "--message", "user")

    def _git(self, *words: str) -> None:
        self.git(*words)

    def git(self, *words: str) -> str:
        """Call git as the user does."""
        done = subprocess.run(
            ["git", *words],
            cwd=self.project,
            env=self.environment,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        return done.stdout

    def supervisor(self, *words: str, code: int = 0) -> str:
        """Call our command as the user does."""
        done = subprocess.run(
            [SUPERVISOR, *words],
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
        return done.stdout

    def ask(self, *words: str, code: int = 0) -> Json:
        """Call our command and read the JSON that it prints."""
        told: Json = json.loads(self.supervisor(*words, "--json", code=code))
        return told

    def start(self, *words: str) -> Owned:
        """Call our command and do not wait."""
        return Owned(
            [SUPERVISOR, *words],
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def until(self, holds: Callable[[], bool], what: str) -> None:
        """Wait for what another process brings about."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < deadline, f"{what} did not come about."
            time.sleep(0.1)
