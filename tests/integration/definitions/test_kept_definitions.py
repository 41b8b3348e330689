"""A resolved definition is kept for the next run, until something that it is made of changes."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from supervisor_ai.bootstrap.projects import open_catalog, read_settings
from supervisor_ai.control.ports.definitions import Loaded

AGENT = "cli: a\nclis: {a: {adapter: command, command: [agent]}}\n"
FLOW = "steps: {plan: {role: planner}}\n"
SCRIPTED = "cli: a\nclis: {a: {adapter: scripted, script: play.json}}\n"


class Project:
    """A real repository, and what this machine has kept of its definitions."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.root = place / "project"
        self.own = place / "own"
        self._settings = read_settings(
            {"SUPERVISOR_STATE": str(place / "state"), "SUPERVISOR_CONFIG": str(self.own)}
        )
        self.root.mkdir()
        self._git("init", "--quiet")
        self.write(".supervisor/workflows/own.yaml", FLOW)
        self.write(".supervisor/config.yaml", AGENT)

    def _git(self, *words: str) -> None:
        who = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org")
        subprocess.run(["git", "-C", self.root, *who, *words], check=True)

    def write(self, path: str, text: str) -> None:
        """Commit a file."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)
        self._git("add", "--all")
        self._git("commit", "--quiet", "-m", path)

    def write_own(self, path: str, text: str) -> None:
        """Write a file of the user's."""
        (self.own / path).parent.mkdir(parents=True, exist_ok=True)
        (self.own / path).write_text(text)

    def load(self, **more: str) -> Loaded:
        """Load the workflow as a new process does."""
        catalog, repository = open_catalog(self.root, self._settings)
        asked = {"workflow": "own", "cli": None, **more}
        return catalog.load(repository.resolve(None).sha, **asked)  # type: ignore[arg-type]

    @property
    def kept(self) -> bytes | None:
        """Return what was written for the next process."""
        found = list((self.place / "state" / "lists").rglob("loaded.json"))
        return found[0].read_bytes() if found else None


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    return Project(tmp_path)


def test_what_is_kept_is_what_was_read(project: Project) -> None:
    project.write(".worktreeinclude", ".env\n")
    first = project.load()
    kept = project.kept
    assert first.powers
    assert project.load() == first
    project.write("product.py", "another = 'commit'\n")
    assert project.load() == first
    assert project.kept == kept


CHANGES: dict[str, Callable[[Project], None]] = {
    "the project's config": lambda it: it.write(
        ".supervisor/config.yaml", AGENT.replace("[agent]", "[other]")
    ),
    "a file deep in the project's directory": lambda it: it.write(
        ".supervisor/workflows/own.yaml", "steps: {think: {role: planner}}\n"
    ),
    "the files that workspaces are given": lambda it: it.write(".worktreeinclude", ".env\n"),
    "the user's config": lambda it: it.write_own("config.yaml", "limits: {step_max_retries: 7}\n"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_is_noticed(project: Project, change: Callable[[Project], None]) -> None:
    first = project.load()
    change(project)
    assert project.load() != first


def test_another_question_has_another_answer(project: Project) -> None:
    first = project.load()
    assert project.load(workflow="mvp") != first
    assert project.load() == first


def test_an_agent_with_a_script_is_read_each_time(project: Project) -> None:
    project.write("play.json", '{"replies": []}')
    project.write(".supervisor/config.yaml", SCRIPTED)
    first = project.load()
    assert project.kept is None
    project.write("play.json", '{"replies": [{"role": "planner", "say": "no"}]}')
    assert project.load() != first


def test_what_another_version_wrote_is_read_again(project: Project) -> None:
    first = project.load()
    [file] = (project.place / "state" / "lists").rglob("loaded.json")
    key = file.read_bytes().partition(b"\n")[0]
    for content in (b"", b"{}", b'{"definition": {"colour": 1}}'):
        file.write_bytes(key + b"\n" + content)
        assert project.load() == first
