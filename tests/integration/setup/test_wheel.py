"""The built wheel in an environment that has its dependencies and nothing else.

No repository is around and no tool of a developer is on the PATH. The dependencies are copied from
the environment of the tests, so that nothing is fetched.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from email.parser import Parser
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Final
from zipfile import ZipFile

import pytest
from msgspec import Struct
from packaging.requirements import Requirement
from tests.e2e.small_shop import SHOP
from tests.e2e.terminal import Shell

ROOT: Final = Path(__file__).parents[3]
README: Final = ROOT / "README.md"
SOURCE: Final = ROOT / "src"
TALLY: Final = {"tally.py": "TOTAL = 0\n"}
PROGRAMS: Final = ("bwrap", "git")
"""All that the command itself starts."""


class Installed(Struct, frozen=True):
    """A machine with the wheel, and a person on it."""

    environment: Path
    home: Path

    @property
    def variables(self) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "PATH": str(self.home / "bin"),
            "TMPDIR": str(self.home),
            "SUPERVISOR_STATE": str(self.home / "state"),
        }

    def call(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.environment / "bin/supervisor", *arguments],
            cwd=self.home / "project",
            env=self.variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "-d", str(place)]
    subprocess.run(build, cwd=ROOT, capture_output=True, check=True)
    [built] = place.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Installed:
    place = tmp_path_factory.mktemp("installed")
    environment, home = place / "environment", place / "home"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    [packages] = environment.glob("lib/python*/site-packages")
    for found in (distribution("pip"), *dependencies(wheel)):
        copy_distribution(found, packages)
    (home / "bin").mkdir(parents=True)
    for name in PROGRAMS:
        (home / "bin" / name).symlink_to(shutil.which(name) or name)
    (home / "bin/pip").write_text(f'#!/bin/sh\nexec {environment}/bin/python -m pip "$@"\n')
    (home / "bin/pip").chmod(0o755)
    shutil.copy(wheel, home)
    commit_project(home / "project")
    installed = Installed(environment=environment, home=home)
    shell = Shell(home / "project", {**installed.variables, "PIP_NO_INDEX": "1"})
    said = shell.enter(first_commands()[0])
    assert (shell.leave(), "Successfully installed supervisor" in said) == (0, True), said
    return installed


def first_commands() -> list[str]:
    """Read what the README tells a newcomer to type, without the comments."""
    door = README.read_text().partition("### Use it on your project")[2]
    block = door.partition("```sh\n")[2].partition("```")[0]
    return [line.partition("  #")[0].strip() for line in block.splitlines()]


def commit_project(place: Path, files: Mapping[str, str] = TALLY) -> None:
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", place], check=True)
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    git = ["git", "-C", str(place), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message", "A tally"], check=True)


def dependencies(wheel: Path) -> Iterator[Distribution]:
    """Find what the wheel says that it needs, and what that needs."""
    with ZipFile(wheel) as file:
        [name] = [it for it in file.namelist() if it.endswith(".dist-info/METADATA")]
        metadata = Parser().parsestr(file.read(name).decode())
    wanted: list[tuple[Requirement, tuple[str, ...]]]
    wanted = [(Requirement(it), ("",)) for it in metadata.get_all("Requires-Dist", ())]
    known: dict[str, set[str]] = {}
    while wanted:
        needed, extras = wanted.pop()
        if not any(needed.marker is None or needed.marker.evaluate({"extra": it}) for it in extras):
            continue
        is_new, asked = needed.name not in known, known.setdefault(needed.name, set())
        if is_new or not needed.extras <= asked:
            asked |= needed.extras
            found = distribution(needed.name)
            wanted += [(Requirement(it), ("", *needed.extras)) for it in found.requires or ()]
            if is_new:
                yield found


def copy_distribution(found: Distribution, packages: Path) -> None:
    for name in {file.parts[0] for file in found.files or () if file.parts[0] != ".."}:
        source = Path(str(found.locate_file(name)))
        if source.is_dir():
            shutil.copytree(source, packages / name, dirs_exist_ok=True)
        elif source.exists():
            shutil.copy(source, packages / name)


def test_the_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    sources = {
        path.relative_to(SOURCE).as_posix()
        for path in (SOURCE / "supervisor_ai").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    with ZipFile(wheel) as file:
        packed = {name for name in file.namelist() if ".dist-info/" not in name}
    assert packed == sources


def test_only_what_the_wheel_asks_for_is_installed(installed: Installed) -> None:
    listed = subprocess.run(
        [installed.environment / "bin/python", "-c", "import pytest"],
        capture_output=True,
        check=False,
    )
    assert listed.returncode == 1


def test_the_first_contact(installed: Installed) -> None:
    assert installed.call("--version").stdout.startswith("supervisor ")
    assert "supervisor demo" in installed.call("--help").stdout
    prepared = installed.call("init", "--yes")
    assert prepared.returncode == 0, prepared.stderr
    assert (installed.home / "project/.supervisor/config.yaml").is_file()
    findings = json.loads(installed.call("doctor", "--json").stdout)["findings"]
    assert {"python", "git", "sandbox", "project"} <= {it["name"] for it in findings}
    # Nobody has brought an agent yet.
    lacking = {it["name"] for it in findings if it["is_needed"] and not it["holds"]}
    assert lacking <= {"agent claude"}
    listed = installed.call("workflow", "list", "--json")
    assert "standard" in {it["name"] for it in json.loads(listed.stdout)["workflows"]}


def test_the_demo_needs_no_tools_of_developers(installed: Installed) -> None:
    shown = installed.call("demo")
    assert shown.returncode == 0, shown.stderr
    assert "AssertionError: 3 != 2.5" in shown.stderr
    assert "2 files changed" in shown.stdout
    assert str(ROOT) not in shown.stdout + shown.stderr


def test_nothing_is_imported_from_the_repository(installed: Installed) -> None:
    where = "import supervisor_ai, sys; sys.stdout.write(supervisor_ai.__file__)"
    found = subprocess.run(
        [installed.environment / "bin/python", "-c", where],
        cwd=os.sep,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(found.stdout).is_relative_to(installed.environment)


@pytest.fixture
def shop(installed: Installed) -> Iterator[Installed]:
    """Put the command and an agent on the PATH of somebody with a small project."""
    for name, source in (
        ("supervisor", installed.environment / "bin/supervisor"),
        ("python3", Path("/usr/bin/python3")),
    ):
        (installed.home / "bin" / name).symlink_to(source)
    agent = shutil.copy(ROOT / "tests/e2e/claude_stub.py", installed.home / "bin/claude")
    Path(agent).chmod(0o755)
    yield installed
    for name in ("supervisor", "python3", "claude"):
        (installed.home / "bin" / name).unlink()


def test_five_commands_lead_from_nothing_to_a_change_on_the_users_branch(shop: Installed) -> None:
    place = shop.home / "shop"
    commit_project(place, SHOP)
    install, init, run, diff, merge = first_commands()
    assert install.startswith("pip install ")
    shell = Shell(place, {**shop.variables, "ANTHROPIC_API_KEY": "sk-not-a-key"})

    found = shell.enter(init, {"Commit these files? A run sees only what is committed. [Y/n]": ""})
    assert "Detected: Python\n" in found
    assert re.search(r"trying test: python3 -m unittest .*\n    works, 1 test in", found)
    assert re.search(r"\nCommitted on main as \w{12}\.\n\nNext:\n  supervisor run ", found)

    questions = {"Do you trust these settings? [y/N]": "y", "Proceed? [Y/n]": ""}
    ended = shell.enter(run, questions)
    assert "gates.test.command" in ended
    assert re.search(r"\n  ✓  commit ", ended)
    shown = ended.partition("\ncompleted  Add a discount\n")[2]
    assert "\n           2 files changed, 7 insertions(+)\n  tests    2 tests (test) ran\n" in shown
    assert re.search(r"\n  next     supervisor diff \w+\n           supervisor merge \w+\n", shown)

    seen = shell.enter(diff)
    assert "\n+def discount(n):\n" in seen
    landed = shell.enter(merge)
    assert "\nmain: Merged run " in landed
    assert shell.leave() == 0

    for line in f"{found}{ended}{seen}{landed}".splitlines():
        assert len(line) <= 80 or str(shop.home) in line, line
    text = (place / "src/shop/__init__.py").read_text()
    assert "def discount(n):" in text
    assert git(place, "show", "main:src/shop/__init__.py") == text
    assert len(git(place, "log", "--format=%s", "main").splitlines()) == 3
    assert git(place, "status", "--porcelain") == ""


def git(place: Path, *arguments: str) -> str:
    call = ["git", "-C", str(place), *arguments]
    return subprocess.run(call, capture_output=True, text=True, check=True).stdout
