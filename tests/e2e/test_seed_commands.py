"""Every command of the seeds, as it stands there, in a scratch project."""

import re
import shlex
from pathlib import Path

import pytest
import yaml
from tests.e2e.command import User
from tests.e2e.terminal import Terminal
from tests.unit.definitions.packs.scene import write
from tests.unit.definitions.seeds import BLOCKS, ORDERS, Block, Command, marked, sessions

CONFIG = ".supervisor/config.yaml"
AUDITOR = "name: owasp-auditor\nversion: 2.0.1\ndescription: Audits\nextends: reviewer\n"
NEEDED = "name: base-reviewer\nversion: 1.1.0\ndescription: x\nextends: reviewer\n"
PLENTY = "there are more roles than the seed names, in the order of the alphabet"
OWN = "the scratch project has other files"
OTHERS = {
    "[x] Backend API (backend_dev, db_optimizer)": (
        "[x] Backend API (backend_dev, api_dev, db_optimizer) - pack backend: ",
        f"{PLENTY}; the name is for --pack, the reason for the reader",
    ),
    "[x] Frontend (ui_designer, component_builder)": (
        "[x] Frontend (ui_designer, component_builder, state_architect) - pack web: ",
        f"{PLENTY}; the name is for --pack, the reason for the reader",
    ),
    'auth_service → redis_client (from: "import redis")': (
        'auth_service → redis (from: "import redis")',
        "the package is called as the import says",
    ),
    "→ Is redis_client a component or external package? [component/external/skip]": (
        "→ Is redis a component or external package? [component/external/skip]",
        "the package is called as the import says",
    ),
    "Commit: feat(auth): Add user authentication": (
        "Commit: feat(done): Add user authentication",
        OWN,
    ),
    "Files: src/auth.py, tests/test_auth.py": ("Files: done.txt", OWN),
    "[built-in] planner, implementer, reviewer": ("[built-in] architect, assessor, ", PLENTY),
    "[community] risk-manager@1.2.0, owasp-auditor@2.0.1": (
        "[community] base-reviewer@1.1.0, owasp-auditor@2.0.1, risk-manager@1.2.0",
        f"{PLENTY}; what they depend on is named",
    ),
}
"""The lines of the seed's terminals that are not ours, with what ours says, and why."""
COMMIT = re.compile(r"\([0-9a-f]{6,12}\)")
BUILT = [it for it in ORDERS.values() if it.capability is None]
TO_COME = [it for it in ORDERS.values() if it.capability is not None]


def words(name: str) -> list[str]:
    return shlex.split(ORDERS[name].says)[1:]


def assert_as_in_the_seed(name: str, seen: str) -> None:
    """Compare a terminal with the seed's, line by line and in its order."""
    lines = [COMMIT.sub("(…)", " ".join(it.split())) for it in seen.splitlines()]
    for line in sessions()[name]:
        assert line not in OTHERS or line not in lines, "it is as the seed says by now"
        wanted = COMMIT.sub("(…)", OTHERS.get(line, (line, ""))[0])
        at = next((at for at, it in enumerate(lines) if it.startswith(wanted)), None)
        assert at is not None, (wanted, lines)
        lines = lines[at + 1 :]


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
    terminal.type("external\n")
    terminal.wait_for("Accept detected dependencies? [Y/n/edit]")
    terminal.type("\n")
    assert terminal.wait() == 0, terminal.seen
    assert_as_in_the_seed("003-1590", terminal.seen)
    kept = yaml.safe_load((user.repository / ".supervisor/features/P1T5.yaml").read_text())
    backend, frontend = kept["feature"]["phases"]
    needs = [it["depends_on"] for it in (*backend["components"], *frontend["components"])]
    assert needs == [[], [], ["user_model", "auth_service"], ["backend.auth_endpoints"]]


@pytest.mark.parametrize("name", ["003-0636", "003-0649"])
def test_init(name: str, newcomer: User) -> None:
    newcomer.commit(
        {
            "package.json": '{"dependencies": {"react": "18.0.0"}}\n',
            "requirements.txt": "requests\n",
            "docker-compose.yml": "services: {db: {image: 'postgres:17'}}\n",
        }
    )
    terminal = Terminal(newcomer, *words(name))
    terminal.wait_for("[x] Frontend (ui_designer, component_builder, state_architect) - pack web")
    terminal.wait_for("[Y/n]")
    terminal.type("y\n")
    terminal.wait_for("Commit these files?")
    terminal.type("n\n")
    assert terminal.wait() == 0
    written = yaml.safe_load((newcomer.repository / CONFIG).read_text())
    assert written["packs"] == ["backend", "web"]
    if name in sessions():
        assert_as_in_the_seed(name, terminal.seen)


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
    assert_as_in_the_seed("003-2194", started.seen)
    started.type("\n")
    assert started.wait() == 5, started.seen
    assert user.git("rev-parse", branch, "main").split() == [base, base]
    done = Terminal(user, *words("003-2202"))
    done.wait_for("Proceed? [Y/n]")
    assert_as_in_the_seed("003-2202", done.seen)
    subject = "feat(done): Add user authentication"
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
    own = [it for it in BLOCKS.values() if it.file.endswith(("quant_dev.yaml", "trader.yaml"))]
    user.commit({it.file: it.text for it in own})
    listed = user.call(*words("003-2313")).out
    assert "pack owasp-auditor@2.0.1" in listed
    assert_as_in_the_seed("003-2313", listed)


def test_an_owner_and_another_place_are_one_too_many(user: User) -> None:
    said = user.call("role", "install", "a/b", "--from", ".", "--json")
    assert (said.code, said.error["kind"]) == (2, "invalid")
    assert "names another place" in said.error["message"].replace("\n", " ")


def test_every_command_that_is_built_is_run_here() -> None:
    source = Path(__file__).read_text()
    assert [it.name for it in BUILT if f'"{it.name}"' not in source] == []
