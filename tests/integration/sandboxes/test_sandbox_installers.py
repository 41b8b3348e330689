"""Tools as people install them, used inside a real sandbox; the home around them stays hidden."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from tests.support.known_tools import known_tools

from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox
from supervisor_ai.sandboxes.host_view.allowed_paths import is_below
from supervisor_ai.sandboxes.toolchains.toolchain import find_toolchain
from supervisor_ai.testing.sandbox_suite import OnSandbox

SECRETS = (
    ".ssh/id_rsa",
    ".npmrc",
    ".netrc",
    ".cargo/credentials.toml",
    ".config/gh/hosts.yml",
    ".m2/settings.xml",
    ".local/share/keyrings/login",
    "project/.env",
)
# A program that needs a file of its installation, found as interpreters find theirs.
PROGRAM = """#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
cat "$here/../lib/name"
"""


class Home:
    """A home directory with tools and secrets in it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.path: list[Path] = []
        self.variables: dict[str, str] = {}
        for secret in SECRETS:
            self.file(secret, "secret")

    def file(self, name: str, text: str = "") -> Path:
        file = self.place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def script(self, name: str, text: str) -> Path:
        script = self.file(name, text)
        script.chmod(0o755)
        return script

    def install(self, prefix: str, *names: str) -> Path:
        """Install programs that say where they come from."""
        self.file(f"{prefix}/lib/name", f"{prefix}\n")
        for name in names:
            self.script(f"{prefix}/bin/{name}", PROGRAM)
        return self.place / prefix

    def link(self, name: str, target: str | Path) -> None:
        link = self.place / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)

    def on_path(self, *names: str) -> None:
        self.path += [self.place / name for name in names]

    @property
    def environment(self) -> dict[str, str]:
        path = ":".join(map(str, (*self.path, "/usr/bin", "/bin")))
        return {"HOME": str(self.place), "PATH": path, **self.variables}


def shims_that_name_their_root(name: str) -> Callable[[Home], dict[str, str]]:
    def build(home: Home) -> dict[str, str]:
        root, command = f".{name}", f"{name}-tool"
        variable = f"{name.upper()}_ROOT"
        ask = f'exec "{home.place}/{root}/libexec/{name}" exec "${{0##*/}}" "$@"\n'
        shim = f'#!/usr/bin/env bash\nexport {variable}="{home.place}/{root}"\n{ask}'
        home.script(f"{root}/shims/{command}", shim)
        chosen = f'version=$(cat .{name}-version 2>/dev/null || cat "${variable}/version")\n'
        home.script(
            f"{root}/libexec/{name}",
            f'#!/usr/bin/env bash\n{chosen}exec "${variable}/versions/$version/bin/$2"\n',
        )
        home.install(f"{root}/versions/1.2", command)
        home.file(f"{root}/version", "1.2\n")
        home.file(f"{root}/.git/config", "https://user:secret@example.test")
        home.on_path(f"{root}/shims")
        return {command: f"{root}/versions/1.2"}

    build.__name__ = name
    return build


def jenv(home: Home) -> dict[str, str]:
    told = shims_that_name_their_root("jenv")(home)
    shutil.rmtree(home.place / ".jenv/versions")
    home.install("jdks/21", *told)
    home.link(".jenv/versions/1.2", home.place / "jdks/21")
    return dict.fromkeys(told, "jdks/21")


def uv(home: Home) -> dict[str, str]:
    python = home.install(".local/share/uv/python/cpython-3.99.1", "python3.99")
    home.link(".local/share/uv/python/cpython-3.99", "cpython-3.99.1")
    home.link(".local/bin/python3.99", python.parent / "cpython-3.99/bin/python3.99")
    tool = home.place / ".local/share/uv/tools/black"
    home.file(".local/share/uv/tools/black/pyvenv.cfg", f"home = {python}/bin\n")
    home.link(".local/share/uv/tools/black/bin/python", python / "bin/python3.99")
    home.script(".local/share/uv/tools/black/bin/black", f"#!{tool}/bin/python\n")
    home.link(".local/bin/black", tool / "bin/black")
    home.on_path(".local/bin")
    return dict.fromkeys(("python3.99", "black"), ".local/share/uv/python/cpython-3.99.1")


def pipx(home: Home) -> dict[str, str]:
    python = home.install(".pyenv/versions/3.98", "python3.98")
    prefix = ".local/share/pipx/venvs/tool"
    home.file(f"{prefix}/pyvenv.cfg", f"home = {python}/bin\n")
    home.link(f"{prefix}/bin/python", python / "bin/python3.98")
    home.script(f"{prefix}/bin/tool", '#!/bin/sh\nexec "$(dirname "$(readlink -f "$0")")/python"\n')
    home.link(".local/bin/tool", home.place / prefix / "bin/tool")
    home.on_path(".local/bin")
    return {"tool": ".pyenv/versions/3.98"}


def nvm(home: Home) -> dict[str, str]:
    home.install(".nvm/versions/node/v20.1.0", "node", "npm")
    home.file(".nvm/versions/node/v20.1.0/etc/npmrc", "//registry/:_authToken=secret")
    home.on_path(".nvm/versions/node/v20.1.0/bin")
    return dict.fromkeys(("node", "npm"), ".nvm/versions/node/v20.1.0")


def nvm_that_is_loaded_later(home: Home) -> dict[str, str]:
    for version in ("v9.0.0", "v20.1.0", "v20.10.0", "v22.0.0"):
        home.install(f".nvm/versions/node/{version}", "later-node")
    home.file(".nvm/alias/default", "lts/iron\n")
    home.file(".nvm/alias/lts/iron", "20\n")
    home.variables["NVM_DIR"] = str(home.place / ".nvm")
    return {"later-node": ".nvm/versions/node/v20.10.0"}


def fnm(home: Home) -> dict[str, str]:
    home.install(".local/share/fnm/node-versions/v20/installation", "node")
    # As in /run, where the links of each shell are, what holds the link cannot be shown.
    home.link(".ssh/shell/1", home.place / ".local/share/fnm/node-versions/v20/installation")
    home.on_path(".ssh/shell/1/bin")
    return {"node": ".local/share/fnm/node-versions/v20/installation"}


def volta(home: Home) -> dict[str, str]:
    home.script(".volta/bin/volta-shim", "#!/bin/sh\ntest -e ~/.volta && echo shim\n")
    for name in ("node", "yarn", "tsc"):
        home.link(f".volta/bin/{name}", "volta-shim")
    image = ".volta/tools/image"
    home.install(f"{image}/node/20.1.0", "node")
    home.install(f"{image}/node/18.0.0", "node")
    home.install(f"{image}/yarn/1.22.19", "yarn")
    home.install(f"{image}/packages/typescript", "tsc")
    chosen = {"node": {"runtime": "20.1.0", "npm": None}, "pnpm": None, "yarn": "1.22.19"}
    home.file(".volta/tools/user/platform.json", json.dumps(chosen))
    home.on_path(".volta/bin")
    return {
        "node": f"{image}/node/20.1.0",
        "yarn": f"{image}/yarn/1.22.19",
        "tsc": f"{image}/packages/typescript",
    }


def mise(home: Home) -> dict[str, str]:
    data = ".local/share/mise"
    home.script(".local/bin/mise", "#!/bin/sh\ncat ~/.config/mise/config.toml\n")
    for tool, version in (("node", "20.1.0"), ("go", "1.99"), ("java", "21.0.2")):
        home.install(f"{data}/installs/{tool}/{version}", f"mise-{tool}")
        home.link(f"{data}/shims/mise-{tool}", home.place / ".local/bin/mise")
    home.install(f"{data}/installs/java/9", "mise-java")
    home.link(f"{data}/installs/node/20", "./20.1.0")
    home.file(
        ".config/mise/config.toml",
        '[tools]\nnode = "20"\ngo = ["1.99"]\njava = {version = "latest"}\n',
    )
    home.on_path(f"{data}/shims", ".local/bin")
    installs = f"{data}/installs"
    return {
        "mise-node": f"{installs}/node/20.1.0",
        "mise-go": f"{installs}/go/1.99",
        "mise-java": f"{installs}/java/21.0.2",
    }


def asdf(home: Home) -> dict[str, str]:
    home.script(".asdf/bin/asdf", '#!/bin/sh\ncat "$HOME/.tool-versions"\n')
    for tool in ("node", "rust"):
        home.script(f".asdf/shims/asdf-{tool}", f'#!/bin/sh\nexec asdf exec "asdf-{tool}" "$@"\n')
    home.install(".asdf/installs/nodejs/20.1.0", "asdf-node")
    home.install(".asdf/installs/rust/1.99", "asdf-rust")
    home.file(".asdf/installs/rust/1.99/credentials.toml", "secret")
    home.file(".tool-versions", "nodejs 20.1.0\nrust 1.99 # the newest\npython system\n")
    home.on_path(".asdf/shims", ".asdf/bin")
    return {"asdf-node": ".asdf/installs/nodejs/20.1.0", "asdf-rust": ".asdf/installs/rust/1.99"}


def conda(home: Home) -> dict[str, str]:
    home.install("miniforge3", "conda", "python3.97")
    home.script("miniforge3/condabin/mamba", '#!/bin/sh\nexec "$(dirname "$0")/../bin/conda"\n')
    home.file("miniforge3/.condarc", "channels: [https://host/t/secret/main]")
    home.install("miniforge3/envs/ml", "trainer")
    home.on_path("miniforge3/envs/ml/bin", "miniforge3/condabin")
    home.variables["CONDA_PREFIX"] = str(home.place / "miniforge3/envs/ml")
    return {"trainer": "miniforge3/envs/ml", "mamba": "miniforge3"}


def rustup(home: Home) -> dict[str, str]:
    home.script(".cargo/bin/rustup", "#!/bin/sh\ncat ~/.rustup/settings.toml\n")
    home.link(".cargo/bin/rustc", "rustup")
    home.install(".rustup/toolchains/stable", "rustc")
    home.file(".rustup/settings.toml", 'default_toolchain = "stable"\n')
    home.on_path(".cargo/bin")
    return {"rustc": ".rustup/toolchains/stable"}


def sdkman(home: Home) -> dict[str, str]:
    java, maven = ".sdkman/candidates/java", ".sdkman/candidates/maven"
    home.install(f"{java}/21.0.2-tem", "java")
    home.install(f"{maven}/3.9.6", "mvn")
    home.link(f"{java}/current", "21.0.2-tem")
    home.link(f"{maven}/current", f"{home.place}/{maven}/3.9.6")
    home.on_path(f"{java}/current/bin", f"{maven}/current/bin")
    return {"java": f"{java}/21.0.2-tem", "mvn": f"{maven}/3.9.6"}


def java_home(home: Home) -> dict[str, str]:
    home.install("jdks/21", "jshell-21")
    home.variables["JAVA_HOME"] = str(home.place / "jdks/21")
    return {"jshell-21": "jdks/21"}


def go(home: Home) -> dict[str, str]:
    home.install("sdk/go1.99", "go")
    home.script("go/bin/gopls", "#!/bin/sh\necho gopls\n")
    home.file("go/src/private/secret.go", "secret")
    home.on_path("sdk/go1.99/bin", "go/bin")
    return {"go": "sdk/go1.99", "gopls": "gopls"}


def homebrew(home: Home) -> dict[str, str]:
    home.install(".linuxbrew/Cellar/jq/1.7", "jq")
    home.link(".linuxbrew/bin/jq", "../Cellar/jq/1.7/bin/jq")
    home.file(".linuxbrew/etc/my.cnf", "secret")
    home.file(".linuxbrew/share/man", "")
    home.variables["HOMEBREW_PREFIX"] = str(home.place / ".linuxbrew")
    home.on_path(".linuxbrew/bin")
    return {"jq": ".linuxbrew/Cellar/jq/1.7"}


def nix(home: Home) -> dict[str, str]:
    home.install("nix/store/abc-hello", "hello")
    home.file("nix/store/def-source/.npmrc", "public by design")
    profile = home.place / "nix/store/ghi-profile"
    home.link("nix/store/ghi-profile/bin/hello", home.place / "nix/store/abc-hello/bin/hello")
    home.link(".local/state/nix/profiles/profile-1-link", profile)
    home.link(".local/state/nix/profiles/profile", "profile-1-link")
    home.link(".nix-profile", home.place / ".local/state/nix/profiles/profile")
    home.variables["NIX_STORE_DIR"] = str(home.place / "nix/store")
    home.on_path(".nix-profile/bin")
    return {"hello": "nix/store/abc-hello"}


def npm_packages(home: Home) -> dict[str, str]:
    package = ".local/lib/node_modules/@vendor/agent"
    home.script(f"{package}/dist/cli.js", PROGRAM)
    home.file(f"{package}/lib/name", "agent\n")
    home.link(".local/bin/agent", "../lib/node_modules/@vendor/agent/dist/cli.js")
    home.on_path(".local/bin")
    return {"agent": "agent"}


def wasmer(home: Home) -> dict[str, str]:
    home.install(".wasmer", "wasmer")
    home.file(".wasmer/wasmer.toml", "token = 'secret'")
    home.file(".wasmer/sessions/one", "secret")
    home.on_path(".wasmer/bin")
    return {"wasmer": ".wasmer"}


def active_environment(home: Home) -> dict[str, str]:
    python = home.install(".pyenv/versions/3.96", "python3.96")
    home.file("venv/pyvenv.cfg", f"home = {python}/bin\n")
    home.file("venv/pip.conf", "index-url = https://me:secret@host/simple\n")
    home.link("venv/bin/python", python / "bin/python3.96")
    home.variables["VIRTUAL_ENV"] = str(home.place / "venv")
    home.on_path("venv/bin")
    return {"python": ".pyenv/versions/3.96"}


# What a package's program says comes from another package, as a binary for one platform does.
BESIDE = """#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
cat "$here/{way}/@vendor/agent-linux-x64/name"
"""


def packages_in_a_directory(home: Home) -> dict[str, str]:
    """Install as npm does: what a package needs is beside it."""
    modules = "clis/node_modules"
    home.script(f"{modules}/@vendor/agent/bin/agent.js", BESIDE.format(way="../../.."))
    home.file(f"{modules}/@vendor/agent-linux-x64/name", "beside\n")
    home.link(f"{modules}/.bin/agent", "../@vendor/agent/bin/agent.js")
    home.file("clis/.npmrc", "secret")
    home.file("clis/package.json", "secret")
    home.on_path(f"{modules}/.bin")
    return {"agent": "beside"}


def packages_behind_a_link(home: Home) -> dict[str, str]:
    told = packages_in_a_directory(home)
    home.path.clear()
    home.link(".local/bin/agent", home.place / "clis/node_modules/.bin/agent")
    home.on_path(".local/bin")
    return told


def packages_in_packages(home: Home) -> dict[str, str]:
    """Install a program whose needs are at an outer level."""
    modules = "clis/node_modules"
    inner = f"{modules}/outer/node_modules/@vendor/agent"
    home.script(f"{inner}/bin/agent.js", BESIDE.format(way="../../../../.."))
    home.file(f"{modules}/@vendor/agent-linux-x64/name", "hoisted\n")
    home.link(f"{modules}/.bin/agent", "../outer/node_modules/@vendor/agent/bin/agent.js")
    home.on_path(f"{modules}/.bin")
    return {"agent": "hoisted"}


def packages_of_pnpm(home: Home, store: str = "clis/node_modules/.pnpm") -> dict[str, str]:
    """Install as pnpm does: a script starts what is behind a link, with its needs beside it."""
    modules, one = "clis/node_modules", f"{store}/agent@1/node_modules"
    home.script(f"{one}/@vendor/agent/bin/agent.js", BESIDE.format(way="../../.."))
    home.file(f"{store}/platform@1/node_modules/@vendor/agent-linux-x64/name", "linked\n")
    platform = home.place / store / "platform@1/node_modules/@vendor/agent-linux-x64"
    home.link(f"{one}/@vendor/agent-linux-x64", platform)
    home.link(f"{modules}/@vendor/agent", home.place / one / "@vendor/agent")
    start = '#!/bin/sh\nexec "$(dirname "$0")/../@vendor/agent/bin/agent.js"\n'
    home.script(f"{modules}/.bin/agent", start)
    home.on_path(f"{modules}/.bin")
    return {"agent": "linked"}


def packages_of_pnpm_in_a_store(home: Home) -> dict[str, str]:
    told = packages_of_pnpm(home, ".local/share/pnpm/store/v10/links/@vendor")
    home.file(".local/share/pnpm/store/v10/other", "secret")
    return told


def packages_that_are_worked_on(home: Home) -> dict[str, str]:
    told = packages_in_a_directory(home)
    home.file("work/library/notes", "secret")
    home.link("clis/node_modules/library", home.place / "work/library")
    return told


LAYOUTS = [
    *map(shims_that_name_their_root, ("pyenv", "rbenv", "nodenv", "goenv")),
    *(jenv, uv, pipx, nvm, nvm_that_is_loaded_later, fnm, volta, mise, asdf, conda, rustup, sdkman),
    *(java_home, go, homebrew, nix, npm_packages, wasmer, active_environment),
    *(packages_in_a_directory, packages_behind_a_link, packages_in_packages),
    *(packages_of_pnpm, packages_of_pnpm_in_a_store, packages_that_are_worked_on),
]


KEY = "-----BEGIN PRIVATE KEY-----\nsecret\n"
PLANTED = {
    **dict.fromkeys(
        (
            *(".npmrc", "npmrc", ".yarnrc.yml", "bunfig.toml", ".pypirc", "pip.conf", ".netrc"),
            *("_netrc", ".git-credentials", ".cargo/credentials.toml", "credentials", "auth.json"),
            *("gradle.properties", ".gradle/gradle.properties", ".m2/settings-security.xml"),
            *(".docker/config.json", ".dockercfg", "kubeconfig", ".kube/config", "a.kubeconfig"),
            *("id_rsa", "id_ed25519", ".ssh/anything", ".aws/config", ".gnupg/secring", ".condarc"),
            *(".config/gcloud/any.db", ".config/gh/hosts.yml", "share/keyrings/login.keyring"),
            *(".env", ".env.production", ".envrc", "wasmer.toml", ".vault-token", ".pgpass"),
            *("release.keystore", "me.p12", "secrets.yaml", "NuGet.Config", ".terraformrc"),
        ),
        "secret\n",
    ),
    **dict.fromkeys(("server.pem", "server.key", "id_work", "deploy_rsa", "a.asc"), KEY),
    **dict.fromkeys(
        ("service-account.json", "project-0123456789ab.json", "my-credentials.json"),
        '{"private_key": "secret"}',
    ),
    "config.json": '{"auths": {"registry": {"auth": "secret"}}}',
    "settings.xml": "<settings><password>secret</password></settings>",
}
HARMLESS = {
    "cacert.pem": "-----BEGIN CERTIFICATE-----\n",
    "config.json": '{"colour": "red"}',
    "settings.xml": "<settings/>",
    "credentials/__init__.py": "",
    "keyrings/alt/file.py": "",
    "gcloud/gcloud": "",
    "environment": "",
    "id_map.json": "{}",
}


PARTS = ("bin", "lib", "share", "libexec", "versions", "shims")


def somewhere(below: Path, chance: Random) -> Path:
    """Go down from a directory by names of chance."""
    for _ in range(chance.randrange(7)):
        below /= chance.choice(("a", "lib", "python3.11", "vendor", "data", "x-y"))
    return below


class TestInstallers(OnSandbox):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path) -> None:
        self.ground = tmp_path
        self.home = Home(tmp_path / "home")
        self.home.place.chmod(0o700)

    def inside(self, script: str) -> str:
        state = known_tools(self.ground / "state")
        self.sandbox = BubblewrapSandbox(state=state, environment=self.home.environment)
        result, ear = self.shell(script)
        assert result.exit_code == 0, (result, ear.heard)
        return ear.output.decode()

    def everything_hidden(self) -> list[str]:
        """Look for a secret in whatever of the home is visible."""
        return self.inside(f"grep -rls secret {self.home.place} || true").splitlines()

    @pytest.mark.parametrize("build", LAYOUTS, ids=lambda build: build.__name__)
    def test_a_tool_runs_and_keys_beside_it_and_at_any_depth_are_hidden(
        self, build: Callable[[Home], dict[str, str]]
    ) -> None:
        told = build(self.home)
        places = self.plant(Random(repr(told)))  # noqa: S311 - any would do
        asked = f"echo ==; grep -rls secret {self.home.place}; echo ==; ls -d {' '.join(places)} /"
        said, seen, there = self.inside("; ".join((*told, asked))).split("==\n")
        assert said.splitlines() == list(told.values())
        assert seen == ""
        assert there.splitlines() == ["/", *sorted(places)]

    def plant(self, chance: Random) -> list[str]:
        """Put every kind of key into what is shown and beside it; name where they must be covered.

        Beside the parts of an installation nothing is shown, so there a key may as well be absent.
        """
        found = find_toolchain(self.home.environment, self.home.place)
        roots = [it for it in found.roots if self.home.place in it.parents and it.is_dir()]
        private = [root for root in roots if not is_below(root.resolve(), found.stores)]
        places = []
        for number, (name, text) in enumerate(PLANTED.items()):
            root = chance.choice(private or [self.home.place])
            parts = [it for it in sorted(root.iterdir()) if it.is_dir() and it.name in PARTS]
            place = somewhere(chance.choice(parts or [root]), chance)
            self.home.file(f"{place}/{number}/{name}", text)
            self.home.file(f"{somewhere(root, chance)}/beside-{number}/{name}", text)
            places.append(f"{place}/{number}")
        return places if private else []

    def test_what_only_looks_like_a_secret_is_shown(self) -> None:
        wasmer(self.home)
        for name, text in HARMLESS.items():
            self.home.file(f".wasmer/lib/deep/{name}", f"{text} harmless")
        seen = self.inside(f"grep -rl harmless {self.home.place}/.wasmer/lib").splitlines()
        assert {Path(name) for name in seen} == {
            self.home.place / ".wasmer/lib/deep" / name for name in HARMLESS
        }

    def test_a_secret_behind_a_link_is_hidden_under_its_own_name(self) -> None:
        wasmer(self.home)
        self.home.file(".wasmer/lib/deep/ordinary", "secret")
        self.home.link(".wasmer/lib/.npmrc", "deep/ordinary")
        self.home.link(".wasmer/lib/.netrc", "nowhere")
        self.home.link(".wasmer/lib/deep/.aws", "..")
        assert self.inside("wasmer") == ".wasmer\n"
        assert self.everything_hidden() == []

    def test_a_secret_that_comes_later_is_hidden_from_the_next_process(self) -> None:
        wasmer(self.home)
        self.home.file(".wasmer/lib/deep/server.pem", "CERTIFICATE")
        assert self.everything_hidden() == []
        self.home.file(".wasmer/lib/deep/deeper/.npmrc", "secret")
        self.home.file(".wasmer/lib/deep/server.pem", KEY)
        assert self.everything_hidden() == []

    def test_the_search_for_secrets_can_find_one(self) -> None:
        self.home.install("tool", "tool")
        self.home.file("tool/share/note", "secret")
        self.home.on_path("tool/bin")
        assert self.everything_hidden() == [f"{self.home.place}/tool/share/note"]

    def test_a_shim_obeys_the_version_file_of_the_project(self) -> None:
        shims_that_name_their_root("pyenv")(self.home)
        self.home.install(".pyenv/versions/2.0", "pyenv-tool")
        said = self.inside("echo 2.0 > .pyenv-version; pyenv-tool")
        assert said == ".pyenv/versions/2.0\n"

    def test_the_tools_are_told_where_they_are(self) -> None:
        java_home(self.home)
        self.home.variables |= {"GOROOT": "/nowhere", "PYENV_VERSION": "3.99", "SECRET": "x"}
        told = find_toolchain(self.home.environment, self.home.place).environment
        assert told == {"JAVA_HOME": str(self.home.place / "jdks/21"), "PYENV_VERSION": "3.99"}


def real_tools() -> list[tuple[str, str]]:
    """List the commands of this machine that answer when asked for their version."""
    wanted = {"python3": "--version", "node": "--version", "npm": "--version", "go": "version"}
    wanted |= {"cargo": "--version", "rustc": "--version", "java": "-version", "mvn": "-version"}
    found = []
    for name, option in wanted.items():
        if place := shutil.which(name):
            asked = subprocess.run([place, option], capture_output=True, check=False)
            found += [(name, option)] if asked.returncode == 0 else []
    return found


class TestRealTools(OnSandbox):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path) -> None:
        self.ground = tmp_path
        self.sandbox = BubblewrapSandbox(
            state=known_tools(tmp_path / "state"), environment=os.environ
        )

    def test_what_works_on_this_machine_works_inside(self) -> None:
        for name, option in real_tools():
            result, ear = self.shell(f"{name} {option}")
            assert result.exit_code == 0, (name, result, ear.heard)

    @pytest.mark.skipif("PYENV_ROOT" not in os.environ, reason="there is no pyenv on this machine")
    def test_the_shims_of_pyenv_work_inside(self) -> None:
        shims = Path(os.environ["PYENV_ROOT"], "shims")
        result, ear = self.shell(f"{shims}/python3 -c 'import ssl, sqlite3; print(42)'")
        assert (result.exit_code, ear.output) == (0, b"42\n"), ear.heard

    @pytest.mark.skipif(not shutil.which("rustc"), reason="there is no Rust on this machine")
    def test_rust_compiles_inside(self) -> None:
        result, ear = self.shell("echo 'fn main(){print!(\"42\")}' > a.rs; rustc a.rs && ./a")
        assert (result.exit_code, ear.output) == (0, b"42"), ear.heard
