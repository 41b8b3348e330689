"""The first session of a new user, typed into a terminal: from `init` to a change on the branch."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.command import User, make_user
from tests.e2e.small_shop import SHOP
from tests.e2e.terminal import Shell

AGENT = Path(__file__).with_name("session_agent.py")
OWN = """\
cli: my_agent
clis:
  my_agent: {adapter: command, command: [python3, tools/agent.py]}
"""
MAKEFILE = "test:\n\tPYTHONPATH=src python3 -m unittest discover -s tests\n"
POLICY = (
    "approval_gates:",
    "  high_risk: {conditions: [file_count > 0], action: require_approval}",
)
FILE = "src/shop/__init__.py"


@pytest.fixture
def shopkeeper(tmp_path: Path) -> User:
    """Give the test a user with a project, an agent and no settings for the project."""
    user = make_user(tmp_path, tmp_path / "state")
    commands = Path(sys.executable).parent
    user.environment.update(
        SUPERVISOR_TRUST="", PATH=f"{commands}:{user.environment['PATH']}", GIT_PAGER="cat"
    )
    user.commit({**SHOP, "Makefile": MAKEFILE, "tools/agent.py": AGENT.read_text()})
    config = user.home / "config" / "config.yaml"
    config.parent.mkdir()
    config.write_text(OWN)
    return user


@pytest.fixture
def shell(shopkeeper: User) -> Iterator[Shell]:
    opened = Shell(shopkeeper.repository, shopkeeper.environment)
    yield opened
    assert opened.leave() == 0


def last_board(shown: str) -> str:
    """Return how the live board stood in the end."""
    return shown[shown.rindex("Add a discount     ") :]


def test_a_new_user_comes_from_nothing_to_a_change_on_the_branch(
    shopkeeper: User, shell: Shell
) -> None:
    set_up(shell)
    start(shell, shopkeeper)
    look_and_object(shell)
    see_what_was_answered(shell)
    agree_and_complete(shell)
    assert "round(price * 0.9, 2)" in (shopkeeper.repository / FILE).read_text()
    assert shopkeeper.git("status", "--porcelain") == ""
    subjects = shopkeeper.git("log", "--format=%s", "main").splitlines()
    assert subjects[0] == "feat(shop): Add a discount"
    (run,) = shopkeeper.call("status", "--json").json["runs"]
    assert (run["status"], run["branch"].startswith("ai/")) == ("completed", True)


def set_up(shell: Shell) -> None:
    shown = shell.enter("supervisor init", {"Commit these files?": "y"})
    assert "gate test: make test (Makefile:1)" in shown
    assert re.search(r"trying test: make test\n +works, 1 test ", shown)
    assert "Committed on main as" in shown
    lines = " ".join(f"'{line}'" for line in POLICY)
    shell.enter(f"printf '%s\\n' {lines} > .supervisor/approval_policy.yaml")
    shell.enter("git add .supervisor && git commit --quiet --message 'Who has to agree'")


def start(shell: Shell, user: User) -> None:
    before = user.git("rev-parse", "main")
    asked = {"Do you trust these settings? [y/N]": "y", "Proceed? [Y/n]": "y"}
    shown = shell.enter('supervisor start-task "Add a discount"', asked)
    assert "Git Preview (dry-run):\n  Branch: ai/" in shown
    board = last_board(shown)
    assert re.search(r"✓ +plan +1 visit +1 attempt +COMPLETE", board)
    assert re.search(r"✓ +implement +1 visit +1 attempt +SUCCESS", board)
    assert re.search(r"✓ +test +1 visit +passed", board)
    assert re.search(r"◆ +commit +1 visit +waits for a person", board)
    assert "the approval policy wants people to decide about this change" in board
    assert user.git("rev-parse", "main") == before


def look_and_object(shell: Shell) -> None:
    waiting = shell.enter("supervisor approvals")
    assert re.search(r"high_risk +.*1 approval +Add a discount", waiting)
    shown = shell.enter("supervisor approvals last")
    assert "risk       high_risk (file_count > 0)" in shown
    assert "gate       test: passed" in shown
    assert "+    return price * 0.9\n" in shell.enter("supervisor diff last")
    said = shell.enter(f'supervisor comment last {FILE}:6 "Round to cents"')
    assert "Send all comments back: supervisor reject" in " ".join(said.split())
    again = shell.enter('supervisor reject last --reason "Money has two digits"')
    board = last_board(again)
    assert re.search(r"✓ +implement +2 visits +2 attempts +SUCCESS", board)
    assert re.search(r"✓ +test +2 visits +passed", board)
    assert re.search(r"◆ +commit +2 visits +waits for a person", board)


def see_what_was_answered(shell: Shell) -> None:
    shown = shell.enter("supervisor approvals last")
    assert "step       commit, visit 2" in shown
    assert re.search(rf"comment    1 {FILE}:6 \S+: Round to cents", shown)
    assert "reply      1 It is rounded now." in shown
    assert "+    return round(price * 0.9, 2)\n" in shell.enter("supervisor diff last")


def agree_and_complete(shell: Shell) -> None:
    agreed = last_board(shell.enter("supervisor approve last"))
    assert "the work is done, and lands when you complete the task" in agreed
    assert "Nothing waits for you." not in shell.enter("supervisor approvals")
    done = shell.enter("supervisor complete-task", {"Proceed? [Y/n]": "y"})
    preview = f"  Commit: feat(shop): Add a discount\n  Files: {FILE}\n  Merge target: main\n"
    assert preview in done
    assert re.search(r"completed +Add a discount", done)
    assert re.search(r"merged +main: Merged run \w+", " ".join(done.split()))
    assert "Nothing waits for you." in shell.enter("supervisor approvals")
    assert "def discount(price):" in shell.enter(f"cat {FILE}")
