"""Every command of the seeds, as it stands there, in a scratch project."""

import re
import shlex
from pathlib import Path

import pytest
import yaml
from tests.e2e.command import User
from tests.e2e.terminal import Terminal
from tests.unit.definitions.packs.scene import write
from tests.unit.definitions.seeds import BLOCKS, ORDERS, Block, Command, marked

CONFIG = ".supervisor/config.yaml"
AUDITOR = "name: owasp-auditor\nversion: 2.0.1\ndescription: Audits\nextends: reviewer\n"
NEEDED = "name: base-reviewer\nversion: 1.1.0\ndescription: x\nextends: reviewer\n"
BUILT = [it for it in ORDERS.values() if it.capability is None]
TO_COME = [it for it in ORDERS.values() if it.capability is not None]


def words(name: str) -> list[str]:
    return shlex.split(ORDERS[name].says)[1:]


@pytest.mark.parametrize("entry", [marked(it) for it in TO_COME])
def test_a_command_that_is_to_come(entry: Command, user: User) -> None:
    assert user.call(*words(entry.name)).code == 0


@pytest.mark.parametrize("entry", [marked(it) for it in BLOCKS.values() if it.loads == "a feature"])
def test_a_feature_is_loaded(entry: Block, user: User) -> None:
    user.commit({entry.file: entry.text})
    assert user.call("feature", "load", entry.file, "--json").code == 0


def test_analyze_deps(user: User) -> None:
    [plan] = [it for it in BLOCKS.values() if it.loads == "a feature"]
    # What the plan of the seed says already would be no news.
    blank = re.sub(r"depends_on: \[.*\]", "depends_on: []", plan.text)
    user.commit(
        {
            plan.file: blank,
            "models/user.py": "class User: ...\n",
            "services/auth.py": "import redis\n\n\nclass AuthService: ...\n",
            "api/auth.py": "from models.user import User\nfrom services.auth import AuthService\n",
            "components/Login.tsx": "import { login } from '@/api/auth'\n",
        }
    )
    assert user.call("feature", "load", plan.file).code == 0
    terminal = Terminal(user, *words("003-1590"))
    terminal.wait_for("→ Is redis a component or external package? [component/external/skip]")
    shown = terminal.seen.replace("\r", "")
    assert "Detected dependencies:\n" in shown
    for line in (
        'auth_endpoints → user_model (from: "from models.user import User")',
        'auth_endpoints → auth_service (from: "from services.auth import AuthService")',
        "login_form → auth_endpoints (from: \"import '@/api/auth'\")",
        "\n  [!] Unconfirmed:\n",
        'auth_service → redis (from: "import redis")',
    ):
        assert line in shown
    terminal.type("external\n")
    terminal.wait_for("Accept detected dependencies? [Y/n/edit]")
    terminal.type("\n")
    assert terminal.wait() == 0, terminal.seen
    kept = yaml.safe_load((user.repository / ".supervisor/features/P1T5.yaml").read_text())
    backend, frontend = kept["feature"]["phases"]
    needs = [it["depends_on"] for it in (*backend["components"], *frontend["components"])]
    assert needs == [[], [], ["user_model", "auth_service"], ["backend.auth_endpoints"]]


@pytest.mark.parametrize("name", ["003-0636", "003-0649"])
def test_init(name: str, newcomer: User) -> None:
    newcomer.commit({"package.json": '{"dependencies": {"react": "18.0.0"}}\n'})
    terminal = Terminal(newcomer, *words(name))
    terminal.wait_for("[x] Frontend (ui_designer, component_builder, state_architect) - pack web")
    terminal.wait_for("[Y/n]")
    terminal.type("y\n")
    terminal.wait_for("Commit these files?")
    terminal.type("n\n")
    assert terminal.wait() == 0
    written = yaml.safe_load((newcomer.repository / CONFIG).read_text())
    assert written["packs"] == ["web"]


def test_resume(user: User) -> None:
    parked = user.run("--workflow", "careful")
    assert parked.code == 5
    assert user.call("approve", parked.run["id"]).code == 0
    assert words("003-0166") == ["resume", "{state.workflow_id}"]
    said = user.call("resume", parked.run["id"], "--json")
    assert (said.code, said.run["status"]) == (0, "completed")


def test_start_task_and_complete_task(user: User) -> None:
    [git] = [it for it in BLOCKS.values() if it.loads == "git settings"]
    config = (user.repository / CONFIG).read_text()
    base = user.commit({CONFIG: f"{config}baseline: off\n{git.text}"})
    branch = "ai/task-001-add-user-authentication"
    started = Terminal(user, *words("003-2194"))
    started.wait_for("Proceed? [Y/n]")
    preview = f"Git Preview (dry-run):\n  Branch: {branch}\n  Base: main ({base[:12]})\n\nProceed?"
    assert preview in started.seen.replace("\r", "")
    started.type("\n")
    assert started.wait() == 5, started.seen
    assert user.git("rev-parse", branch, "main").split() == [base, base]
    done = Terminal(user, *words("003-2202"))
    done.wait_for("Proceed? [Y/n]")
    subject = "feat(done): Add user authentication"
    preview = f"  Commit: {subject}\n  Files: done.txt\n  Merge target: main\n\nProceed?"
    assert f"Git Preview (dry-run):\n{preview}" in done.seen.replace("\r", "")
    done.type("y\n")
    assert done.wait() == 0, done.seen
    assert user.git("rev-parse", branch) == user.git("rev-parse", "main")
    assert user.git("log", "--format=%s", f"{base}..main") == subject
    assert (user.repository / "done.txt").exists()
    assert user.git("status", "--porcelain", "--untracked-files=no") == ""


def test_role_install_and_role_list(user: User, tmp_path: Path) -> None:
    registry = tmp_path / "registry"
    [published] = [it for it in BLOCKS.values() if it.loads == "a pack of one role"]
    write(registry / "trading-roles/risk-manager", {"pack.yaml": published.text})
    write(registry / "security-pack/owasp-auditor", {"pack.yaml": AUDITOR})
    write(tmp_path / "known", {"base-reviewer/pack.yaml": NEEDED})
    known = f"registry: {registry}\nsources: [{tmp_path / 'known'}]\n"
    write(user.home / "config", {"packs.yaml": known})
    for name in ("003-2309", "003-2310"):
        terminal = Terminal(user, *words(name))
        terminal.wait_for("Accept? [y/N]")
        terminal.type("y\n")
        terminal.wait_for("to `packs:` of the config and commit both? [Y/n]")
        terminal.type("\n" if name == "003-2309" else "n\n")
        assert terminal.wait() == 0, terminal.seen
        assert ("write into the config: packs:" in terminal.seen) == (name == "003-2310")
    shown = user.call("role", "show", "owasp-auditor")
    assert (shown.code, "is in the installed pack 'owasp-auditor'" in shown.err) == (3, True)
    enabled = user.call("role", "install", "security-pack/owasp-auditor", "--yes", "--enable")
    assert enabled.code == 0, enabled.err
    assert user.git("status", "--porcelain") == ""
    said = user.call(*words("003-2313"))
    assert said.code == 0
    user.commit({".supervisor/roles/trader.yaml": "extends: implementer\n"})
    listed = user.call(*words("003-2313")).out
    for told in ("[built-in] ", "[project] trader\n", "pack owasp-auditor@2.0.1"):
        assert told in listed
    community = "[community] base-reviewer@1.1.0, owasp-auditor@2.0.1, risk-manager@1.2.0\n"
    assert community in listed


def test_an_owner_and_another_place_are_one_too_many(user: User) -> None:
    said = user.call("role", "install", "a/b", "--from", ".", "--json")
    assert (said.code, said.error["kind"]) == (2, "invalid")
    assert "names another place" in said.error["message"].replace("\n", " ")


def test_every_command_that_is_built_is_run_here() -> None:
    source = Path(__file__).read_text()
    assert [it.name for it in BUILT if f'"{it.name}"' not in source] == []
