import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.domain.errors import InvalidInput, NotFound, SupervisorError, Unavailable
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.definition import Cli, Definition
from supervisor_ai.workspaces.repositories.repository import GitRepository

CONFIG = ".supervisor/config.yaml"
AGENT = "cli: a\nclis: {a: {adapter: command, command: [agent]}}\n"
Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    project = tmp_path / "project"
    project.mkdir()

    def run(*arguments: str) -> str:
        who = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org")
        command = ["git", "-C", str(project), *who, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    run("init", "--quiet")
    run("commit", "--quiet", "--allow-empty", "-m", "empty")
    return run


class Project:
    """A real repository, and a user with a directory of their own."""

    def __init__(self, git: Git, place: Path) -> None:
        self._git = git
        self.root = place / "project"
        self.user = place / "user"

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def commit(self) -> CommitSha:
        self._git("add", "--all")
        self._git("commit", "--quiet", "--allow-empty", "-m", "change")
        return self.head

    @property
    def head(self) -> CommitSha:
        return CommitSha(self._git("rev-parse", "HEAD"))

    @property
    def catalog(self) -> FileCatalog:
        adapters = frozenset({"command", "scripted"})
        missing = ("claude", "codex", "gemini")
        return FileCatalog(GitRepository(self.root), self.user, adapters, missing=missing)

    def load(self, *, workflow: str | None = None, cli: str | None = None) -> Definition:
        return self.catalog.load(self.head, workflow=workflow, cli=cli).definition

    def refusal(self, *, workflow: str | None = None, cli: str | None = None) -> SupervisorError:
        with pytest.raises(SupervisorError) as caught:
            self.load(workflow=workflow, cli=cli)
        return caught.value


@pytest.fixture
def project(git: Git, tmp_path: Path) -> Project:
    return Project(git, tmp_path)


def write_user(project: Project, path: str, text: str) -> None:
    file = project.user / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_definitions_are_read_from_the_commit_and_not_from_the_checkout(project: Project) -> None:
    project.write(CONFIG, AGENT)
    project.write(".supervisor/workflows/own.yaml", "steps: {plan: {role: planner}}\n")
    first = project.commit()
    project.write(CONFIG, AGENT.replace("[agent]", "[other]"))
    second = project.commit()
    project.write(CONFIG, "not: valid\n")
    commands = [
        project.catalog.load(commit, workflow="own", cli=None).definition.clis["a"].command
        for commit in (first, second)
    ]
    assert commands == [("agent",), ("other",)]


def test_a_config_that_is_not_committed_is_pointed_out(project: Project) -> None:
    project.write(CONFIG, AGENT)
    told = f"Definitions are read from the commit {project.head[:12]}: commit {CONFIG} first."
    unknown, unchosen = project.refusal(cli="a"), project.refusal()
    assert isinstance(unknown, NotFound)
    assert isinstance(unchosen, InvalidInput)
    assert (unknown.hint, unchosen.hint) == (told, told)


def test_a_config_that_differs_from_the_commit_is_pointed_out(project: Project) -> None:
    project.write(CONFIG, "cli: a\nclis: {a: {adaptor: command}}\n")
    commit = project.commit()
    assert project.refusal().hint is None
    project.write(CONFIG, AGENT)
    told = f"Definitions are read from the commit {commit[:12]}: commit {CONFIG} first."
    assert project.refusal().hint == told


def test_a_workflow_that_is_not_committed_is_pointed_out(project: Project) -> None:
    path = ".supervisor/workflows/own.yaml"
    project.write(path, "steps: {plan: {role: planner}}\n")
    told = f"Definitions are read from the commit {project.head[:12]}: commit {path} first."
    assert project.refusal(workflow="own").hint == told


def test_a_config_that_is_a_link_to_a_device_is_not_followed(project: Project) -> None:
    (project.root / ".supervisor").mkdir()
    (project.root / CONFIG).symlink_to("/dev/zero")
    assert "Write these two lines" in (project.refusal().hint or "")


def test_a_config_that_became_a_link_is_a_mistake_and_not_forgotten(project: Project) -> None:
    project.write("elsewhere.yaml", "gates: {test: {command: [make, strict]}}\n")
    (project.root / CONFIG).parent.mkdir(parents=True, exist_ok=True)
    (project.root / CONFIG).unlink(missing_ok=True)
    (project.root / CONFIG).symlink_to("../elsewhere.yaml")
    project.commit()
    assert "config.yaml" in project.refusal(workflow="standard").message


@pytest.mark.parametrize(
    "place", ["roles/cook.yaml", "workflows/own.yaml", "prompts/own.j2", "roles", "templates"]
)
def test_a_link_among_definitions_is_a_mistake_that_names_it(project: Project, place: str) -> None:
    project.write(CONFIG, AGENT)
    link = project.root / ".supervisor" / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to("../../elsewhere")
    project.commit()
    message = project.refusal().message
    assert f".supervisor/{place}:1: is a link, and no link is followed here; put" in message


def test_the_whole_directory_as_a_link_is_a_mistake(project: Project) -> None:
    project.write("shared/config.yaml", AGENT)
    (project.root / ".supervisor").symlink_to("shared")
    project.commit()
    assert ".supervisor:1: is a link, and no link is followed here" in project.refusal().message


def test_other_links_are_noted(project: Project) -> None:
    project.write(CONFIG, AGENT)
    (project.root / ".supervisor/notes").symlink_to("../notes")
    commit = project.commit()
    assert project.load(workflow="mvp").workflow.name == "mvp"
    [note] = project.catalog.cautions(commit)
    assert note == ".supervisor/notes:1: is a link; nobody follows it"


def test_a_config_that_is_not_text_is_a_mistake(project: Project) -> None:
    (project.root / ".supervisor").mkdir()
    (project.root / CONFIG).write_bytes(b"cli: \xff\n")
    project.commit()
    message = project.refusal().message
    assert f"{CONFIG}:1: cannot be read" in message


def test_the_projects_settings_lie_over_the_users(project: Project) -> None:
    user_config = """
cli: mine
clis:
  mine: {adapter: command, command: [mine], env: {KEY: "${MY_KEY}"}}
  shared: {adapter: command, command: [safe], env: {KEY: "${MY_KEY}"}}
gates:
  test: {command: user tests, timeout: 1m}
  lint: {command: user lint}
limits: {step_timeout: 1m, step_max_retries: 1}
roles: {planner: {timeout: 1m, max_retries: 5}}
sandbox: {ro_paths: [/user]}
"""
    write_user(project, "config.yaml", user_config)
    write_user(project, "workflows/lint.yaml", "steps: {lint: {gate: lint}}\n")
    config = """
clis: {shared: {adapter: command, command: [projects]}}
gates: {test: {command: project tests}}
limits: {step_timeout: 2m}
roles: {planner: {cli: shared, max_retries: 0}}
sandbox: {ro_paths: [/project, /user]}
"""
    project.write(CONFIG, config)
    project.commit()
    loaded = project.load()
    assert loaded.clis == {
        "mine": Cli(
            name="mine", adapter="command", command=("mine",), environment={"KEY": "${MY_KEY}"}
        ),
        # The user's variables must not reach a command of the project.
        "shared": Cli(name="shared", adapter="command", command=("projects",)),
    }
    gate = loaded.gates["test"]
    assert (gate.command, gate.timeout.total_seconds()) == (("project", "tests"), 60)
    assert loaded.limits.step_timeout.total_seconds() == 120
    assert loaded.limits.step_max_retries == 1
    planner = loaded.roles["planner"]
    assert planner.timeout is not None
    assert (planner.cli, planner.timeout.total_seconds(), planner.max_retries) == ("shared", 60, 0)
    assert loaded.sandbox.ro_paths == ("/user", "/project")
    assert project.load(workflow="lint").gates["lint"].command == ("user", "lint")
    origins = {found.name: found.origin for found in project.catalog.workflows(project.head)}
    assert origins["lint"] == "user"
    assert {name for name, origin in origins.items() if origin == "built-in"} >= {"mvp", "standard"}
    assert {power.file for power in project.catalog.powers(project.head)} == {CONFIG}


def test_mistakes_of_the_user_are_told_with_the_full_path(project: Project) -> None:
    write_user(project, "config.yaml", "clii: a\n")
    (project.user / "workflows").mkdir()
    (project.user / "workflows" / "x.yaml").write_bytes(b"\xff")
    message = project.refusal().message
    assert f"{project.user}/config.yaml:1: clii: unknown key; did you mean 'cli'?" in message
    assert f"{project.user}/workflows/x.yaml:1: is not UTF-8 text" in message


def test_what_cannot_be_read_is_not_passed_over(project: Project) -> None:
    (project.user / "config.yaml").mkdir(parents=True)
    message = project.refusal().message
    assert f"{project.user}/config.yaml:1: cannot be read: Is a directory" in message
    (project.user / "config.yaml").rmdir()
    (project.user / "workflows").write_text("")
    error = project.refusal()
    assert isinstance(error, Unavailable)
    assert error.message == f"'{project.user}/workflows' cannot be read: Not a directory."


def test_scripts_are_pinned(project: Project) -> None:
    project.write("demo/script.json", '{"b": 1,\n\t"a": [true]}')
    project.write(CONFIG, "cli: s\nclis: {s: {adapter: scripted, script: demo/script.json}}\n")
    project.commit()
    project.write("demo/script.json", "{}")
    assert project.load().clis["s"].script == '{"a":[true],"b":1}'


def test_a_script_of_the_user_is_found_beside_the_config(project: Project) -> None:
    write_user(project, "script.yaml", "a: 1\n")
    write_user(
        project, "config.yaml", "cli: s\nclis: {s: {adapter: scripted, script: script.yaml}}\n"
    )
    assert project.load().clis["s"].script == '{"a":1}'
