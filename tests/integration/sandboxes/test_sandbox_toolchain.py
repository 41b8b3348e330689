import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.product_copy import SAME_VERSION, copy_product

from supervisor_ai.sandboxes.toolchains.toolchain import Toolchain, find_toolchain

PARTS = ("bin", "lib")
SYSTEM_PYTHON = "/usr/bin/python3"


class Machine:
    """A home with tools in it, some of them on the PATH."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.path: list[Path] = []
        self.variables: dict[str, str] = {}

    def program(self, place: str, *, is_on_path: bool = True) -> Path:
        program = self.home / place
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        if is_on_path:
            self.path.append(program.parent)
        return program

    def find(self) -> Toolchain:
        path = ":".join(str(place) for place in (*self.path, "/usr/bin", "/bin"))
        return find_toolchain({"PATH": path, **self.variables}, self.home)

    def shown(self) -> set[str]:
        roots = self.find().roots
        return {str(root.relative_to(self.home)) for root in roots if self.home in root.parents}

    def shows_later(self, place: str) -> bool:
        """Write a file once the tools are found, and tell whether a sandbox would show it."""
        roots = self.find().roots
        (self.home / place).write_text("secret")
        names = (self.home / place, (self.home / place).resolve())
        return any(name.is_relative_to(root) for root in roots for name in names)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    home = tmp_path / "home"
    home.mkdir()
    return Machine(home)


def test_the_interpreter_is_shown_and_the_environment_that_holds_supervisor_is_not(
    machine: Machine,
) -> None:
    machine.path.append(Path(sys.prefix, "bin"))
    links = machine.program(".local/bin/mine").parent
    (links / "supervisor").symlink_to(f"{sys.prefix}/bin/supervisor")
    found = machine.find()
    assert all(found.shows(Path(sys.base_prefix, part)) for part in PARTS)
    for ours in (f"{sys.prefix}/bin", f"{sys.prefix}/lib", __import__("supervisor_ai").__path__[0]):
        assert not found.shows(Path(ours)), ours
    assert f"{sys.prefix}/bin" not in found.search_path([Path("/")]).split(":")


def test_the_projects_environment_comes_first_even_if_supervisor_is_in_it(
    machine: Machine,
) -> None:
    machine.variables["VIRTUAL_ENV"] = sys.prefix
    path = machine.find().search_path().split(":")
    assert path[0] == f"{sys.prefix}/bin"
    assert {"/usr/local/bin", "/usr/bin", "/bin"} <= set(path)
    assert len(path) == len(set(path))


def test_an_active_environment_comes_first_and_brings_its_interpreter(
    machine: Machine,
) -> None:
    machine.program("python/3.12/bin/python3", is_on_path=False)
    (machine.home / "python/3.12/lib").mkdir()
    machine.program("project/.venv/bin/pytest")
    settings = f"home = {machine.home}/python/3.12/bin\nversion = 3.12\n"
    (machine.home / "project/.venv/pyvenv.cfg").write_text(settings)
    machine.variables["VIRTUAL_ENV"] = str(machine.home / "project/.venv")
    (machine.home / "project/.venv/pip.conf").write_text("index-url = https://a:b@host/simple\n")
    assert machine.shown() == {
        *("project/.venv/bin", "project/.venv/pyvenv.cfg"),
        *("python/3.12/bin", "python/3.12/lib"),
    }
    assert not machine.shows_later("python/3.12/.netrc")
    path = machine.find().search_path().split(":")
    assert path[0] == f"{machine.home}/project/.venv/bin"


@pytest.mark.parametrize("key", ["auth.json", "README.secret", "LICENSE-key", ".lock", "id_rsa"])
def test_where_nothing_lies_beside_the_parts_a_later_key_is_not_shown(
    machine: Machine, key: str
) -> None:
    machine.program("sdk/node/bin/node")
    for name in ("lib", "include", "x86_64-linux-gnu"):
        (machine.home / "sdk/node" / name).mkdir()
    for name in ("LICENSE", "README.md"):
        (machine.home / "sdk/node" / name).touch()
    parts = {f"sdk/node/{name}" for name in ("bin", "lib", "include", "x86_64-linux-gnu")}
    assert machine.shown() == parts
    assert not machine.shows_later(f"sdk/node/{key}")
    assert machine.shown() == parts
    assert machine.shows_later("sdk/node/lib/module.js")


def test_of_an_installation_the_parts_that_programs_need_are_shown(machine: Machine) -> None:
    machine.program(".nvm/versions/node/v20/bin/node")
    (machine.home / ".nvm/versions/node/v20/lib").mkdir()
    (machine.home / ".nvm/history").touch()
    (machine.home / ".nvm/versions/node/v20/settings.toml").touch()
    (machine.home / ".nvm/versions/node/v20/sessions").mkdir()
    assert machine.shown() == {".nvm/versions/node/v20/bin", ".nvm/versions/node/v20/lib"}
    assert f"{machine.home}/.nvm/versions/node/v20/bin" in machine.find().search_path()


def test_of_a_version_manager_the_parts_that_work_are_shown(machine: Machine) -> None:
    machine.program(".pyenv/shims/python3")
    for name in (".git", "libexec", "versions/3.12/lib"):
        (machine.home / ".pyenv" / name).mkdir(parents=True)
    assert machine.shown() == {".pyenv/libexec", ".pyenv/shims", ".pyenv/versions/3.12"}


def test_a_hook_of_pyenv_that_writes_shims_after_each_installation_is_not_shown(
    machine: Machine,
) -> None:
    machine.program(".pyenv/shims/python3")
    for name in ("exec/pip-rehash", "exec/mine", "rehash"):
        (machine.home / ".pyenv/pyenv.d" / name).mkdir(parents=True)
    (machine.home / ".pyenv/pyenv.d/exec/pip-rehash.bash").touch()
    hooks = {".pyenv/pyenv.d/exec/mine", ".pyenv/pyenv.d/rehash"}
    assert machine.shown() == {".pyenv/shims", *hooks}


def test_of_a_directory_with_other_things_only_the_programs_are_shown(machine: Machine) -> None:
    machine.program("bin/mine")
    machine.program("go/bin/gopls")
    (machine.home / "go/src/private").mkdir(parents=True)
    machine.program("project/bin/tool")
    for name in (".git", "lib"):
        (machine.home / "project" / name).mkdir()
    assert machine.shown() == {"bin", "go/bin", "project/bin"}


def test_a_part_of_a_project_is_no_installation(machine: Machine) -> None:
    machine.program("work/project/app/bin/tool")
    for name in ("work/project/.git", "work/project/app/lib"):
        (machine.home / name).mkdir()
    (machine.home / ".git").mkdir()
    machine.program("sdk/go/bin/go")
    (machine.home / "sdk/go/lib").mkdir()
    assert machine.shown() == {"work/project/app/bin", "sdk/go/bin", "sdk/go/lib"}
    assert not machine.shows_later("sdk/go/token")


def test_packages_behind_links_are_shown_and_their_neighbours_are_not(machine: Machine) -> None:
    machine.program(".local/share/pipx/venvs/black/bin/black", is_on_path=False)
    machine.program(".local/share/agent/versions/2.1", is_on_path=False)
    machine.program(".local/bin/uv")
    for name in ("lib", "share/secrets"):
        (machine.home / ".local" / name).mkdir(parents=True)
    links = machine.home / ".local/bin"
    (links / "black").symlink_to("../share/pipx/venvs/black/bin/black")
    (links / "agent").symlink_to(machine.home / ".local/share/agent/versions/2.1")
    (links / "again").symlink_to("uv")
    (links / "dangling").symlink_to("/nowhere")
    (links / "notes").symlink_to(machine.home / ".local/share/secrets")
    (machine.home / "diary").write_text("dear diary")
    (links / "diary").symlink_to(machine.home / "diary")
    assert machine.shown() == {
        ".local/bin",
        ".local/share/pipx/venvs/black/bin",
        ".local/share/agent/versions/2.1",
    }
    assert not machine.shows_later(".local/share/pipx/venvs/black/pip.conf")


@pytest.mark.parametrize("secret", [".netrc", "credentials.toml", "etc/npmrc", "private/.npmrc"])
def test_an_installation_that_holds_keys_shows_its_parts_only(
    machine: Machine, secret: str
) -> None:
    machine.program("cloud/bin/cloud")
    for name in ("lib", "private", "etc"):
        (machine.home / "cloud" / name).mkdir()
    (machine.home / "cloud" / secret).write_text("secret")
    assert machine.shown() == {"cloud/bin", "cloud/lib"}


def test_a_home_with_programs_and_libraries_is_no_installation(machine: Machine) -> None:
    machine.program("bin/mine")
    (machine.home / "lib").mkdir()
    assert machine.shown() == {"bin"}


@pytest.mark.parametrize("text", ["", "nonsense", "[1]", '{"node": 1}', "\x00"])
def test_settings_that_say_nothing_are_no_hindrance(machine: Machine, text: str) -> None:
    for root in (".volta", ".asdf", ".local/share/mise", ".cargo"):
        machine.program(f"{root}/bin/rustup")
    (machine.home / ".rustup").mkdir()
    for file in (
        *(".volta/tools/user/platform.json", ".tool-versions"),
        *(".config/mise/config.toml", ".rustup/settings.toml"),
    ):
        (machine.home / file).parent.mkdir(parents=True, exist_ok=True)
        (machine.home / file).write_text(text)
    assert machine.shown() == {
        *(".volta/bin", ".asdf/bin", ".cargo/bin", ".local/share/mise/bin"),
    }


@pytest.mark.parametrize("name", ["../../private", "..", ".", "ref:main", "system"])
def test_settings_cannot_name_what_is_no_version(machine: Machine, name: str) -> None:
    machine.program(".asdf/shims/tool")
    machine.program(".asdf/private/bin/tool", is_on_path=False)
    machine.program(".asdf/installs/tool/1/bin/tool", is_on_path=False)
    (machine.home / ".tool-versions").write_text(f"tool {name}\n{name} 1\n")
    assert machine.shown() == {".asdf/shims"}


def test_the_proxies_of_rustup_are_replaced_by_what_they_stand_for(machine: Machine) -> None:
    machine.program(".cargo/bin/rustup")
    (machine.home / ".cargo/bin/cargo").symlink_to("rustup")
    (machine.home / ".cargo/credentials.toml").write_text("token = 'x'\n")
    machine.program(".rustup/toolchains/stable/bin/cargo", is_on_path=False)
    (machine.home / ".rustup/toolchains/stable/lib").mkdir()
    (machine.home / ".rustup/settings.toml").write_text('default_toolchain = "stable"\n')
    stable = ".rustup/toolchains/stable"
    assert machine.shown() == {".cargo/bin", f"{stable}/bin", f"{stable}/lib"}
    assert not machine.shows_later(f"{stable}/credentials.toml")
    path = machine.find().search_path().split(":")
    real, proxy = (f"{machine.home}/{place}/bin" for place in (stable, ".cargo"))
    assert path.index(real) < path.index(proxy)


def test_what_is_not_shown_is_not_searched(machine: Machine) -> None:
    hidden = machine.program(".ssh/bin/tool").parent
    machine.path.append(Path("relative/bin"))
    machine.path.append(machine.home / "missing/bin")
    toolchain = machine.find()
    path = toolchain.search_path().split(":")
    assert str(hidden) not in path
    assert all(entry.startswith("/") for entry in path)
    assert f"{machine.home}/missing/bin" not in path
    assert str(hidden) in toolchain.search_path([hidden])


def test_a_link_is_shown_under_both_names(machine: Machine) -> None:
    machine.program("opt/tool-2/bin/tool", is_on_path=False)
    (machine.home / "opt/tool-2/lib").mkdir()
    (machine.home / "opt/tool").symlink_to("tool-2")
    machine.path.append(machine.home / "opt/tool/bin")
    names = ("opt/tool", "opt/tool-2")
    assert machine.shown() == {f"{name}/{part}" for name in names for part in PARTS}
    assert not machine.shows_later("opt/tool/token")


@pytest.mark.skipif(not Path(SYSTEM_PYTHON).exists(), reason="the system has no Python")
def test_tools_of_the_user_go_before_those_of_the_system_python(machine: Machine) -> None:
    place = machine.program(".nvm/versions/node/v20/bin/node").parent
    question = (
        "import sys; from pathlib import Path\n"
        f"if not {SAME_VERSION}: sys.exit(77)\n"
        "from supervisor_ai.sandboxes.toolchains.toolchain import find_toolchain\n"
        "print(find_toolchain({'PATH': sys.argv[1]}, Path(sys.argv[2])).search_path())"
    )
    copy_product(machine.home / "product")
    asked = subprocess.run(
        [SYSTEM_PYTHON, "-c", question, f"{place}:/usr/bin", machine.home],
        env={"PYTHONPATH": str(machine.home / "product")},
        capture_output=True,
        text=True,
        check=False,
    )
    if asked.returncode == 77:
        pytest.skip("the Python of the system is of another version")
    assert asked.stdout.split(":")[0] == str(place), asked.stderr
