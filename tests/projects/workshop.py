"""One project of somebody else, from its release to a green run and a red gate."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from tests.projects.archive import cache, unpack
from tests.projects.outcomes import Outcome
from tests.projects.table import HERE, ForeignProject, break_line

SUPERVISOR: Final = Path(sys.executable).with_name("supervisor")
PATIENCE: Final = 1800
AGENT: Final = """
cli: my_agent
clis: {my_agent: {adapter: command, command: [python3, .supervisor/agent.py]}}
"""
IGNORED: Final = (
    *(".venv/", "__pycache__/", "*.pyc", "*.egg-info/", ".pytest_cache/", ".hypothesis/"),
    *(".coverage*", ".nyc_output/", "coverage/", "node_modules/", "/target/", "/build/"),
)
"""What the project's own repository ignores; most releases come without the file that says so."""
COMMENTS: Final = {"python": "# Looked at.\n"}
ERROR: Final = re.compile(r"\w*Error: |no such host|error: ", re.IGNORECASE)
Json = dict[str, Any]
_Value = TypeVar("_Value")


class Workshop:
    """A home and a repository for one project; all share what is known about the machine."""

    def __init__(self, project: ForeignProject, place: Path, state: Path) -> None:
        self._project = project
        self.repository = place / "repository"
        self._seconds: dict[str, float] = {}
        self._written: list[str] = []
        self._environment = _environment(place / "home", state)
        for directory in (self.repository, place / "home"):
            directory.mkdir(parents=True)

    def outcome(self) -> Outcome:
        """Take the project through all steps, as far as it goes."""
        reason = self._timed("prepare", self._prepare)
        reason = reason or self._timed("plain", lambda: self._plainly(self._project.test))
        if reason:
            return self._ended(works_plainly=False, reason=reason)
        gates, reason = self._timed("init", self._init)
        if "test" not in gates:
            return self._ended(gates=gates, reason=reason)
        reason = self._timed("run", self._run)
        verdict = self._timed("broken", self._verdict_of_broken)
        is_red = verdict == "failed"
        return self._ended(
            gates=gates,
            is_green=not reason,
            is_red=is_red,
            reason=reason or ("" if is_red else f"the broken product is {verdict}"),
        )

    def _timed(self, name: str, deed: Callable[[], _Value]) -> _Value:
        began = time.monotonic()
        value = deed()
        self._seconds[name] = round(time.monotonic() - began, 1)
        return value

    def _ended(self, **found: Any) -> Outcome:
        project = self._project
        return Outcome(name=project.name, version=project.version, seconds=self._seconds, **found)

    def _prepare(self) -> str:
        """Follow the project's own instructions; say what did not work."""
        unpack(self._project, self.repository)
        ignored = self.repository / ".gitignore"
        own = ignored.read_text(encoding="utf-8") if ignored.exists() else ""
        ignored.write_text("\n".join((own, *IGNORED, "")), encoding="utf-8")
        self._git("init", "--quiet", "--initial-branch=main")
        self._git("config", "user.name", "Ada")
        self._git("config", "user.email", "ada@example.org")
        self._commit("its release")
        return next(filter(None, map(self._plainly, self._project.prepare)), "")

    def _init(self) -> tuple[dict[str, int | None], str]:
        said = self._call("init", "--yes", "--json")
        self._written, found = [file["path"] for file in said["files"]], said["trials"]
        trials = found["trials"] if found else []
        worked = {it["gate"]: it["tests"] for it in trials if it["works"]}
        names = [gate["name"] for gate in found["way"]["gates"]] if found else []
        gates = {name: worked.get(name, _sum(worked)) for name in names}
        failed = [it for it in trials if it["gate"].startswith("test") and not it["works"]]
        why = next((it["likely"]["cause"] for it in failed if it["likely"]), "no test was seen")
        return gates, f"`init` wrote no gate for tests: {why}"

    def _run(self) -> str:
        """Let the agent make a harmless change; say why the run did not complete."""
        deed = {"file": self._project.file, "text": self._comment()}
        own = self.repository / ".supervisor"
        with (own / "config.yaml").open("a") as config:
            config.write(AGENT)
        (own / "agent.py").write_bytes((HERE / "agent.py").read_bytes())
        (own / "deed.json").write_text(json.dumps(deed, indent=2) + "\n")
        # Some projects ignore every name that begins with a dot.
        self._git(
            "add", "--force", *self._written, *map(str, (own / "agent.py", own / "deed.json"))
        )
        self._commit("supervisor")
        said = self._call("run", "Add a comment", "--yes", "--json")
        if said.get("run", {}).get("status") == "completed":
            return ""
        cause = said.get("cause") or said.get("error") or {}
        return f"the run did not complete: {cause.get('line') or cause.get('message')}"

    def _verdict_of_broken(self) -> str:
        file = self.repository / self._project.file
        file.write_text(break_line(file.read_text(encoding="utf-8"), self._project), "utf-8")
        self._commit("a broken line")
        check = self._call("gate", "check", "test", "--json")
        return str(check.get("check", check).get("verdict", check))

    def _comment(self) -> str:
        return COMMENTS.get(self._project.language, "// Looked at.\n")

    def _call(self, *words: str) -> Json:
        done = self._started((str(SUPERVISOR), *words))
        assert done.stdout, (self._project.name, words, done.stderr)
        said: Json = json.loads(done.stdout)
        return said

    def _plainly(self, command: str) -> str:
        """Run a command of the project's own instructions; say how it failed."""
        done = self._started(tuple(shlex.split(command)))
        return f"`{command}`: {_telling_line(done.stdout + done.stderr)}" if done.returncode else ""

    def _commit(self, message: str) -> None:
        self._git("add", "--all")
        self._git("commit", "--quiet", "--no-verify", "--message", message)

    def _git(self, *words: str) -> None:
        done = self._started(("git", *words))
        assert done.returncode == 0, (words, done.stderr)

    def _started(self, command: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.repository,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )


def _sum(worked: dict[str, int | None]) -> int:
    return sum(tests or 0 for name, tests in worked.items() if name.startswith("test"))


def _telling_line(text: str) -> str:
    """Return the last line that names an error, or the last one of all."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    named = [line for line in lines if ERROR.search(line) and not line.startswith("make")]
    return (named or lines or ["it said nothing"])[-1]


def _environment(home: Path, state: Path) -> dict[str, str]:
    """Give an environment as of somebody who never heard of our tests."""
    ours = str(SUPERVISOR.parent)
    path = [it for it in os.environ.get("PATH", "").split(":") if it != ours]
    kept = {name: value for name, value in os.environ.items() if not _is_ours(name)}
    return {
        **kept,
        "PATH": ":".join(path),
        "HOME": str(home),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PIP_CACHE_DIR": str(cache() / "pip"),
        "npm_config_cache": str(cache() / "npm"),
        "SUPERVISOR_STATE": str(state),
        "SUPERVISOR_CONFIG": str(home / "config"),
        "SUPERVISOR_TRUST": "1",
        **dict(_toolchains()),
    }


def _is_ours(name: str) -> bool:
    return name.startswith(("SUPERVISOR_", "PYTEST_", "PYTHON", "VIRTUAL_ENV", "COVERAGE_"))


def _toolchains() -> Iterator[tuple[str, str]]:
    """Name the tools that lie in the home of whoever runs this."""
    for variable, place in (("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")):
        if (Path.home() / place).is_dir():
            yield variable, os.environ.get(variable, str(Path.home() / place))


def tried(projects: Sequence[ForeignProject], place: Path) -> Iterator[Outcome]:
    """Take the projects through everything, one after the other; nothing of them is kept."""
    for project in projects:
        own = place / project.name.replace("/", "-")
        try:
            yield Workshop(project, own, place / "state").outcome()
        except subprocess.TimeoutExpired as error:
            command = shlex.join(map(str, error.cmd))
            reason = f"`{command}` was not done after {PATIENCE} seconds"
            yield Outcome(name=project.name, version=project.version, reason=reason)
        shutil.rmtree(own)
