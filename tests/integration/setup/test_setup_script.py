"""scripts/setup on a pretended machine: python3, apt-get, bwrap and id are not the real ones."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[3]
REAL: Final = (
    "bash",
    "cat",
    "cp",
    "dirname",
    "env",
    "git",
    "grep",
    "mkdir",
    "mktemp",
    "rm",
    "sha256sum",
    "tail",
)
PYTHON: Final = """#!/usr/bin/env bash
echo "python $*" >>"$LOG"
here=$(dirname "$0")
directory=${@: -1}/bin
version=$(cat "$here/version" 2>/dev/null || echo "$VERSION")
case "$*" in
    -V | -VV) echo "Python $version" ;;
    '-c import sys'*) [[ $version != 3.9.* ]] ;;
    '-c import ensurepip') [[ -e $MACHINE/ensurepip ]] ;;
    '-m venv'*)
        [[ -e $MACHINE/ensurepip ]] || exit 1
        mkdir -p "$directory"
        cp "$0" "$directory/python"
        echo "$VERSION" >"$directory/version"
        ;;
    *--editable*) echo "#!$0" >"$here/supervisor" ;;
esac
"""
APT_GET: Final = """#!/usr/bin/env bash
echo "apt-get $*" >>"$LOG"
if [[ $1 == install ]]; then
    echo >"$MACHINE/ensurepip"
    cp "$0" "$MACHINE/bin/bwrap"
fi
"""
LACKING: Final = (
    "setup: please install what this machine lacks, then try again: "
    "sudo apt-get install python3-venv bubblewrap\n"
)


@dataclass(kw_only=True)
class Machine:
    """A Debian with python3 and git; the project lies in a directory of its own."""

    place: Path
    project: Path
    uid: int = 1000
    version: str = "3.11.2"

    def setup(self, *options: str, **settings: str) -> subprocess.CompletedProcess[str]:
        (self.place / "bin/id").write_text(f"#!/usr/bin/env bash\necho {self.uid}\n")
        (self.place / "bin/id").chmod(0o755)
        (self.place / "log").write_text("")
        environment = {
            "PATH": str(self.place / "bin"),
            "MACHINE": str(self.place),
            "LOG": str(self.place / "log"),
            "VERSION": self.version,
            **settings,
        }
        return subprocess.run(
            [str(self.project / "scripts/setup"), *options],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def calls(self, word: str) -> list[str]:
        return [line for line in (self.place / "log").read_text().splitlines() if word in line]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    (tmp_path / "bin").mkdir()
    for name in REAL:
        (tmp_path / "bin" / name).symlink_to(shutil.which(name) or name)
    for name, text in (("python3", PYTHON), ("apt-get", APT_GET)):
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    project = tmp_path / "project"
    (project / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts/setup", project / "scripts/setup")
    (project / "pyproject.toml").write_text("[project]\n")
    click = "click==8.5.1 \\\n    --hash=sha256:00\n"
    (project / "requirements-runtime.lock").write_text(click)
    (project / "requirements.lock").write_text(f"{click}pytest==9.2.0 \\\n    --hash=sha256:01\n")
    return Machine(place=tmp_path, project=project)


@pytest.fixture
def ready_machine(machine: Machine) -> Machine:
    machine.uid = 0
    assert machine.setup().returncode == 0
    machine.uid = 1000
    return machine


def test_an_ordinary_user_is_told_what_to_install(machine: Machine) -> None:
    ended = machine.setup()
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", LACKING)
    assert machine.calls("apt-get") == []


def test_root_gets_the_packages_and_the_environment(machine: Machine) -> None:
    machine.uid = 0
    ended = machine.setup()
    assert ended.stdout.splitlines() == [
        "setup: installing python3-venv bubblewrap with apt-get",
        "setup: making .venv with Python 3.11.2",
        "setup: installing 1 locked packages",
        "setup: installing supervisor-ai from this directory",
        "setup: ready: .venv/bin/supervisor",
    ]
    assert machine.calls("apt-get") == [
        "apt-get update",
        "apt-get install --yes --no-install-recommends python3-venv bubblewrap",
    ]
    assert "--require-hashes" in machine.calls("requirements-runtime.lock")[0]


def test_nothing_is_done_when_nothing_changed(ready_machine: Machine) -> None:
    ended = ready_machine.setup()
    assert (ended.returncode, ended.stdout) == (0, "setup: .venv is up to date\n")
    assert ready_machine.calls("pip") == []


def test_a_vanished_bubblewrap_is_noticed_in_a_ready_environment(ready_machine: Machine) -> None:
    (ready_machine.place / "bin/bwrap").unlink()
    ended = ready_machine.setup()
    assert ended.returncode == 1
    assert ended.stderr.endswith("sudo apt-get install bubblewrap\n")


@pytest.mark.parametrize("name", ["requirements-runtime.lock", "pyproject.toml"])
def test_a_change_is_installed_into_the_same_environment(ready_machine: Machine, name: str) -> None:
    with (ready_machine.project / name).open("a") as file:
        file.write("# changed\n")
    assert ready_machine.setup().returncode == 0
    assert ready_machine.calls("--editable")
    assert ready_machine.calls("--clear") == []


def test_another_python_gets_a_new_environment(ready_machine: Machine) -> None:
    ready_machine.version = "3.12.1"
    assert ready_machine.setup().returncode == 0
    assert ready_machine.calls("-m venv --clear")


def test_a_moved_project_gets_a_new_environment(ready_machine: Machine) -> None:
    ready_machine.project = ready_machine.project.rename(ready_machine.place / "moved")
    assert ready_machine.setup().returncode == 0
    assert ready_machine.calls("-m venv --clear")


def test_a_failed_installation_is_shown_and_tried_again(ready_machine: Machine) -> None:
    python = ready_machine.place / "bin/python3"
    whole = python.read_text()
    python.write_text(
        whole.replace("*--editable*)", "*--editable*) echo no space left; exit 1 ;; never)")
    )
    (ready_machine.project / "requirements-runtime.lock").write_text("click==8.5.2\n")
    ended = ready_machine.setup()
    assert ended.returncode == 1
    assert ended.stderr.startswith("no space left\nsetup: this command failed: ")
    python.write_text(whole)
    assert ready_machine.setup().stdout.endswith("setup: ready: .venv/bin/supervisor\n")


def test_an_old_python_is_refused(machine: Machine) -> None:
    machine.version = "3.9.2"
    ended = machine.setup()
    assert (ended.returncode, ended.stderr) == (
        1,
        "setup: Python 3.11 or newer is needed, and 'python3' is Python 3.9.2. "
        "Choose another one with PYTHON=/path/to/python3.\n",
    )


def test_a_missing_python_is_named(machine: Machine) -> None:
    (machine.place / "bin/python3").unlink()
    ended = machine.setup()
    assert (ended.returncode, ended.stderr) == (
        1,
        "setup: Python 3.11 or newer is needed, and there is no 'python3'.\n",
    )


def test_tools_of_developers_are_installed_for_developers_only(ready_machine: Machine) -> None:
    ended = ready_machine.setup("--for-development")
    assert "setup: installing 2 locked packages\n" in ended.stdout
    assert "--require-hashes" in ready_machine.calls("requirements.lock")[0]
    for options in ((), ("--for-development",)):
        assert ready_machine.setup(*options).stdout == "setup: .venv is up to date\n"


def test_a_long_command_is_said_to_be_alive(machine: Machine) -> None:
    slow = "echo Collecting click; read -rt 1.5 <> <(:);"
    python = machine.place / "bin/python3"
    python.write_text(PYTHON.replace("*--editable*)", f"*--editable*) {slow}"))
    machine.uid = 0
    ended = machine.setup(SETUP_SAYS_EVERY="0.2")
    assert ended.stdout.count("setup: ... Collecting click\n") >= 2
    assert ended.stdout.endswith("setup: ready: .venv/bin/supervisor\n")


def test_podman_is_installed_for_tests_only(ready_machine: Machine) -> None:
    ready_machine.uid = 0
    assert ready_machine.setup().returncode == 0
    assert ready_machine.calls("apt-get") == []
    ended = ready_machine.setup("--for-tests")
    assert ended.returncode == 0
    assert ended.stdout.startswith("setup: installing podman ")
    assert ready_machine.calls("apt-get install --yes --no-install-recommends podman ")


def test_who_cannot_install_podman_is_told_and_goes_on(ready_machine: Machine) -> None:
    ready_machine.setup("--for-development")
    ended = ready_machine.setup("--for-tests")
    *told, ready = ended.stdout.splitlines()
    assert told
    for line in told:
        assert line.startswith("setup: some of the tests")
        assert "; to have them: sudo apt-get install" in line
    assert (ended.returncode, ready) == (0, "setup: .venv is up to date")
    assert ready_machine.calls("apt-get") == []


def test_where_podman_cannot_be_had_the_tests_go_on_without_it(ready_machine: Machine) -> None:
    ready_machine.uid = 0
    broken = ready_machine.place / "bin/apt-get"
    broken.write_text("#!/usr/bin/env bash\necho E: no such package; exit 100\n")
    ended = ready_machine.setup("--for-tests")
    assert ended.returncode == 0
    assert "E: no such package\nsetup: some of the tests are skipped" in ended.stdout


def test_an_option_that_does_not_exist_is_refused(machine: Machine) -> None:
    ended = machine.setup("--for-test")
    assert (ended.returncode, ended.stderr) == (1, "setup: unknown option: --for-test\n")
