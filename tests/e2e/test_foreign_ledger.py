"""Whatever lies in a checkout is the repository's word: no verb believes a ledger found there."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from tests.e2e.command import User, make_user
from tests.e2e.foreign_ledger import Stranger, Upstream, content, make_victim, upstream
from tests.support.preloaded import Preloaded

from supervisor_ai.cli.main import supervisor

ASKING = {
    "approvals": (),
    "approve": ("last", "--drive"),
    "comment": ("last", "README.md:1", "x"),
    "complete-task": ("--yes",),
    "edit": ("last", "README.md"),
    "cancel": ("last",),
    "conflicts": ("last",),
    "diff": ("last",),
    "events": ("last",),
    "fork": ("last", "--at", "implement"),
    "gate check": ("test",),
    "gate claims": (),
    "kanban check": ("tasks/0-kanban-x.md",),
    "kanban log": ("tasks/0-kanban-x.md",),
    "kanban new": ("Do it", "--yes"),
    "kanban run": ("tasks/0-kanban-x.md", "--yes"),
    "kanban status": ("tasks/0-kanban-x.md",),
    "knowledge add": ("conventions/x", "--rules", "x"),
    "knowledge deprecate": ("x",),
    "knowledge export": ("--yes",),
    "knowledge list": (),
    "knowledge promote": ("x",),
    "knowledge review": (),
    "knowledge search": ("x",),
    "knowledge show": ("x",),
    "ledger erase": ("0" * 64, "--reason", "x", "--yes"),
    "ledger rebuild": (),
    "ledger show": ("0" * 64,),
    "ledger verify": (),
    "logs": ("last",),
    "merge": ("last",),
    "reject": ("last", "--reason", "no", "--drive"),
    "replay": ("last",),
    "resume": ("last",),
    "run": ("Do it", "--workflow", "quick", "--cli", "claude", "--yes"),
    "serve": ("--once",),
    "start-task": ("Do it", "--workflow", "quick", "--cli", "claude", "--yes"),
    "status": (),
    "workflow migrate": ("last",),
    "analyze-deps": ("P1",),
    "interface show": ("P1",),
    "interface unlock": ("P1", "Item", "--reason", "x"),
    "interface lock": ("P1", "Item"),
    "feature cancel": ("P1",),
    "feature land": ("P1",),
    "feature edit": ("P1",),
    "feature list": (),
    "feature load": ("plan.yaml",),
    "feature pause": ("P1",),
    "feature plan": ("x", "--yes"),
    "feature restart": ("P1", "a", "--yes"),
    "feature rollback": ("P1", "a", "--yes"),
    "feature resume": ("P1",),
    "feature retry": ("P1", "a"),
    "feature run": ("P1", "--yes"),
    "feature show": ("P1",),
    "feature skip": ("P1", "a"),
    "feature status": ("P1",),
    "directives": (),
    "loop directives": (),
    "loop pause": (),
    "loop report": (),
    "loop resume": (),
    "loop run": ("x", "--yes"),
    "loop show": (),
    "loop status": (),
    "team ack": ("t",),
    "team create": ("t", "--complexity", "simple"),
    "team delete": ("t",),
    "team handoff": ("t",),
    "team inbox": ("t",),
    "team join": ("t", "ada", "--role", "coder"),
    "team list": (),
    "team reconcile": ("t",),
    "team report": ("t",),
    "team send": ("t", "x"),
    "team serve": ("t", "--yes"),
    "team status": ("t",),
    "team teardown": ("t",),
    "checkpoint list": ("s",),
    "checkpoint override": ("s", "CHECKPOINT-001", "--reason", "x"),
    "checkpoint request": ("s", "CHECKPOINT-001", "--scope", "A"),
    "checkpoint serve": ("s", "--yes"),
    "checkpoint show": ("s", "CHECKPOINT-001"),
    "mcp": ("--session", "s", "--role", "coordinator"),
    "msg broadcast": ("x",),
    "msg clear": (),
    "msg delete": (),
    "msg list": (),
    "msg log": ("x",),
    "msg read": ("MSG-001",),
    "msg state": (),
    "msg status": (),
    "session close": ("s",),
    "session export": ("s",),
    "session import": ("s",),
    "session list": (),
    "session members": ("s",),
    "session new": ("s", "--pipeline", "spec-only", "--requirement", "x"),
    "session remove-member": ("s", "x"),
    "session show": ("s",),
    "session sync": ("s",),
    "session task add": ("s", "A", "--subject", "x"),
    "session task list": ("s",),
    "session task update": ("s", "A", "--status", "completed"),
    "session token": ("s", "--role", "worker", "--member", "x"),
    "workspace clean": ("--yes",),
    "workspace list": (),
    "workspace restore": ("last",),
    "workspace show": ("last",),
}
"""The verbs that look into a ledger, or would make one."""
ALONE = {
    "agents install": ("claude", "--session", "s", "--dry-run"),
    "agents list": (),
    "agents uninstall": ("claude", "--dry-run"),
    "checkpoint run": ("CHECKPOINT-003", "--files", "README.md"),
    "completion": ("bash",),
    "config show": ("--origin",),
    "context redact": (),
    "context show": ("implementer",),
    "doctor": (),
    "gate list": (),
    "init": ("--dry-run",),
    "lab example": (),
    "login": ("--status",),
    "logout": ("claude", "--dry-run"),
    "notify test": (),
    "role diff": ("implementer",),
    "role export": ("implementer", "--dry-run"),
    "role import": ("README.md", "--dry-run"),
    "role install": ("nothing", "--dry-run"),
    "role list": (),
    "role remove": ("nothing", "--dry-run"),
    "role search": (),
    "role show": ("implementer",),
    "role update": ("--dry-run",),
    "role validate": (),
    "sandbox check": (),
    "trust": ("--show",),
    "worker classify": ("claude", "--exit-code", "0"),
    "workflow graph": (),
    "workflow list": (),
    "workflow show": (),
    "workflow validate": (),
}
"""The verbs that need none, and leave one alone that is there."""
ELSEWHERE = {"demo", "lab serve", "tui"}
"""The verbs that are not about the project at all, and one that a terminal is asked of first."""


def leaves(command: click.Command, *path: str) -> Iterator[str]:
    if not isinstance(command, click.Group):
        yield " ".join(path)
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from leaves(found, *path, name)


@pytest.fixture(scope="module")
def listener() -> Iterator[Upstream]:
    with upstream() as listening:
        yield listening


@pytest.fixture(scope="module")
def stranger(
    tmp_path_factory: pytest.TempPathFactory, state: Path, furnished: Path, listener: Upstream
) -> Stranger:
    return Stranger(tmp_path_factory.mktemp("stranger"), state, furnished, listener.port)


@pytest.fixture(scope="module")
def clone(
    tmp_path_factory: pytest.TempPathFactory,
    state: Path,
    stranger: Stranger,
    preloaded: Preloaded,
) -> User:
    """Give read-only tests a clone in which the stranger's ledger lies."""
    victim = make_victim(tmp_path_factory.mktemp("victim"), state, stranger)
    victim.preloaded = preloaded
    stranger.send(victim)
    return victim


@pytest.fixture
def victim(tmp_path: Path, state: Path, stranger: Stranger, preloaded: Preloaded) -> User:
    """Give the test a clone without a ledger."""
    user = make_victim(tmp_path, state, stranger)
    user.preloaded = preloaded
    return user


def test_every_verb_is_known_here() -> None:
    assert sorted(leaves(supervisor)) == sorted({*ASKING, *ALONE, *ELSEWHERE})


@pytest.mark.parametrize("verb", ASKING)
def test_no_verb_opens_it(clone: User, listener: Upstream, verb: str) -> None:
    before = content(clone.repository, clone.home)
    said = clone.call(*verb.split(), *ASKING[verb])
    assert said.code == 7, said
    # The settings of the project, which come first, are not trusted either.
    is_settings = verb in {"run", "loop run", "start-task"}
    asked = "settings" if is_settings else "may have come with the repository's files"
    assert asked in said.err
    assert "agree, if you do: supervisor trust" in said.err
    assert content(clone.repository, clone.home) == before
    assert not listener.was_reached


@pytest.mark.parametrize("verb", ALONE)
def test_what_needs_no_ledger_leaves_it_alone(clone: User, listener: Upstream, verb: str) -> None:
    before = content(clone.repository, clone.home)
    clone.call(*verb.split(), *ALONE[verb])
    assert content(clone.repository, clone.home) == before
    assert not listener.was_reached


@pytest.mark.parametrize("trusts", ["", "1"])
@pytest.mark.parametrize("verb", ["serve --once", "status", "resume last", "run x --yes"])
def test_a_tracked_one_is_refused_whatever_the_user_trusts(
    victim: User, stranger: Stranger, verb: str, trusts: str
) -> None:
    stranger.send(victim)
    victim.environment["SUPERVISOR_TRUST"] = trusts
    victim.git("add", "--force", ".supervisor/state.db")
    said = victim.call(*verb.split())
    assert said.code == 7
    # The settings of the project, which come first for a run, are not trusted either.
    asked = "settings" if verb.startswith("run") and not trusts else "tracks '.supervisor/state.db'"
    assert asked in said.err
    victim.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "x")
    victim.git("rm", "--quiet", "--cached", ".supervisor/state.db")
    assert victim.call(*verb.split()).code == 7


@pytest.mark.parametrize(
    "name", ["state.db-wal", "artifacts/00/x", "locks/x", "logs/x", "STATE.DB"]
)
def test_anything_that_is_tracked_beside_it_is_refused(user: User, name: str) -> None:
    assert user.run("--workflow", "quick").code == 0
    user.write({f".supervisor/{name}": "x"})
    user.git("add", "--force", f".supervisor/{name}")
    said = user.call("status")
    folder = name.partition("/")[0]
    assert (said.code, f"tracks '.supervisor/{folder}'" in said.err) == (7, True)


def test_a_ledger_that_was_tracked_for_a_while_is_asked_about_again(user: User) -> None:
    assert user.run("--workflow", "quick").code == 0
    user.environment["SUPERVISOR_TRUST"] = ""
    assert user.call("status").code == 0
    user.git("add", "--force", ".supervisor/state.db")
    assert user.call("status").code == 7
    user.git("rm", "--quiet", "--cached", ".supervisor/state.db")
    said = user.call("status")
    assert (said.code, "supervisor trust" in said.err) == (7, True)


@pytest.mark.parametrize("shape", ["link", "hard link", "pipe", "folder", "linked directory"])
def test_a_ledger_that_leads_elsewhere_is_refused(user: User, tmp_path: Path, shape: str) -> None:
    state, elsewhere = user.repository / ".supervisor", tmp_path / "elsewhere"
    elsewhere.write_text("x")
    if shape == "link":
        (state / "state.db").symlink_to(elsewhere)
    elif shape == "hard link":
        os.link(elsewhere, state / "state.db")
    elif shape == "pipe":
        os.mkfifo(state / "state.db")
    elif shape == "folder":
        (state / "state.db").mkdir()
    else:
        state.rename(tmp_path / "moved")
        state.symlink_to(tmp_path / "moved")
    for verb in ("status", "serve --once"):
        said = user.call(*verb.split())
        assert (said.code, "remove it" in said.err) == (7, True), said
    assert elsewhere.read_text() == "x"


@pytest.mark.parametrize("name", ["artifacts/00/x", "state.db-wal", "locks/x", "logs/x"])
def test_what_lies_there_before_a_ledger_is_nobodys(victim: User, name: str) -> None:
    victim.call("trust", "--fingerprint", asks(victim))
    victim.write({f".supervisor/{name}": "x"})
    said = victim.run("--workflow", "quick", "--cli", "my_agent")
    assert (said.code, "which nobody here made" in said.error["message"]) == (7, True)
    assert not (victim.repository / ".supervisor" / "state.db").exists()


def asks(user: User) -> str:
    shown = user.call("trust", "--show", "--json").json["trust"]
    return str(shown["fingerprint"])


def test_a_ledger_made_here_is_bound_without_a_question(victim: User) -> None:
    victim.call("trust", "--fingerprint", asks(victim))
    run = victim.run("--workflow", "careful", "--cli", "my_agent").run["id"]
    assert victim.call("approve", run, "--drive").code == 0
    assert victim.call("status").code == 0
    assert victim.call("ledger", "verify").code == 0
    assert victim.call("-C", ".supervisor/workflows", "status").code == 0
    victim.git("worktree", "add", "--quiet", "../linked")
    assert victim.call("-C", "../linked", "status").code == 0


def test_each_user_of_a_machine_binds_it_once(victim: User) -> None:
    victim.call("trust", "--fingerprint", asks(victim))
    assert victim.run("--workflow", "quick", "--cli", "my_agent").code == 0
    mine, theirs = victim.environment["SUPERVISOR_CONFIG"], str(victim.home / "another")
    victim.environment["SUPERVISOR_CONFIG"] = theirs
    assert victim.call("status").code == 7
    assert victim.call("trust").code == 7
    assert victim.call("trust", "--fingerprint", asks(victim)).code == 0
    assert victim.call("status").code == 0
    victim.environment["SUPERVISOR_CONFIG"] = mine
    assert victim.call("status").code == 0


@pytest.mark.parametrize("how", ["moved", "copied"])
def test_a_project_that_was_moved_or_copied_asks_once(victim: User, how: str) -> None:
    victim.call("trust", "--fingerprint", asks(victim))
    assert victim.run("--workflow", "quick", "--cli", "my_agent").code == 0
    before, after = victim.repository, victim.repository.with_name("after")
    if how == "moved":
        before.rename(after)
    else:
        shutil.copytree(before, after, symlinks=True)
    victim.repository = after
    said = victim.call("status")
    assert (said.code, "was moved or copied" in said.err) == (7, True)
    assert victim.call("trust", "--fingerprint", asks(victim)).code == 0
    assert victim.call("status").code == 0
    if how == "copied":
        victim.repository = before
        assert victim.call("status").code == 0


def test_another_repository_at_the_same_place_is_not_trusted(victim: User) -> None:
    victim.call("trust", "--fingerprint", asks(victim))
    assert victim.run("--workflow", "quick", "--cli", "my_agent").code == 0
    begin_anew(victim)
    said = victim.run("--workflow", "quick", "--cli", "my_agent")
    assert (said.code, "have not agreed to these settings" in said.error["message"]) == (7, True)


def test_another_repository_at_the_same_place_gets_no_state_of_the_first_one(victim: User) -> None:
    state = victim.home / "state"
    victim.environment |= {"SUPERVISOR_TRUST": "1", "SUPERVISOR_STATE": str(state)}
    assert victim.run("--workflow", "quick", "--cli", "my_agent").code == 0
    first = set(state.iterdir())
    begin_anew(victim)
    assert victim.run("--workflow", "quick", "--cli", "my_agent").code == 0
    assert len(set(state.iterdir()) - first) == 1


def begin_anew(user: User) -> None:
    """Put another repository with the same files into the place of the first one."""
    for at in (".git", ".supervisor/artifacts", ".supervisor/locks"):
        shutil.rmtree(user.repository / at)
    (user.repository / ".supervisor/state.db").unlink()
    user.git("init", "--quiet", "--initial-branch=main")
    user.git("config", "user.name", "Eve")
    user.git("config", "user.email", "eve@example.org")
    user.commit()


def test_a_ledger_of_an_earlier_version_asks_once_and_goes_on(
    victim: User, stranger: Stranger, listener: Upstream
) -> None:
    stranger.send(victim)
    ledger = victim.repository / ".supervisor" / "state.db"
    with ledger.open("r+b") as file:
        file.seek(68)
        file.write(bytes(4))
    said = victim.call("serve", "--once")
    assert (said.code, "made by an earlier version" in said.err) == (7, True)
    # Its own pinned runs are a question of their own, which can be asked only now.
    said = victim.call("trust", "--fingerprint", asks(victim))
    assert said.code == 7
    assert f"Run {stranger.queued} was started with:" in said.err
    assert str(stranger.private) in said.err
    assert victim.call("status").code == 0
    assert victim.call("events", stranger.queued).code == 0
    assert not listener.was_reached


def test_a_pinned_run_is_not_driven_before_the_user_agrees_to_what_it_pinned(
    victim: User, stranger: Stranger, listener: Upstream
) -> None:
    stranger.send(victim)
    victim.call("trust", "--fingerprint", asks(victim))
    for verb in (["resume", stranger.queued], ["fork", stranger.waiting, "--at", "implement"]):
        said = victim.call(*verb)
        assert (said.code, "have not agreed to what run" in said.err) == (7, True), said
    said = victim.call("approve", stranger.waiting, "--drive")
    assert (said.code, "have not agreed to what run" in said.err) == (7, True), said
    served = victim.call("serve", "--once")
    assert served.code == 0
    assert f"{stranger.queued}: You have not agreed to what run" in served.err
    types = {it["type"] for it in victim.events(stranger.queued)}
    assert types == {"RunSubmitted"}
    assert victim.call("cancel", stranger.queued).code in {0, 1}
    assert victim.call("status", stranger.queued, "--json").run["status"] == "cancelled"
    assert not listener.was_reached


def test_serve_goes_on_with_the_other_runs(victim: User, stranger: Stranger) -> None:
    stranger.send(victim)
    victim.call("trust", "--fingerprint", asks(victim))
    own = victim.run("--queue", "--workflow", "quick", "--cli", "my_agent").run["id"]
    served = victim.call("serve", "--once", "--json")
    assert stranger.queued in served.err
    assert victim.call("status", own, "--json").run["status"] == "completed"


@pytest.mark.parametrize("trusts", ["", "1"])
def test_a_key_goes_only_where_the_users_own_config_sends_it(
    victim: User, stranger: Stranger, listener: Upstream, trusts: str
) -> None:
    """Also who agrees to everything gives a stranger's upstream nothing."""
    stranger.send(victim)
    victim.call("trust", SUPERVISOR_TRUST="1")
    victim.environment["SUPERVISOR_TRUST"] = trusts
    said = victim.call("resume", stranger.queued, "--json")
    assert not listener.was_reached
    [failed, *_] = [it for it in victim.events(stranger.queued) if it["type"] == "AttemptFailed"]
    assert "does not give it now: the CLI is not in it" in failed["payload"]["reason"]
    assert said.code in {1, 5}


def test_what_a_user_agreed_to_at_the_start_goes_on_when_settings_change(victim: User) -> None:
    victim.call("trust", "--fingerprint", asks(victim))
    run = victim.run("--workflow", "careful", "--cli", "my_agent").run["id"]
    config = (victim.repository / ".supervisor/config.yaml").read_text()
    changed = config.replace("done.txt", "other.txt")
    victim.git("config", "user.name", "Ada")
    victim.git("config", "user.email", "ada@example.org")
    victim.commit({".supervisor/config.yaml": changed})
    assert victim.call("run", "x", "--yes").code == 7
    assert victim.call("approve", run, "--drive").code == 0


def test_yes_by_the_environment_is_for_one_call(victim: User) -> None:
    victim.environment["SUPERVISOR_TRUST"] = "1"
    run = victim.run("--workflow", "careful", "--cli", "my_agent").run["id"]
    victim.environment["SUPERVISOR_TRUST"] = ""
    assert victim.call("status").code == 0
    assert victim.call("resume", run).code == 7
    assert victim.call("trust", SUPERVISOR_TRUST="1").code == 0
    assert victim.call("resume", run).code == 5


@pytest.mark.parametrize("variable", ["SUPERVISOR_CONFIG", "SUPERVISOR_STATE"])
def test_what_lies_in_a_checkout_is_not_the_users_own_directory(
    victim: User, variable: str
) -> None:
    victim.environment[variable] = str(victim.repository / "own")
    for verb in ("status", "workflow list", "serve --once"):
        said = victim.call(*verb.split())
        assert (said.code, "whose files are not your word" in said.err) == (7, True), said
    victim.environment["SUPERVISOR_TRUST"] = "1"
    assert victim.call("status").code == 0


def test_nobody_else_can_read_what_was_agreed_to(tmp_path: Path, user: User, state: Path) -> None:
    assert user.run("--workflow", "quick").code == 0
    own = Path(user.environment["SUPERVISOR_CONFIG"])
    places = {path: path.stat().st_mode & 0o777 for path in (own, *own.rglob("*"))}
    assert set(places.values()) == {0o700, 0o600}
    other = make_user(tmp_path / "other", state)
    assert other.call("status").code == 0
    assert not Path(other.environment["SUPERVISOR_CONFIG"]).exists()
