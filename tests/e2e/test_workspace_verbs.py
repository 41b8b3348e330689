"""`supervisor workspace`: what workers left is listed, shown, restored and cleaned up."""

import asyncio
import os
import shutil
import signal
from pathlib import Path

import pytest
from tests.e2e.command import Json, User
from tests.e2e.terminal import Terminal

from supervisor_ai.bootstrap.projects import open_workspaces, read_settings
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId

ESCAPES = "evil\x1b[31m\nname"
WRAPPER = """\
#!/bin/sh
echo "$*" >> {log}
{git} "$@"
code=$?
if [ "$(wc -l < {log})" -eq {last} ]; then kill -KILL $PPID; fi
exit $code
"""


def leave(user: User, run: str, *, attempt: int = 1, files: dict[str, str]) -> Path:
    """Leave a workspace behind, as a process does that dies after its run has ended."""
    room = open_workspaces(user.repository, read_settings(user.environment))
    start = CommitSha(user.git("rev-parse", "main"))
    key = EffectKey(f"{run}/implement/1/1/worker/{attempt}")
    opening = room.workspaces.open(RunId(run), key, fence=9, start=start)
    workspace = asyncio.run(opening)
    for name, text in files.items():
        (workspace.path / name).write_text(text)
    return workspace.path.parent


def done(user: User) -> str:
    """Take a run to its end."""
    said = user.run("--workflow", "quick")
    assert said.code == 0, said.err
    run: str = said.run["id"]
    return run


def works(user: User, run: str) -> list[Json]:
    """List the kept work of a run."""
    listed: list[Json] = user.call("workspace", "list", "--run", run, "--json").json["works"]
    return listed


def test_a_project_without_workspaces(user: User) -> None:
    assert user.call("workspace", "list", "--json").json == {"directories": [], "works": []}
    said = user.call("workspace", "list")
    assert (said.code, said.out) == (0, "")
    assert "no workspace and no kept work" in said.err
    cleaned = user.call("workspace", "clean", "--yes", "--refs", "--json").json
    assert cleaned == {
        "target": "workspaces",
        "applied": False,
        "dry_run": False,
        "detail": "Removed nothing.",
        "items": [],
    }
    for arguments in (("show", "nothing"), ("restore", "nothing"), ("list", "--run", "r1")):
        said = user.call("workspace", *arguments, "--json")
        assert (said.code, said.error["kind"]) == (3, "not_found"), arguments
    assert not (user.repository / ".supervisor/state.db").exists()


def test_the_work_of_a_run_is_kept_listed_and_shown(user: User) -> None:
    run = done(user)
    [work] = works(user, run)
    assert work["ref"] == f"refs/supervisor/{run}/implement/1.1.1"
    assert (work["step"], work["visit"], work["slot"], work["attempt"]) == ("implement", 1, 1, 1)
    assert (work["standing"], work["holder"]) == ("merged", f"refs/heads/ai/{run}-do-it")
    assert work["files"] == 1
    head, line = user.call("workspace", "list").out.splitlines()
    assert head.split()[:2] == ["REF", "COMMIT"]
    assert line.split()[0] == f"{run}/implement/1.1.1"
    said = user.call("workspace", "show", f"{run}/implement/1.1.1")
    assert "added  +1 -0  done.txt" in said.out
    shown = user.call("workspace", "show", work["commit"][:12], "--json").json
    assert shown["workspace"] == work
    assert shown["files"] == [{"path": "done.txt", "change": "added", "added": 1, "deleted": 0}]
    said = user.call("workspace", "clean", "--refs", "--yes", "--json")
    assert {item["fate"] for item in said.json["items"]} == {"removed"}
    assert works(user, run) == []
    assert user.git("for-each-ref", f"refs/supervisor/{run}") == ""


def test_what_was_left_is_kept_before_it_is_removed(user: User) -> None:
    run = done(user)
    left = leave(user, run, attempt=2, files={ESCAPES: "x\n", "README.md": "changed\n"})
    clean = leave(user, run, attempt=3, files={})
    listed = user.call("workspace", "list", "--json").json["directories"]
    assert {it["directory"]: (it["use"], it["dirty"]) for it in listed} == {
        str(left): ("left", True),
        str(clean): ("left", False),
    }
    shown = user.call("workspace", "show", str(left)).out
    assert "\x1b" not in shown
    assert "evil\\x1b[31m\\nname" in shown
    refused = user.call("workspace", "clean", "--json")
    assert (refused.code, refused.error["kind"]) == (2, "invalid")
    young = user.call("workspace", "clean", "--older-than", "1d", "--yes", "--json").json
    assert (young["applied"], {it["reason"] for it in young["items"]}) == (
        False,
        {"it is too young"},
    )
    previewed = user.call("workspace", "clean", "--dry-run", "--json").json
    assert (previewed["applied"], previewed["dry_run"]) == (False, True)
    assert left.is_dir()
    assert clean.is_dir()
    cleaned = user.call("workspace", "clean", "--yes", "--json").json
    assert cleaned["applied"]
    assert cleaned["detail"] == "Removed 2 directories, 1 run's copies."
    refs = {item["name"]: item["ref"] for item in cleaned["items"]}
    kept = f"refs/supervisor/{run}/implement/1.1.2"
    assert refs == {str(left): kept, str(clean): None, str(left.parents[1]): None}
    assert not left.parents[1].exists()
    assert user.git("show", f"{kept}:{ESCAPES}") == "x"
    again = user.call("workspace", "clean", "--refs", "--yes").out
    assert "no branch has this work" in again
    assert user.git("show", f"{kept}:README.md") == "changed"


def test_kept_work_is_restored_to_a_branch_or_a_directory(user: User, tmp_path: Path) -> None:
    run = done(user)
    leave(user, run, attempt=2, files={"rescue.txt": "me\n"})
    assert user.call("workspace", "clean", "--yes").code == 0
    name = f"{run}/implement/1.1.2"
    before = (user.git("status", "--porcelain"), user.git("rev-parse", "HEAD"))
    tried = user.call("workspace", "restore", name, "--dry-run", "--json").json
    assert (tried["applied"], tried["dry_run"]) == (False, True)
    for number in (1, 2):
        branch = f"restored/{run}-implement-{number}"
        made = user.call("workspace", "restore", name, "--json").json
        assert (made["target"], made["applied"]) == (branch, True)
        assert user.git("show", f"{branch}:rescue.txt") == "me"
    said = user.call("workspace", "restore", name, "--branch", "main", "--json")
    assert (said.code, said.error["kind"]) == (4, "conflict")
    assert user.call("workspace", "restore", name, "--branch", "rescue").code == 0
    assert user.git("rev-parse", "rescue") == user.git("rev-parse", f"refs/supervisor/{name}")
    place = tmp_path / "rescued"
    assert user.call("workspace", "restore", name, "--to", str(place)).code == 0
    assert (place / "rescue.txt").read_text() == "me\n"
    said = user.call("workspace", "restore", name, "--to", str(place), "--json")
    assert (said.code, said.error["kind"]) == (4, "conflict")
    said = user.call("workspace", "restore", name, "--to", "inside", "--json")
    assert (said.code, said.error["kind"]) == (2, "invalid")
    refused = {
        ("--branch", "main"): 4,
        ("--branch", "main/below"): 4,
        ("--branch", "a..b"): 2,
        ("--to", str(place)): 4,
        ("--to", "inside"): 2,
        ("--to", str(tmp_path / "missing" / "place")): 3,
    }
    for arguments, code in refused.items():
        for more in ((), ("--dry-run",)):
            said = user.call("workspace", "restore", name, *arguments, *more)
            assert said.code == code, (arguments, more, said.err)
    said = user.call("workspace", "restore", name, "--to", "x", "--branch", "y", "--json")
    assert (said.code, said.error["kind"]) == (2, "invalid")
    assert (user.git("status", "--porcelain"), user.git("rev-parse", "HEAD")) == before


def test_what_a_run_still_needs_stays(user: User) -> None:
    said = user.run("--workflow", "careful")
    assert said.code == 5, said.err
    run = said.run["id"]
    left = leave(user, run, attempt=7, files={"new.txt": "x\n"})
    cleaned = user.call("workspace", "clean", "--refs", "--yes", "--json").json
    assert not cleaned["applied"]
    assert {item["fate"] for item in cleaned["items"]} == {"stays"}
    assert all("has not ended" in item["reason"] for item in cleaned["items"])
    assert (left / "tree" / "new.txt").exists()
    [directory] = user.call("workspace", "list", "--json").json["directories"]
    assert directory["use"] == "unfinished"


def test_what_could_not_be_removed_is_a_failure(user: User) -> None:
    left = leave(user, "r1", files={"work.txt": "words\n"})
    (left / "trusted.git" / "HEAD").write_text("nonsense\n")
    said = user.call("workspace", "clean", "--yes", "--json")
    assert said.code == 1
    assert {item["kind"]: item["fate"] for item in said.json["items"]} == {
        "directory": "failed",
        "run": "stays",
    }
    said = user.call("workspace", "clean", "--yes")
    assert said.code == 1
    assert said.out.startswith("FAILED  directory  ")
    assert "1 could not be removed." in said.out
    assert (left / "tree" / "work.txt").read_text() == "words\n"
    assert user.call("workspace", "clean", "--dry-run").code == 0
    said = user.call("workspace", "restore", str(left), "--json")
    assert (said.code, said.error["kind"]) == (2, "invalid")
    assert "is a directory" in said.error["message"]


def test_at_a_terminal_one_is_shown_what_goes_and_asked(user: User) -> None:
    left = leave(user, "r1", files={"work.txt": "words\n"})
    terminal = Terminal(user, "workspace", "clean")
    terminal.wait_for("Proceed? [y/N]")
    assert "would go  directory" in terminal.seen
    terminal.type("n\n")
    assert terminal.wait() == 1
    assert "Nothing was removed." in terminal.seen
    assert left.is_dir()
    terminal = Terminal(user, "workspace", "clean")
    terminal.wait_for("Proceed? [y/N]")
    terminal.type("y\n")
    assert terminal.wait() == 0
    assert not left.exists()
    assert user.git("show", "refs/supervisor/r1/implement/1.1.1:work.txt") == "words"


def test_a_duration_that_is_none_is_refused(user: User) -> None:
    said = user.call("workspace", "clean", "--older-than", "long", "--json")
    assert (said.code, said.error["kind"]) == (2, "invalid")
    assert "14d" in said.error["message"] or "duration" in said.error["message"]


def test_a_process_that_dies_while_it_cleans_up_loses_nothing(user: User, tmp_path: Path) -> None:
    """Kill it after every single call of git; the work is in its directory or under a ref."""
    git = shutil.which("git")
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    path = f"{wrapper.parent}{os.pathsep}{user.environment['PATH']}"
    left = leave(user, "r1", files={"work.txt": "words\n"})
    ref = "refs/supervisor/r1/implement/1.1.1"
    seen = set()
    for last in range(1, 100):
        log = tmp_path / f"log{last}"
        wrapper.write_text(WRAPPER.format(log=log, git=git, last=last))
        wrapper.chmod(0o755)
        said = user.call("workspace", "clean", "--yes", "--json", PATH=path)
        is_kept = bool(user.git("for-each-ref", ref))
        seen.add((is_kept, left.exists()))
        if is_kept:
            assert user.git("show", f"{ref}:work.txt") == "words"
        else:
            assert (left / "tree" / "work.txt").read_text() == "words\n"
        if said.code == 0:
            break
        assert said.code == -signal.SIGKILL
    else:
        pytest.fail("It never came to its end.")
    assert seen == {(False, True), (True, True), (True, False)}
    assert not left.parents[1].exists()
    assert user.call("workspace", "clean", "--refs", "--yes").code == 0
    assert user.git("for-each-ref", "--format=%(refname)", "refs/supervisor").split() == [ref]
