"""Every verb is called where a repository and a worker have put programs of well-known names."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

import click
import pytest
from tests.e2e.command import AGENT, Said, User, furnish, make_user
from tests.e2e.kanban_project import FILE, kanban_files
from tests.support.preloaded import Preloaded
from tests.unit.definitions.packs.scene import lie_in, pack, publish

from supervisor_ai.cli.main import supervisor
from supervisor_ai.domain.structs import replace

NAMES: Final = (
    *("git", "gh", "glab", "ssh", "ssh-keygen", "gpg", "repomix", "kingfisher", "git-upload-pack"),
    *("bwrap", "podman", "docker", "newuidmap", "prlimit", "mkfs.ext4", "mount", "e2fsck"),
    *("sh", "env", "python3", "python", "node", "less", "vi", "uname", "gcc", "ldconfig"),
    *("supervisor", "claude", "codex", "gemini", "test"),
)
FOLDERS: Final = (".", "bin", "node_modules/.bin")
NOT_CALLED: Final = {
    ("tui",): "it needs a terminal, and does nothing that another verb does not",
    ("lab", "serve"): "it listens until it is stopped, and starts nothing",
}
STARTED_BY_NAME: Final = 70
"""How a call ends in which an absolute path was not given."""
GH: Final = """\
#!/bin/sh
case "$1 $2" in
"repo view") echo '{"nameWithOwner": "a/b"}' ;;
"pr list") echo '[]' ;;
*) exit 1 ;;
esac
"""
PLAN: Final = """\
feature:
  id: P1
  title: One component
  phases:
    - {id: core, sequence: 1, components: [{id: a, files: [a.txt], depends_on: []}]}
"""
PULLING: Final = """\
name: pulling
description: Implement, commit and open a pull request
initial_step: implement
steps:
  implement:
    role: implementer
    next: commit
  commit:
    type: commit
    next: pull
  pull:
    type: pull_request
    terminal: true
"""
PLANTING: Final = """\
import os as _os
from pathlib import Path as _Path
for _folder in {folders!r}:
    for _name in {names!r}:
        _program = _Path(_folder, _name)
        if not _program.exists() and _os.access(".", _os.W_OK):
            _program.parent.mkdir(parents=True, exist_ok=True)
            _program.write_text({text!r})
            _program.chmod(0o755)
"""


@dataclass
class Stage:
    """A user in a hostile repository, with a PATH that leads into it in every way."""

    user: User
    marks: Path
    called: set[tuple[str, ...]] = field(default_factory=set)

    def call(self, *words: str) -> Said:
        """Call a verb, and say at once where a program was started that must not be."""
        said = self.user.call(*words)
        self.called.add(next(leaf for leaf in leaves() if words[: len(leaf)] == leaf))
        assert not self.marks.exists(), (words, self.marks.read_text(), said.err)
        assert said.code != STARTED_BY_NAME, (words, said.err)
        return said

    def run(self, *words: str) -> str:
        """Start a run to its end; return its name."""
        return str(self.call("run", "Do it", "--yes", "--json", *words).run["id"])


@cache
def leaves() -> tuple[tuple[str, ...], ...]:
    """Name every verb, as the command itself lists them."""
    return tuple(_below(supervisor, ()))


def _below(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if not isinstance(command, click.Group):
        yield path
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        if found := command.get_command(context, name):
            yield from _below(found, (*path, name))


def plant(place: Path, text: str) -> None:
    for folder in FOLDERS:
        (place / folder).mkdir(parents=True, exist_ok=True)
        for name in NAMES:
            (place / folder / name).write_text(text)
            (place / folder / name).chmod(0o755)


@pytest.fixture
def stage(tmp_path: Path, state: Path, preloaded: Preloaded) -> Stage:
    """Plant programs in the checkout, in a linked work tree, and in whatever a worker gets."""
    owner, marks = make_user(tmp_path, state), tmp_path / "marks"
    text = f'#!/bin/sh\necho "$0 $*" >>{marks}\nexit 1\n'
    furnish(owner)
    planting = PLANTING.format(folders=FOLDERS, names=NAMES, text=text)
    role = "extends: implementer\ncontext: {packer: repomix}\n"
    owner.commit(
        {
            "tools/agent.py": AGENT.read_text().replace("def main()", f"{planting}\n\ndef main()"),
            ".gitignore": "node_modules\nbin\n" + "".join(f"/{name}\n" for name in NAMES[1:]),
            ".supervisor/workflows/pulling.yaml": PULLING,
            ".supervisor/roles/packed.yaml": role,
            **kanban_files({"a": "Implementor"}),
        }
    )
    owner.git("remote", "add", "origin", "ssh://git@127.0.0.1:1/a/b.git")
    owner.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    owner.git("config", "commit.gpgsign", "true")
    for place in (owner.repository, tmp_path / "linked", state):
        plant(place, text)
    (tmp_path / "link").symlink_to(owner.repository / "bin")
    (tmp_path / "honest").mkdir()
    (tmp_path / "honest/gh").write_text(GH)
    (tmp_path / "honest/gh").chmod(0o755)
    return Stage(user=hostile(owner, tmp_path, state, preloaded), marks=marks)


def hostile(owner: User, place: Path, state: Path, preloaded: Preloaded) -> User:
    top = owner.repository
    first = ["", ".", "./node_modules/.bin", "bin", f"{place}/linked/bin", f"{place}/link"]
    inside = [f"{top}", f"{top}/bin", f"{top}/../repository/node_modules/.bin", f"{state}/bin"]
    usual = owner.environment["PATH"]
    path = ":".join([*first, *inside, f"{place}/honest", usual, ""])
    environment = {**owner.environment, "PATH": path, "GIT_SSH": "./ssh"}
    return replace(owner, environment=environment, preloaded=preloaded)


def test_the_planted_programs_would_be_seen(stage: Stage) -> None:
    environment = stage.user.environment
    for folder in (stage.user.repository, stage.marks.parent):
        subprocess.run(["git", "version"], cwd=folder, env=environment, check=False)
        assert stage.marks.read_text()
        stage.marks.unlink()


def test_no_verb_starts_what_a_stranger_has_planted(stage: Stage, tmp_path: Path) -> None:
    call, home = stage.call, stage.user.home
    for words in (
        "init --dry-run",
        "doctor",
        "trust --show",
        "sandbox check --backend bubblewrap",
        "completion bash",
    ):
        call(*words.split())
    done = stage.run("--workflow", "standard")
    # Nobody is found who could sign, and nothing is committed without a signature.
    assert call("status", done, "--json").run["status"] == "waiting"
    call("approvals")
    call("comment", done, "README.md:1", "x")
    call("edit", done, "--with", f"README.md={stage.user.repository}/README.md")
    settings = stage.user.repository / ".git/config"
    settings.write_text(settings.read_text().replace("gpgsign = true", "gpgsign = false"))
    call("approve", done, "--drive")
    assert call("status", done, "--json").run["status"] == "completed"
    call("start-task", "Do it", "--workflow", "quick", "--yes")
    call("complete-task", "--yes")
    call("notify", "test")
    stage.run("--workflow", "pulling")
    asked = stage.run("--workflow", "careful")
    call("reject", asked, "--reason", "no", "--drive")
    call("approve", asked, "--drive")
    call("resume", asked)
    call("cancel", stage.run("--workflow", "careful"))
    call("fork", done, "--step", "implement", "--json")
    call("diff", done)
    call("merge", done, "--dry-run")
    stage.run("--workflow", "quick", "--queue")
    call("serve", "--once")
    _look_around(stage, done)
    _at_the_kanban(stage)
    _among_roles(stage, tmp_path, home)
    call("workflow", "migrate", asked, "--yes")
    for words in ("list", "show nothing", "restore nothing", "clean --refs --yes"):
        call("workspace", *words.split())
    _in_a_session(stage)
    for words in (
        *("add conventions/x --rules y --commit", "list", "show x", "search y", "review"),
        *("deprecate x", "promote x --commit", "export --yes"),
    ):
        call("knowledge", *words.split())
    _of_many(stage)
    call("demo")
    assert stage.called | set(NOT_CALLED) == set(leaves())


def _of_many(stage: Stage) -> None:
    """Call what is about many members, tasks or components; whoever stays comes to nothing."""
    for words in (
        *(
            "create t --complexity simple",
            "handoff t",
            "ack t",
            "join t ada --role unified-reviewer",
        ),
        *(
            "send t TASK_ADDED --task 1 --text x",
            "status t",
            "inbox t",
            "list",
            "report t",
            "reconcile t",
        ),
        *("teardown t", "delete t", "serve nowhere --yes"),
    ):
        stage.call("team", *words.split())
    stage.call("loop", "run", "Build it", "--queue", "--yes")
    for words in ("status", "show", "directives", "report", "pause", "resume nothing"):
        stage.call("loop", *words.split())
    stage.user.write({"plan.yaml": PLAN})
    for words in (
        *("load plan.yaml", "list", "show P1", "run P1 --queue --yes", "status P1", "pause P1"),
        *("resume P1", "retry P1 core.a", "skip P1 core.a", "restart P1 core --yes"),
        *(
            "rollback P1 core --dry-run",
            "cancel P1",
            "edit P1",
            "land P1",
            "plan Shop --queue --yes",
        ),
    ):
        stage.call("feature", *words.split())
    stage.call("analyze-deps", "P1", "--yes")
    stage.call("directives")
    for words in ("show P1", "unlock P1 Item --reason x", "lock P1 Item"):
        stage.call("interface", *words.split())


def _in_a_session(stage: Stage) -> None:
    call = stage.call
    call("session", "new", "s", "--pipeline", "spec-only", "--requirement", "x")
    for words in (
        *("list", "show s", "members s", "export s", "import s", "sync s"),
        *("token s --role worker --member ada", "remove-member s ada"),
        *("task list s", "task add s A --subject x", "task update s A --status in_progress"),
    ):
        call("session", *words.split())
    for words in ("log x", "read MSG-001", "list", "status", "broadcast x", "state"):
        call("msg", *words.split())
    call("msg", "delete")
    call("msg", "clear")
    for words in (
        *("request s CHECKPOINT-001 --scope A", "list s", "show s CHECKPOINT-001"),
        *("override s CHECKPOINT-001 --reason x", "run CHECKPOINT-003 --files README.md"),
    ):
        call("checkpoint", *words.split())
    for words in ("install claude --session s --yes", "list", "uninstall claude --yes"):
        call("agents", *words.split())
    call("session", "close", "s")
    call("checkpoint", "serve", "s", "--yes")
    call("mcp", "--session", "s", "--role", "coordinator")


def _look_around(stage: Stage, run: str) -> None:
    for verb in ("events", "logs", "replay", "conflicts"):
        stage.call(verb, run)
    for words in ("list", "claims", "check test", "check test_integrity --base HEAD~1"):
        stage.call("gate", *words.split())
    stage.call("context", "redact", "--second-opinion")
    for role in ("packed", "implementer"):
        stage.call("context", "show", role, "--target", "README.md", "--task", "Read it")
    stage.call("lab", "example")
    stage.call("config", "show", "--origin")
    stage.call("login", "--status")
    stage.call("logout", "claude")
    for words in ("list", "show quick", "graph quick", "validate"):
        stage.call("workflow", *words.split())
    stage.call("worker", "classify", "claude", "--exit-code", "1", "--stdout", "/dev/null")
    for words in ("verify", "rebuild", "show nothing", "erase nothing --reason why --yes"):
        stage.call("ledger", *words.split())


def _at_the_kanban(stage: Stage) -> None:
    for words in ("check", "run", "status", "log"):
        options = ("--yes",) if words == "run" else ()
        stage.call("kanban", words, FILE, *options)
    stage.call("kanban", "new", "Build it", "--yes", "--manager", "builtin")


def _among_roles(stage: Stage, place: Path, home: Path) -> None:
    index = "packs: [{name: desk, version: 1.1.0, path: packs/desk}]\n"
    signed = {"index.yaml": index, "index.yaml.sig": "nobody's\n"}
    publish(place / "market", {**lie_in("packs/desk", pack("desk", "1.1.0")), **signed})
    market = ("--from", str(place / "market.git"))
    stage.call("role", "search", "desk", *market)
    stage.call("role", "install", "desk", *market, "--yes")
    stage.call("role", "update", "desk", "--yes")
    (home / "config").mkdir(exist_ok=True)
    (home / "config/packs.yaml").write_text(f"allowed_signers: {home}/signers\n")
    (home / "signers").write_text("")
    stage.call("role", "search", "desk", *market)
    for words in ("list", "show packed", "diff packed", "validate", "remove desk --yes"):
        stage.call("role", *words.split())
    stage.call("role", "export", "packed", "--to", str(place / "exported"))
    stage.call("role", "import", str(place / "exported"))
