"""Clients of package registries inside a real sandbox, led to the registry of the machine."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.support.known_tools import known_tools
from tests.support.package_registry import TARBALL, WHEEL, package_registry, require_pip

from supervisor_ai.domain.run.values import EgressRefusal
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Egress, Profile, SandboxSpec
from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox
from supervisor_ai.sandboxes.host_view.package_registries import with_registries
from supervisor_ai.testing.sandbox_suite import OnSandbox

USUAL: Final = ("pypi.org:443", "files.pythonhosted.org:443", "registry.npmjs.org:443")
MACHINE: Final = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
"""No word of this machine about registries and certificates."""


class TestRegistries(OnSandbox):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path) -> Iterator[None]:
        self.ground = tmp_path
        self.refused: list[EgressRefusal] = []
        with package_registry(tmp_path / "registry") as self.registry:
            self.sandbox = BubblewrapSandbox(
                state=known_tools(tmp_path / "state"),
                environment={**MACHINE, **self.registry.environment},
            )
            yield

    def asking(self, *argv: str, allow: tuple[str, ...] = USUAL) -> SandboxSpec:
        egress = Egress(on_refusal=self.refused.append, allow=allow)
        return replace(self.spec(*argv), profile=Profile.WORKER, egress=egress)

    def test_pip_installs_from_the_registry_of_the_machine(self) -> None:
        require_pip()
        # On a machine with pyenv this is a shim, which would note what is installed, and cannot.
        script = "python3 -m pip install -q --target t tiny && cat t/tiny.py"
        result, ear = self.run(self.asking("sh", "-c", script))
        assert (result.exit_code, self.refused) == (0, []), ear.heard
        assert ear.output == b"answer = 42\n"
        assert {"/simple/tiny/", f"/{WHEEL}"} <= set(self.registry.asked)

    @pytest.mark.skipif(not shutil.which("npm"), reason="there is no npm on this machine")
    def test_npm_installs_from_the_registry_of_the_machine(self) -> None:
        script = "npm install --silent --no-audit tiny && cat node_modules/tiny/package.json"
        result, ear = self.run(self.asking("sh", "-c", script))
        assert (result.exit_code, self.refused) == (0, []), ear.heard
        assert ear.output == b'{"name": "tiny", "version": "1.0.0"}'
        assert {"/npm/tiny", f"/npm/{TARBALL}"} <= set(self.registry.asked)

    def test_who_may_not_reach_the_usual_registry_does_not_reach_this_one(self) -> None:
        spec = self.asking("sh", "-c", "env", allow=("api.example.com:443",))
        result, ear = self.run(spec)
        assert (result.exit_code, self.registry.asked) == (0, [])
        assert b"PIP_INDEX_URL" not in ear.output
        assert self.registry.url.encode() not in ear.output


class TestSettings(OnSandbox):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path) -> None:
        self.ground = tmp_path

    def told(self, *allow: str, **environment: str) -> SandboxSpec:
        spec = replace(self.spec("true"), egress=Egress(on_refusal=print, allow=allow))
        return with_registries(spec, environment, self.ground, system=self.ground / "etc")

    def test_files_of_the_clients_are_read_and_variables_count_for_more(self) -> None:
        (self.ground / ".pip").mkdir()
        (self.ground / ".pip/pip.conf").write_text("[global]\nindex-url = https://a.example/pypi\n")
        (self.ground / ".npmrc").write_text("registry = https://b.example:8443/npm/\n")
        spec = self.told(*USUAL)
        assert spec.environment == {
            "PIP_INDEX_URL": "https://a.example/pypi",
            "UV_DEFAULT_INDEX": "https://a.example/pypi",
            "UV_INDEX_URL": "https://a.example/pypi",
            "npm_config_registry": "https://b.example:8443/npm/",
            "YARN_NPM_REGISTRY_SERVER": "https://b.example:8443/npm/",
        }
        assert spec.egress is not None
        assert spec.egress.allow == (*USUAL, "a.example:443", "b.example:8443")
        assert spec.egress.private == spec.egress.allow
        over = self.told(*USUAL, PIP_INDEX_URL="https://c.example/pypi")
        assert over.environment["PIP_INDEX_URL"] == "https://c.example/pypi"

    @pytest.mark.parametrize(
        "index",
        [
            *("https://ada:secret@a.example/pypi", "http://a.example/pypi", "file:///opt/pypi"),
            *("https://10.0.0.1/pypi", "https://${HOST}/pypi", "https://a.example:x/", "nonsense"),
        ],
    )
    def test_an_address_with_a_password_or_without_tls_is_kept_to_the_user(
        self, index: str
    ) -> None:
        spec = self.told(*USUAL, PIP_INDEX_URL=index)
        assert dict(spec.environment) == {}
        assert spec.egress is not None
        assert spec.egress.allow == USUAL

    def test_several_registries_may_stand_on_lines_of_their_own(self) -> None:
        (self.ground / "etc").mkdir()
        (self.ground / "etc/pip.conf").write_text(
            "# ours\n[freeze]\nindex-url = https://no.example/\n[global]\ntimeout: 5\n"
            "extra-index-url =\n    https://a.example/\n    file:///opt/pypi\n    https://b.example/\n"
        )
        spec = self.told(*USUAL)
        assert spec.environment == {"PIP_EXTRA_INDEX_URL": "https://a.example/ https://b.example/"}

    def test_only_the_clients_whose_registry_is_listed_are_told(self) -> None:
        named = {"PIP_INDEX_URL": "https://a.example/", "npm_config_registry": "https://b.example/"}
        assert "PIP_INDEX_URL" not in self.told("registry.npmjs.org:443", **named).environment
        assert dict(self.told("api.example.com:443", **named).environment) == {}

    def test_a_file_with_a_private_key_stays_outside(self) -> None:
        good, bad = self.ground / "good.pem", self.ground / "bad.pem"
        good.write_text("-----BEGIN CERTIFICATE-----\n")
        bad.write_text(good.read_text() + "-----BEGIN PRIVATE KEY-----\n")
        spec = self.told(*USUAL, PIP_CERT=str(bad), SSL_CERT_FILE=str(good))
        inside = f"/var/cache/packages/certificates{good}"
        assert spec.environment == {"SSL_CERT_FILE": inside}
        assert {str(it.source): str(it.target) for it in spec.mounts[1:]} == {str(good): inside}
