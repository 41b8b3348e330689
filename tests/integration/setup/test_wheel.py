"""The built wheel in an environment that has its dependencies and nothing else.

No repository is around and no tool of a developer is on the PATH. The dependencies are copied from
the environment of the tests, so that nothing is fetched.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from email.parser import Parser
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Final
from zipfile import ZipFile

import pytest
from msgspec import Struct
from packaging.requirements import Requirement

ROOT: Final = Path(__file__).parents[3]
SOURCE: Final = ROOT / "src"
PROGRAMS: Final = ("bwrap", "git")
"""All that the command itself starts."""


class Installed(Struct, frozen=True):
    """A machine with the wheel, and a person on it."""

    environment: Path
    home: Path

    def call(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.environment / "bin/supervisor", *arguments],
            cwd=self.home / "project",
            env={"HOME": str(self.home), "PATH": str(self.home / "bin"), "TMPDIR": str(self.home)}
            | {"SUPERVISOR_STATE": str(self.home / "state")},
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
    for found in dependencies(wheel):
        copy_distribution(found, packages)
    pip = [sys.executable, "-m", "pip", "--python", str(environment / "bin/python"), "install"]
    subprocess.run([*pip, "--quiet", "--no-deps", "--no-index", str(wheel)], check=True)
    (home / "bin").mkdir(parents=True)
    for name in PROGRAMS:
        (home / "bin" / name).symlink_to(shutil.which(name) or name)
    commit_project(home / "project")
    return Installed(environment=environment, home=home)


def commit_project(place: Path) -> None:
    subprocess.run(["git", "init", "--quiet", place], check=True)
    (place / "tally.py").write_text("TOTAL = 0\n")
    git = ["git", "-C", str(place), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message", "A tally"], check=True)


def dependencies(wheel: Path) -> Iterator[Distribution]:
    """Find what the wheel says that it needs, and what that needs."""
    with ZipFile(wheel) as file:
        [name] = [it for it in file.namelist() if it.endswith(".dist-info/METADATA")]
        metadata = Parser().parsestr(file.read(name).decode())
    wanted, known = list(metadata.get_all("Requires-Dist", ())), set[str]()
    while wanted:
        needed = Requirement(wanted.pop())
        is_meant = needed.marker is None or needed.marker.evaluate({"extra": ""})
        if is_meant and needed.name not in known:
            known.add(needed.name)
            found = distribution(needed.name)
            wanted += found.requires or ()
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
