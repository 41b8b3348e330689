"""Package caches of the host, used read-only by the real tools inside a real sandbox."""

import base64
import functools
import hashlib
import http.server
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest
from tests.support.known_tools import known_tools
from tests.support.processes import PATIENCE

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.structs import replace
from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox
from supervisor_ai.sandboxes.host_view.package_caches import CACHE_NAMES, find_caches
from supervisor_ai.testing.sandbox_suite import OnSandbox

TOOLS = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
LAYOUT = (
    ".cargo/registry/cache",
    ".cargo/registry/index",
    ".cargo/registry/src",
    ".cargo/git/db",
    "go/pkg/mod/cache/download",
    "go/pkg/mod/cache/vcs",
    ".gradle/caches/modules-2",
    ".gradle/caches/jars-9",
    ".m2/repository",
    ".npm/_cacache",
    ".npm/_logs",
    ".cache/uv/archive-v0",
    ".cache/uv/wheels-v9",
    ".cache/uv/sdists-v9",
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    for place in LAYOUT:
        (home / place).mkdir(parents=True)
    for secret in (".cargo/credentials.toml", ".gradle/gradle.properties", ".m2/settings.xml"):
        (home / secret).write_text("secret")
    return home


def test_only_the_packages_are_shown(home: Path) -> None:
    caches = find_caches(CACHE_NAMES, {}, home)
    assert {str(mount.source.relative_to(home)): str(mount.target) for mount in caches.mounts} == {
        ".cargo/registry/cache": "/home/agent/.cargo/registry/cache",
        ".cargo/registry/index": "/home/agent/.cargo/registry/index",
        ".cargo/registry/src": "/home/agent/.cargo/registry/src",
        "go/pkg/mod/cache/download": "/var/cache/packages/go",
        ".gradle/caches/modules-2": "/var/cache/packages/gradle/modules-2",
        ".m2/repository": "/var/cache/packages/maven",
        ".npm/_cacache": "/var/cache/packages/npm/_cacache",
        ".cache/uv/archive-v0": "/home/agent/.cache/uv/archive-v0",
        ".cache/uv/wheels-v9": "/home/agent/.cache/uv/wheels-v9",
    }
    assert not any(mount.is_writable for mount in caches.mounts)


def test_a_tool_is_told_of_its_own_cache_only(home: Path) -> None:
    assert find_caches(["go", "go"], {}, home).environment == {
        "GOPROXY": "file:///var/cache/packages/go",
        "GOSUMDB": "off",
    }
    assert not find_caches([], {}, home).environment


def test_the_directories_above_a_cache_in_the_home_are_the_commands_own(home: Path) -> None:
    assert list(map(str, find_caches(CACHE_NAMES, {}, home).writable)) == [
        "/home/agent/.cache",
        "/home/agent/.cache/uv",
        "/home/agent/.cargo",
        "/home/agent/.cargo/registry",
    ]
    assert find_caches(["npm"], {}, home).writable == ()


def test_a_cache_is_found_where_its_variable_says(home: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "pkg/mod/cache/download").mkdir(parents=True)
    found = find_caches(["go"], {"GOPATH": str(elsewhere)}, home).mounts
    assert [mount.source for mount in found] == [elsewhere / "pkg/mod/cache/download"]
    assert find_caches(["go"], {"GOPATH": "relative"}, home).mounts[0].source.is_relative_to(home)


def test_without_a_cache_and_a_network_nobody_waits_for_one(tmp_path: Path) -> None:
    caches = find_caches(["npm"], {}, tmp_path, has_network=False)
    assert (caches.mounts, caches.environment) == ((), {"npm_config_offline": "true"})


def test_a_cache_that_does_not_exist_is_left_out(tmp_path: Path) -> None:
    caches = find_caches(CACHE_NAMES, {}, tmp_path)
    assert (caches.mounts, caches.environment) == ((), {})


def test_a_link_to_the_home_is_left_out(home: Path) -> None:
    (home / ".m2/repository").rmdir()
    (home / ".m2/repository").symlink_to(home)
    assert find_caches(["maven"], {}, home).mounts == ()


def test_an_unknown_name_is_told_the_known_ones(home: Path) -> None:
    with pytest.raises(InvalidInput) as refused:
        find_caches(["npn"], {}, home)
    assert refused.value.message == "There is no package cache 'npn'."
    assert str(refused.value.hint).startswith("Did you mean 'npm'? sandbox.caches may name: cargo,")


@pytest.mark.parametrize("name", ["pip", "pnpm", "yarn"])
def test_what_needs_a_writable_cache_is_refused_with_its_reason(home: Path, name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        find_caches([name], {}, home)
    assert f"The cache of {name!r} cannot be shown to a worker: {name} " in refused.value.message


class TestRealCaches(OnSandbox):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path) -> None:
        self.ground = tmp_path
        self.home = tmp_path / "home"
        self.home.mkdir()
        self.sandbox = BubblewrapSandbox(
            state=known_tools(tmp_path / "state"), environment=os.environ
        )

    def on_the_host(self, *argv: str, cwd: Path, **variables: str) -> None:
        given = {**os.environ, **variables}
        subprocess.run(argv, cwd=cwd, env=given, capture_output=True, check=True, timeout=PATIENCE)

    def inside(self, script: str, name: str, **variables: str) -> str:
        caches = find_caches([name], variables, self.home)
        assert caches.mounts
        spec = self.spec("sh", "-c", script)
        mounts = (*spec.mounts, *caches.mounts)
        result, ear = self.run(replace(spec, mounts=mounts, environment=caches.environment))
        assert result.exit_code == 0, (result, ear.heard)
        return ear.output.decode()

    @pytest.mark.skipif(not shutil.which("cargo"), reason="there is no Rust on this machine")
    def test_cargo_builds_with_a_dependency_from_the_cache(self) -> None:
        index = self.ground / "index"
        crate = self.crate()
        self.register(index, crate)
        project = self.project(index)
        self.on_the_host("cargo", "fetch", cwd=project, CARGO_HOME=str(self.home / ".cargo"))
        shutil.rmtree(index)
        shutil.copytree(project, self.ground / "workspace", dirs_exist_ok=True)
        said = self.inside("cargo run --quiet --frozen", "cargo")
        assert said == "42"

    def crate(self) -> bytes:
        files = {
            "Cargo.toml": '[package]\nname = "tiny"\nversion = "1.0.0"\nedition = "2021"\n',
            "src/lib.rs": "pub fn answer() -> u8 { 42 }\n",
        }
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for name, text in files.items():
                member = tarfile.TarInfo(f"tiny-1.0.0/{name}")
                member.size = len(text)
                archive.addfile(member, io.BytesIO(text.encode()))
        return packed.getvalue()

    def register(self, index: Path, crate: bytes) -> None:
        (index / "ti/ny").mkdir(parents=True)
        (self.ground / "tiny-1.0.0.crate").write_bytes(crate)
        dl = f"file://{self.ground}/{{crate}}-{{version}}.crate"
        (index / "config.json").write_text(json.dumps({"dl": dl}))
        digest = hashlib.sha256(crate).hexdigest()
        row = {"name": "tiny", "vers": "1.0.0", "deps": [], "features": {}, "cksum": digest}
        (index / "ti/ny/tiny").write_text(json.dumps({**row, "yanked": False}) + "\n")
        author = ("-c", "user.name=a", "-c", "user.email=a@b")
        for words in (("init", "-q"), ("add", "."), (*author, "commit", "-q", "-m", "index")):
            self.on_the_host("git", *words, cwd=index)

    def project(self, index: Path) -> Path:
        project = self.ground / "project"
        (project / "src").mkdir(parents=True)
        (project / ".cargo").mkdir()
        (project / ".cargo/config.toml").write_text(
            f'[registries.local]\nindex = "file://{index}"\n[net]\ngit-fetch-with-cli = true\n'
        )
        (project / "Cargo.toml").write_text(
            '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n'
            '[dependencies]\ntiny = {version = "1", registry = "local"}\n'
        )
        (project / "src/main.rs").write_text('fn main() { print!("{}", tiny::answer()) }\n')
        return project

    @pytest.mark.skipif(not shutil.which("mvn"), reason="there is no Maven on this machine")
    def test_maven_reads_its_repository(self) -> None:
        jar = self.home / ".m2/repository/org/example/tiny/1/tiny-1.pom"
        jar.parent.mkdir(parents=True)
        head = "<project><modelVersion>4.0.0</modelVersion><packaging>pom</packaging>"
        jar.write_text(
            f"{head}<groupId>org.example</groupId><artifactId>tiny</artifactId>"
            "<version>1</version></project>"
        )
        workspace = self.ground / "workspace"
        workspace.mkdir()
        (workspace / "pom.xml").write_text(
            f"{head}<artifactId>app</artifactId><parent><groupId>org.example</groupId>"
            "<artifactId>tiny</artifactId><version>1</version><relativePath/></parent></project>"
        )
        assert "BUILD SUCCESS" in self.inside("mvn -B -o validate", "maven")

    @pytest.mark.skipif(not shutil.which("npm"), reason="there is no npm on this machine")
    def test_npm_installs_a_locked_package_from_the_cache(self) -> None:
        package = self.ground / "package"
        package.mkdir()
        (package / "package.json").write_text('{"name": "tiny", "version": "1.0.0"}')
        variables = {"HOME": str(self.home), "npm_config_cache": str(self.home / ".npm")}
        self.on_the_host("npm", "pack", "--silent", cwd=package, **variables)
        archive = package / "tiny-1.0.0.tgz"
        self.on_the_host("npm", "cache", "add", str(archive), cwd=package, **variables)
        self.lock(archive.read_bytes())
        said = self.inside("npm ci --silent && cat node_modules/tiny/package.json", "npm")
        assert json.loads(said) == {"name": "tiny", "version": "1.0.0"}

    def lock(self, archive: bytes) -> None:
        workspace = self.ground / "workspace"
        workspace.mkdir()
        needs = {"name": "app", "version": "1.0.0", "dependencies": {"tiny": "1.0.0"}}
        digest = base64.b64encode(hashlib.sha512(archive).digest()).decode()
        tiny = {
            "version": "1.0.0",
            "resolved": "http://127.0.0.1:9/tiny/-/tiny-1.0.0.tgz",
            "integrity": f"sha512-{digest}",
        }
        locked = {"lockfileVersion": 3, "packages": {"": needs, "node_modules/tiny": tiny}}
        (workspace / "package.json").write_text(json.dumps(needs))
        (workspace / "package-lock.json").write_text(json.dumps({**needs, **locked}))

    @pytest.mark.skipif(not shutil.which("uv", path=TOOLS), reason="there is no uv here")
    def test_uv_installs_from_the_cache(self) -> None:
        index = self.ground / "index"
        (index / "tiny").mkdir(parents=True)
        wheel = index / "tiny/tiny-1.0.0-py3-none-any.whl"
        self.build_wheel(wheel)
        (index / "tiny/index.html").write_text(f'<a href="{wheel.name}">{wheel.name}</a>')
        serve = functools.partial(SilentServer, directory=str(index))
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            url = f"http://127.0.0.1:{server.server_port}/"
            uv = str(shutil.which("uv", path=TOOLS))
            install = ("pip", "install", "--python", sys.executable, "--index-url", url)
            cache = str(self.home / ".cache/uv")
            target = str(self.ground / "target")
            words = (uv, *install, "--target", target, "tiny")
            self.on_the_host(*words, cwd=self.ground, UV_CACHE_DIR=cache)
            server.shutdown()
        said = self.inside(f"uv {' '.join(install)} --target t tiny && cat t/tiny.py", "uv")
        assert said == "answer = 42\n"

    def build_wheel(self, wheel: Path) -> None:
        about = "tiny-1.0.0.dist-info"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("tiny.py", "answer = 42\n")
            archive.writestr(
                f"{about}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0.0\n"
            )
            archive.writestr(
                f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            )
            archive.writestr(f"{about}/RECORD", "tiny.py,,\n")


class SilentServer(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:  # type: ignore[explicit-override]
        """Leave the test's output alone."""
