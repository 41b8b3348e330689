"""The git flow in all surroundings: a task on a branch of its own, completed by a person."""

import subprocess
from pathlib import Path

import pytest
from tests.e2e.command import Said, User, until
from tests.support.processes import PATIENCE

CONFIG = ".supervisor/config.yaml"
BRANCH = "ai/task-001-add-it"
LATER = "git: {branch_pattern: 'ai/{task_id}-{description}'}\n"


def configure(user: User, git: str) -> str:
    text = (user.repository / CONFIG).read_text()
    return user.commit({CONFIG: f"{text}{git}"})


def start(user: User, task: str = "Add it", *more: str) -> str:
    said = user.call("start-task", task, "--workflow", "quick", "--yes", "--json", *more)
    assert said.code == 5, said
    found: str = said.run["id"]
    return found


def complete(user: User, *arguments: str) -> Said:
    return user.call("complete-task", *arguments, "--yes", "--json")


def refused(said: Said, words: str) -> None:
    """Say no with a reason, and say that the work is kept."""
    assert said.code == 4, said
    assert words in said.error["message"]
    assert "The work is committed as" in said.err
    assert "complete-task" in said.err


def test_no_checkout_is_touched_that_is_not_clean_and_nothing_is_lost(
    user: User, tmp_path: Path
) -> None:
    """One task that is completed again and again: whatever is in the way, nothing changes."""
    base = configure(user, LATER)
    assert user.call("start-task", "Add it", "--workflow", "quick").code == 2
    run = start(user)
    assert user.git("rev-parse", BRANCH, "main").split() == [base, base]
    only_a_person_completes(user, run)
    landed = not_in_a_dirty_checkout(user, base)
    not_through_a_filter(user)
    not_onto_a_base_that_moved(user)
    not_into_another_work_tree(user, tmp_path / "linked")
    there_it_works(user, tmp_path / "linked", landed)
    again = complete(user, run)
    assert (again.code, again.json["merge"]["applied"]) == (0, False)
    assert complete(user).code == 3
    assert user.types(run).count("IntegrationLanded") == 1


def only_a_person_completes(user: User, run: str) -> None:
    approved = user.call("approve", run, "--json")
    assert (approved.code, approved.error["kind"]) == (4, "conflict")
    assert "complete-task" in approved.error["hint"]
    assert user.call("complete-task").code == 2
    shown = user.call("complete-task", "--dry-run").out
    assert shown.splitlines()[1:] == [
        "  Commit: feat(done): Add it",
        "  Files: done.txt",
        "  Merge target: main",
    ]


def not_in_a_dirty_checkout(user: User, base: str) -> str:
    (user.repository / "README.md").write_text("Mine.\n")
    status = user.git("status", "--porcelain")
    assert "main stays where it is: Your checkout" in user.call("complete-task", "--dry-run").out
    refused(complete(user), "'README.md'")
    landed = user.git("rev-parse", BRANCH)
    assert landed != base
    assert (user.git("rev-parse", "main"), user.git("status", "--porcelain")) == (base, status)
    assert (user.repository / "README.md").read_text() == "Mine.\n"
    user.git("checkout", "--", "README.md")
    return landed


def not_through_a_filter(user: User) -> None:
    """As LFS has one: what it would write is a pointer in the commit."""
    user.git("config", "filter.lfs.smudge", "git-lfs smudge -- %f")
    user.commit({".gitattributes": "*.txt filter=lfs\n"})
    refused(complete(user), "A filter writes 'done.txt'")
    user.git("config", "--unset", "filter.lfs.smudge")


def not_onto_a_base_that_moved(user: User) -> None:
    before = user.commit({"done.txt": "Mine.\n"})
    conflict = complete(user)
    refused(conflict, "done.txt")
    assert "git merge" in conflict.error["hint"]
    assert user.git("rev-parse", "main") == before
    user.git("reset", "--hard", "--quiet", "HEAD~1")
    refused(complete(user, "--ff"), "has moved on since the run began")


def not_into_another_work_tree(user: User, linked: Path) -> None:
    user.git("switch", "--quiet", "--create", "side")
    user.git("worktree", "add", "--quiet", str(linked), "main")
    moved = user.git("rev-parse", "main")
    refused(complete(user), "is checked out in")
    assert user.git("rev-parse", "main") == moved


def there_it_works(user: User, linked: Path, landed: str) -> None:
    """The base has moved, so it is a merge commit; other checkouts stay as they are."""
    here, moved = user.git("rev-parse", "HEAD", "main").split()
    merged = user.call("-C", str(linked), "complete-task", "--yes", "--json")
    assert merged.code == 0, merged
    assert merged.json["merge"]["kind"] == "merge"
    assert user.git("rev-parse", "main^1", "main^2").split() == [moved, landed]
    assert (linked / "done.txt").exists()
    assert user.git("-C", str(linked), "status", "--porcelain") == ""
    assert user.git("rev-parse", "HEAD") == here
    assert not (user.repository / "done.txt").exists()


def test_a_detached_head_has_no_target_and_two_tasks_are_told_apart(user: User) -> None:
    base = configure(user, "git: {auto_branch: false}\n")
    user.git("checkout", "--quiet", "--detach")
    first = start(user, "Add the first")
    assert user.git("branch", "--list", "ai/*") == ""
    second = start(user, "Add the second", "--base", "main")
    both = complete(user)
    assert (both.code, both.error["kind"]) == (2, "invalid")
    assert first in both.error["message"]
    assert second in both.error["message"]
    said = complete(user, first)
    assert (said.code, said.json["merge"]) == (0, None)
    assert user.git("rev-parse", "main", "HEAD").split() == [base, base]
    assert user.git("rev-parse", said.run["branch"]) == said.run["commit"]
    # The other one is the only one now; its target is not checked out, so its ref alone moves.
    squashed = complete(user, "--squash")
    assert squashed.json["merge"]["kind"] == "squash"
    assert user.git("log", "--format=%s", f"{base}..main") == "feat(done): Add the second"
    assert user.git("rev-parse", "HEAD") == base
    assert not (user.repository / "done.txt").exists()


def test_submodules_stay_and_a_protected_branch_is_not_moved(user: User, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    for command in (
        ("init", "--quiet", str(inner)),
        ("-C", str(inner), "commit", "--quiet", "--allow-empty", "--message", "inner"),
    ):
        named = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        subprocess.run(["git", *named, *command], env=user.environment, check=True)
    allowed = ("-c", "protocol.file.allow=always")
    user.git(*allowed, "submodule", "--quiet", "add", str(inner), "inner")
    base = configure(user, "git: {protected_branches: [main]}\n")
    (user.repository / "inner" / "mine").write_text("Mine.\n")
    run = start(user)
    said = complete(user)
    assert (said.code, said.error["kind"]) == (7, "denied")
    assert "pull request" in said.error["hint"]
    assert user.git("rev-parse", "main") == base
    user.git("switch", "--quiet", "--create", "dev")
    merged = complete(user, run, "--into", "dev")
    assert merged.json["merge"]["kind"] == "fast_forward"
    assert user.git("rev-parse", "dev", "main").split() == [merged.run["commit"], base]
    assert (user.repository / "inner" / "mine").read_text() == "Mine.\n"
    assert user.git("status", "--porcelain", "--ignore-submodules=dirty") == ""


def test_a_run_that_does_not_commit_by_itself_waits_and_can_be_sent_back(user: User) -> None:
    config = user.repository / CONFIG
    config.write_text(config.read_text().replace("step_max_retries: 0", "step_max_retries: 1"))
    base = configure(user, "git: {auto_commit: false, dry_run_preview: false}\n")
    said = user.run("--workflow", "quick")
    assert said.code == 5
    run = said.run["id"]
    shown = user.call("status", run).out
    assert f"complete-task {run}" in shown
    back = user.call("reject", run, "--reason", "More.", "--drive", "--json")
    assert (back.code, back.run["steps"][0]["visits"]) == (5, 2)
    # Without a preview nobody is asked, so that no terminal is needed.
    done = user.call("complete-task", "--json")
    assert done.code == 0, done
    assert user.git("rev-parse", "main~1") == base


def test_a_failed_task_says_how_to_get_its_work_back(user: User) -> None:
    configure(user, LATER)
    user.script(review=["reject"])
    said = user.call("start-task", "Add it", "--workflow", "reviewed", "--yes")
    assert said.code == 1
    assert "workspace restore REF makes a branch of it" in said.out
    run = user.newest()
    assert run is not None
    tried = complete(user, run["id"])
    assert (tried.code, tried.error["kind"]) == (4, "conflict")
    assert "workspace restore" in tried.error["hint"]
    works = user.call("workspace", "list", "--run", run["id"], "--json").json["works"]
    [ref] = [work["ref"] for work in works if work["step"] == "implement"]
    back = user.call("workspace", "restore", ref, "--branch", "rescue")
    assert back.code == 0
    assert user.git("show", "rescue:done.txt") == "implement 0 well"


def test_whoever_waits_with_a_task_may_land_it(user: User) -> None:
    base = configure(user, LATER)
    task = ("start-task", "Add it", "--workflow", "quick", "--yes", "--json", "--wait")
    with user.start(*task) as waiting:
        until(lambda: (user.newest() or {}).get("status") == "waiting", "the wait")
        said = complete(user)
        assert said.code == 0, said
        assert waiting.wait(timeout=PATIENCE) == 0
    assert user.git("rev-parse", "main~1") == base
    assert user.types(said.run["id"]).count("IntegrationLanded") == 1


def make_key(user: User, passphrase: str) -> Path:
    key = user.home / "key"
    made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "ada", "-f", str(key)]
    subprocess.run(made, env=user.environment, check=True)
    public = key.with_suffix(".pub")
    (user.home / "signers").write_text(f"ada@example.org {public.read_text()}")
    user.git("config", "commit.gpgsign", "true")
    user.git("config", "gpg.format", "ssh")
    user.git("config", "user.signingkey", str(public))
    user.git("config", "gpg.ssh.allowedSignersFile", str(user.home / "signers"))
    return key


def test_a_commit_waits_for_a_key_that_is_locked_and_is_never_made_without_it(user: User) -> None:
    user.environment.pop("SSH_AUTH_SOCK", None)
    key = make_key(user, "secret")
    said = user.run("--workflow", "quick")
    assert said.code == 5, said
    run = said.run["id"]
    shown = user.call("status", run).out
    assert "could not be signed" in shown
    assert "ssh-add" in shown
    assert user.git("branch", "--list", "ai/*") == ""
    # Somebody who only says yes gets no further, and nothing unsigned.
    assert user.call("approve", run, "--drive", "--json").code == 5
    unlock = ["ssh-keygen", "-q", "-p", "-P", "secret", "-N", "", "-f", str(key)]
    subprocess.run(unlock, env=user.environment, check=True, capture_output=True)
    done = user.call("approve", run, "--drive", "--json")
    assert done.code == 0, done
    assert user.git("log", "-1", "--format=%G?", done.run["commit"]) == "G"
    merged = user.call("merge", run, "--merge", "--json")
    assert merged.code == 0, merged
    assert user.git("log", "-1", "--format=%G? %GS", "main") == "G ada@example.org"


def test_a_commit_waits_for_a_certificate_that_is_locked(user: User) -> None:
    program, pin = user.home / "my-gpgsm", user.home / "pin"
    program.write_text(
        f"#!/bin/sh\ncat >/dev/null\n[ -e {pin} ] || {{ echo 'gpgsm: Bad PIN' >&2; exit 2; }}\n"
        "echo '[GNUPG:] SIG_CREATED D' >&2\n"
        "printf -- '-----BEGIN SIGNED MESSAGE-----\\nx\\n-----END SIGNED MESSAGE-----\\n'\n"
    )
    program.chmod(0o755)
    user.git("config", "commit.gpgsign", "true")
    user.git("config", "gpg.format", "x509")
    user.git("config", "gpg.x509.program", str(program))
    task = ("start-task", "Do it", "--workflow", "quick", "--yes", "--json")
    run = user.call(*task).run["id"]
    said = complete(user, run)
    assert said.code == 5, said
    assert "could not be signed" in user.call("status", run).out
    branch = said.run["branch"]
    assert user.git("rev-parse", branch) == user.git("rev-parse", "main")
    pin.touch()
    done = complete(user, run, "--merge")
    assert done.code == 0, done
    assert "BEGIN SIGNED MESSAGE" in user.git("cat-file", "commit", branch)
    assert user.git("rev-parse", "main^2") == user.git("rev-parse", branch)
    assert "BEGIN SIGNED MESSAGE" in user.git("cat-file", "commit", "main")


SQUASHED = "git: {merge_strategy: squash}\n"
PROTECTED = "git: {protected_branches: [main]}\n"


def migrated(user: User, run: str, git: str) -> None:
    configure(user, git)
    assert user.call("workflow", "migrate", run, "--yes").code == 0


@pytest.mark.parametrize("is_taken_in", [True, False])
def test_a_task_is_merged_as_the_definition_says_that_it_went_over_to(
    user: User, *, is_taken_in: bool
) -> None:
    run = start(user)
    migrated(user, run, SQUASHED)
    if is_taken_in:
        assert user.call("resume", run).code == 5
    before = user.git("rev-parse", "main")
    done = complete(user, run)
    assert done.code == 0, done
    assert done.json["merge"]["kind"] == "squash"
    assert user.git("log", "-1", "--format=%P", "main") == before


@pytest.mark.parametrize("is_taken_in", [True, False])
def test_a_branch_that_became_protected_is_not_moved(user: User, *, is_taken_in: bool) -> None:
    run = start(user)
    migrated(user, run, PROTECTED)
    if is_taken_in:
        assert user.call("resume", run).code == 5
    shown = user.call("complete-task", run, "--dry-run").out
    assert "is protected here" in shown
    before = user.git("rev-parse", "main")
    assert complete(user, run).code == 7
    assert user.git("rev-parse", "main") == before
    assert user.types(run).count("IntegrationLanded") == 1
    assert user.call("merge", run).code == 7


def test_a_task_that_goes_over_to_another_definition_still_waits_to_be_completed(
    user: User,
) -> None:
    task = ("start-task", "Do it", "--workflow", "careful", "--yes", "--json")
    run = user.call(*task).run["id"]
    migrated(user, run, SQUASHED)
    assert user.call("approve", run, "--drive").code == 5
    assert user.types(run).count("IntegrationLanded") == 0
    assert complete(user, run).code == 0
