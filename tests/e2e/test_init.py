"""A project's first settings: found by reading, tried in the sandbox, written once."""

import re
import subprocess
from pathlib import Path

import pytest
from tests.e2e.command import User
from tests.e2e.small_shop import SHOP
from tests.e2e.terminal import Terminal
from tests.unit.definitions.detection.layouts import layout

CONFIG = ".supervisor/config.yaml"
IGNORED = ".supervisor/.gitignore"


@pytest.fixture
def owner(newcomer: User) -> User:
    """Give a user with a program called claude and no other agent."""
    programs = newcomer.home / "bin"
    programs.mkdir()
    (programs / "claude").write_text("#!/bin/sh\nexit 1\n")
    (programs / "claude").chmod(0o755)
    newcomer.environment["PATH"] = f"{programs}:/usr/bin:/bin"
    return newcomer


@pytest.mark.parametrize("name", ["empty", "java-gradle", "monorepo", "terraform-k8s"])
def test_what_is_written_can_be_run_at_once(name: str, owner: User) -> None:
    owner.commit(layout(name))
    said = owner.call("init", "--yes", "--no-try")
    assert said.code == 0, said.err
    assert f"{CONFIG}: written\n{IGNORED}: written\n" in said.out
    owner.commit()
    shown = owner.call("workflow", "show", "--json")
    assert shown.code == 0, shown.out
    assert {role["cli"] for role in shown.json["definition"]["roles"].values()} == {"claude"}
    assert owner.git("status", "--porcelain") == ""


def test_nothing_is_overwritten(owner: User) -> None:
    owner.commit(layout("python-uv") | {CONFIG: "cli: codex\n"})
    first = owner.call("init", "--yes", "--no-try", "--json").json
    assert first["applied"] is True
    states = [(file["path"], file["state"]) for file in first["files"]]
    assert states == [(CONFIG, "kept"), (IGNORED, "written")]
    assert (owner.repository / CONFIG).read_text() == "cli: codex\n"
    again = owner.call("init", "--yes", "--no-try", "--json").json
    assert (again["applied"], [file["state"] for file in again["files"]]) == (
        False,
        ["kept", "kept"],
    )
    assert "Next:" not in owner.call("init", "--yes").out


def test_a_dry_run_writes_nothing(owner: User) -> None:
    owner.commit(layout("monorepo"))
    said = owner.call("init", "--dry-run", "--json").json
    assert [file["state"] for file in said["files"]] == ["would be written", "would be written"]
    assert (said["applied"], said["dry_run"]) == (False, True)
    assert said["packs"] == ["backend", "web"]
    gates = {gate["name"]: gate["command"] for gate in said["survey"]["gates"]}
    assert gates["test_backend"] == ["env", "-C", "backend", "python3", "-m", "pytest"]
    [database, _] = said["survey"]["services"]
    assert database["evidence"][0] == {
        "file": "docker-compose.yml",
        "line": 3,
        "key": "services.db.image",
    }
    assert not (owner.repository / ".supervisor").exists()


def test_the_new_files_are_committed_at_the_users_word_and_nothing_else(owner: User) -> None:
    first = owner.commit(layout("python-uv"))
    owner.write({"mine.txt": "mine\n", "staged.txt": "staged\n"})
    owner.git("add", "staged.txt")
    said = owner.call("init", "--yes", "--no-try", "--commit", "--json").json
    assert said["committed"] == {"branch": "main", "commit": owner.git("rev-parse", "HEAD")}
    assert owner.git("rev-parse", "HEAD~1") == first
    assert owner.git("diff", "--name-only", first, "HEAD").split() == [IGNORED, CONFIG]
    assert owner.git("status", "--porcelain").splitlines() == ["A  staged.txt", "?? mine.txt"]
    again = owner.call("init", "--yes", "--no-try", "--commit", "--json").json
    assert again["committed"] is None


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (["checkout", "--quiet", "--detach"], "No branch with a commit is checked out here."),
        (["update-ref", "MERGE_HEAD", "HEAD"], "A merge is under way in "),
    ],
)
def test_what_cannot_be_committed_is_the_users_to_commit(
    prepare: list[str], words: str, owner: User
) -> None:
    first = owner.commit(layout("python-uv"))
    owner.git(*prepare)
    said = owner.call("init", "--yes", "--no-try", "--commit")
    assert said.code == 0, said.err
    assert words in said.err
    assert "git add .supervisor && git commit" in said.out
    assert owner.git("rev-parse", "HEAD") == first


@pytest.mark.parametrize("ignored", [".supervisor/\n", ".*\n!.gitignore\n"])
def test_settings_that_git_ignores_are_committed_when_the_user_says_so(
    ignored: str, owner: User
) -> None:
    owner.commit({**layout("python-uv"), ".gitignore": ignored})
    said = owner.call("init", "--yes", "--no-try")
    [offered] = [line for line in said.out.splitlines() if "git add" in line]
    pasted = ["sh", "-c", offered.strip()]
    subprocess.run(pasted, check=True, cwd=owner.repository, env=owner.environment)
    named = owner.git("ls-files", ".supervisor")
    owner.git("rm", "-r", "--quiet", ".supervisor")
    owner.commit()
    owner.call("init", "--yes", "--no-try")
    said = owner.call("init", "--yes", "--commit")
    assert "Committed on" in said.err
    assert owner.git("ls-files", ".supervisor") == named
    assert "Committed on" not in owner.call("init", "--yes", "--commit").err
    assert owner.git("status", "--porcelain") == ""


def test_a_refused_run_leaves_nothing_behind(owner: User) -> None:
    owner.commit({"f": "x"})
    assert owner.call("run", "x", "--cli", "claude", "--yes").code == 6
    assert not (owner.repository / ".supervisor").exists()
    assert "Git ignores" not in owner.call("init", "--yes", "--no-try").err


def test_a_pipe_is_not_asked(owner: User) -> None:
    owner.commit(layout("vue"))
    said = owner.call("init", "--json")
    assert (said.code, said.error["kind"]) == (2, "invalid")
    assert "--yes" in said.error["hint"]
    assert not (owner.repository / ".supervisor").exists()


def test_packs_can_be_chosen(owner: User) -> None:
    owner.commit(layout("vue"))
    wrong = owner.call("init", "--pack", "wbe", "--json")
    assert (wrong.code, wrong.error["kind"]) == (3, "not_found")
    assert owner.call("init", "--no-try", "--pack", "cli", "--pack", "web").code == 0
    assert 'packs: ["cli", "web"]' in (owner.repository / CONFIG).read_text()


def test_files_that_git_ignores_say_nothing_and_new_ones_do(owner: User) -> None:
    owner.commit({".gitignore": "ignored/\n"})
    owner.write({"ignored/Cargo.toml": "[package]\n", "go.mod": "module a\n"})
    assert owner.call("init", "--dry-run", "--json").json["packs"] == ["go"]


def test_the_project_is_looked_at_from_its_top_and_before_its_first_commit(owner: User) -> None:
    owner.write(layout("rust-workspace"))
    said = owner.call("-C", "crates/tool", "init", "--yes", "--no-try", "--json").json
    assert said["packs"] == ["cli", "rust"]
    assert (owner.repository / CONFIG).exists()


def test_what_works_in_the_sandbox_is_written_and_notices_a_broken_product(owner: User) -> None:
    owner.commit(SHOP)
    said = owner.call("init", "--yes", "--json").json
    tried = [(it["command"][-1], it["works"]) for it in said["trials"]["trials"]]
    assert ("test", False) in tried
    assert said["trials"]["sandbox"] == "bubblewrap"
    assert "no test ran" in said["trials"]["trials"][0]["reason"]
    config = (owner.repository / CONFIG).read_text()
    assert '"PYTHONPATH": "{workspace}/src:{workspace}"' in config
    assert ": 1 test\n" in config
    assert '"make"' not in config
    owner.commit()
    owner.environment["SUPERVISOR_TRUST"] = "1"
    green = owner.call("gate", "check", "test", "--json").json["check"]
    assert (green["verdict"], green["tests"]) == ("passed", 1)
    owner.commit({"src/shop/__init__.py": "def price(n):\n    return 2 * n\n"})
    assert owner.call("gate", "check", "test", "--json").json["check"]["verdict"] == "failed"


def test_what_does_not_work_is_shown_with_its_cause_and_not_written(owner: User) -> None:
    owner.commit(
        {"shop.py": "import lefthand\n", "tests/test_price.py": SHOP["tests/test_price.py"]}
    )
    said = owner.call("init", "--yes")
    assert "the module 'lefthand' is not installed in the sandbox" in said.out
    assert "  │ ModuleNotFoundError: No module named 'lefthand'" in said.out
    assert "\n  test:" not in (owner.repository / CONFIG).read_text()
    assert "gate check test" in said.out


def test_what_head_says_of_a_sandbox_needs_trust(owner: User) -> None:
    owner.commit({**SHOP, CONFIG: "sandbox: {ro_paths: [/opt]}\n"})
    (owner.repository / CONFIG).unlink()
    owner.environment["SUPERVISOR_TRUST"] = "0"
    said = owner.call("init", "--yes", "--json").json
    assert (said["trials"], "sandbox.ro_paths" in said["untried"]) == (None, True)


def test_nobody_is_sent_to_run_a_task_without_an_agent(owner: User) -> None:
    (owner.home / "bin/claude").unlink()
    owner.commit(SHOP)
    said = owner.call("init", "--yes", "--no-try")
    assert "The gates were not tried (--no-try)." in said.out
    assert " run " not in said.out
    assert "supervisor doctor" in said.out


def test_outside_of_the_sandbox_nothing_of_the_project_is_run(owner: User) -> None:
    trap = "touch pwned\n"
    owner.commit(
        {
            "Makefile": f"X := $(shell {trap.strip()})\ntest:\n\t{trap}",
            "setup.py": f"import os; os.system('{trap.strip()}')",
            "noxfile.py": f"import os; os.system('{trap.strip()}')\ndef tests(session): ...\n",
        }
    )
    hook = owner.repository / ".git/hooks/fsmonitor"
    hook.write_text(f"#!/bin/sh\n{trap}")
    hook.chmod(0o755)
    owner.git("config", "core.fsmonitor", str(hook))
    assert owner.call("init", "--yes").code == 0
    assert not (owner.repository / "pwned").exists()


def test_a_link_in_place_of_the_directory_is_refused(owner: User, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    owner.commit({"README.md": ""})
    (owner.repository / ".supervisor").symlink_to(elsewhere)
    said = owner.call("init", "--yes", "--json")
    assert (said.code, said.error["kind"]) == (7, "denied")
    assert not list(elsewhere.iterdir())


def test_escapes_in_names_do_not_reach_the_terminal(owner: User) -> None:
    owner.commit({"a\x1b[2J/package.json": '{"dependencies": {"react": "1"}}'})
    said = owner.call("init", "--yes", "--no-try")
    assert said.code == 0
    assert "\x1b" not in said.err + (owner.repository / CONFIG).read_text()


@pytest.mark.parametrize(
    ("typed", "packs"),
    [(("y",), '["backend", "web"]'), (("n", "web, cli"), '["web", "cli"]'), (("n", ""), "[]")],
)
def test_a_person_is_asked_which_packs_to_enable(
    typed: tuple[str, ...], packs: str, owner: User
) -> None:
    owner.commit(layout("monorepo"))
    terminal = Terminal(owner, "init", "--no-try")
    terminal.wait_for("Enable selected packs? [Y/n]")
    assert re.search(
        r"\[x\] Backend API \(backend_dev, .*db_optimizer\) - pack backend: ", terminal.seen
    )
    assert "[ ] Data Pipeline (disabled - no pandas/airflow detected) - data" in terminal.seen
    terminal.type(f"{typed[0]}\n")
    for answer in typed[1:]:
        terminal.wait_for("Which ones")
        terminal.type(f"{answer}\n")
    terminal.wait_for("Commit these files?")
    terminal.type("n\n")
    assert terminal.wait() == 0
    assert f"packs: {packs}\n" in (owner.repository / CONFIG).read_text()
    assert "Committed on " not in terminal.seen
