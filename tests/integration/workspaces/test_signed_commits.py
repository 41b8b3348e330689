"""Commits are signed as the user's git says, with real keys, and never without by accident."""

import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import SignatureMissing
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.domain.run.values import Identity
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.workspaces import Landed, Landing, NotLanded
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.testing.workspaces_suite import wait
from supervisor_ai.tools.programs import find_program
from supervisor_ai.workspaces.commits.merges import try_merges
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.repositories.signatures import find_signer
from supervisor_ai.workspaces.workspaces import GitWorkspaces

ADA = Identity(name="Ada", email="ada@example.org")
KEY = EffectKey("r1/commit/1/1/integrate")
FILES = {"README": "one\n"}


def run(*command: str, **environment: str) -> str:
    program = find_program(command[0], None)
    assert program is not None
    done = subprocess.run(
        [program, *command[1:]],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


class Scene:
    """A user with a repository and a key of their own."""

    def __init__(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.user = ScratchRepository(place / "home")
        self.key = place / "key"
        self.state = place / "state"
        self.signers = place / "signers"
        (place / "empty").mkdir()
        monkeypatch.setenv("HOME", str(place / "empty"))
        for name in ("SSH_AUTH_SOCK", "GNUPGHOME"):
            monkeypatch.delenv(name, raising=False)

    def make_key(self, passphrase: str = "") -> None:
        made = ("-q", "-t", "ed25519", "-N", passphrase, "-C", "ada", "-f", str(self.key))
        run("ssh-keygen", *made)
        self.signers.write_text(f"ada@example.org {self.key.with_suffix('.pub').read_text()}")
        self.configure("commit.gpgsign", "true")
        self.configure("gpg.format", "ssh")
        self.configure("user.signingkey", str(self.key.with_suffix(".pub")))
        self.configure("gpg.ssh.allowedSignersFile", str(self.signers))

    def configure(self, key: str, value: str) -> None:
        self.user.git.run("config", key, value)

    def landing(self) -> Landing:
        base = self.user.commit(FILES)
        snapshot = self.user.plant(FILES | {"new": "x\n"}, parent=base)
        return Landing(
            run=RunId("r1"),
            key=KEY,
            snapshot=snapshot,
            base=base,
            branch="ai/r1",
            expected=None,
            message="Add it",
            identity=ADA,
            at=datetime(2030, 1, 1, tzinfo=UTC),
        )

    def land(self, landing: Landing) -> Landed | NotLanded:
        repository = GitRepository(self.user.path)
        return wait(GitWorkspaces(repository, self.state).land(landing))

    def signature(self, commit: CommitSha) -> str:
        """Say what git says of a commit's signature: G is good, N is none."""
        return run("git", "-C", str(self.user.path), "log", "-1", "--format=%G?", commit).strip()


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    return Scene(tmp_path, monkeypatch)


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    socket = tmp_path / "agent"
    program = find_program("ssh-agent", None)
    assert program is not None
    with subprocess.Popen([program, "-D", "-a", str(socket)], stdout=subprocess.DEVNULL) as process:
        while not socket.exists():
            assert process.poll() is None
        monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
        yield
        process.terminate()


def test_a_commit_carries_the_users_signature_and_its_trailer(scene: Scene) -> None:
    scene.make_key()
    landing = scene.landing()
    landed = scene.land(landing)
    assert isinstance(landed, Landed)
    assert scene.signature(landed.commit) == "G"
    assert scene.user.git.run("log", "-1", "--format=%B", landed.commit).text.endswith(
        f"Supervisor-Op: {KEY}"
    )
    # The trailer is what is looked for: it never lands twice, whatever a signature looks like.
    assert scene.land(landing) == landed


def test_a_branch_that_moved_gets_a_signed_commit_as_well(scene: Scene) -> None:
    scene.make_key()
    landing = scene.landing()
    other = scene.user.plant(FILES | {"other": "y\n"}, parent=landing.base)
    scene.user.git.run("branch", "ai/r1", other)
    landed = scene.land(landing)
    assert isinstance(landed, Landed)
    assert scene.signature(landed.commit) == "G"
    assert scene.signature(other) == "N"


def test_where_git_does_not_sign_nothing_is_signed(scene: Scene) -> None:
    landed = scene.land(scene.landing())
    assert isinstance(landed, Landed)
    assert scene.signature(landed.commit) == "N"


def test_signing_can_be_switched_off(scene: Scene) -> None:
    scene.make_key("secret")
    landed = scene.land(replace(scene.landing(), is_signed=False))
    assert isinstance(landed, Landed)
    assert scene.signature(landed.commit) == "N"


def test_a_locked_key_lets_nothing_land_until_it_is_unlocked(scene: Scene, agent: None) -> None:
    del agent
    scene.make_key("secret")
    landing = scene.landing()
    refused = scene.land(landing)
    assert isinstance(refused, NotLanded)
    assert refused.lacks_signature
    assert refused.reason.startswith("Your git signs commits (commit.gpgsign), and this one could")
    assert "ssh-add" in refused.reason
    assert scene.user.git.ask("rev-parse", "--verify", "-q", "ai/r1").code != 0
    run("ssh-keygen", "-q", "-p", "-P", "secret", "-N", "", "-f", str(scene.key))
    run("ssh-add", "-q", str(scene.key))
    scene.key.unlink()
    landed = scene.land(landing)
    assert isinstance(landed, Landed)
    assert scene.signature(landed.commit) == "G"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"gpg.ssh.program": "tools/sign"}, "the program 'tools/sign' that signs was not found"),
        ({"gpg.ssh.program": "/nowhere/sign"}, "the program '/nowhere/sign' that signs"),
        ({"user.signingkey": "/nowhere/key"}, "could not be signed"),
        ({"gpg.format": "openpgp", "gpg.program": "no-such-gpg"}, "the program 'no-such-gpg'"),
    ],
)
def test_what_cannot_be_signed_does_not_land(
    scene: Scene, settings: dict[str, str], said: str
) -> None:
    scene.make_key()
    for key, value in settings.items():
        scene.configure(key, value)
    refused = scene.land(scene.landing())
    assert isinstance(refused, NotLanded)
    assert refused.lacks_signature
    assert said in refused.reason


def test_a_form_of_signatures_that_nobody_knows_is_told(scene: Scene) -> None:
    scene.configure("commit.gpgsign", "true")
    scene.configure("gpg.format", "wax")
    signer = find_signer(scene.user.path)
    assert signer is not None
    assert signer.problem == "git's gpg.format is 'wax', which is unknown"


@pytest.fixture
def keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if find_program("gpg", None) is None:
        pytest.skip("gpg is not installed here")
    home = tmp_path / "g"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("GNUPGHOME", str(home))
    made = ("--batch", "--passphrase", "", "--quick-gen-key", "Ada <ada@example.org>", "ed25519")
    run("gpg", *made, "sign", "never")
    yield
    run("gpgconf", "--kill", "all")


def test_gpg_signs_with_the_key_of_who_commits(scene: Scene, keyring: None) -> None:
    del keyring
    scene.configure("commit.gpgsign", "true")
    landed = scene.land(scene.landing())
    assert isinstance(landed, Landed), landed
    assert scene.signature(landed.commit) in {"G", "U"}


def test_a_key_that_is_not_named_is_missed(scene: Scene) -> None:
    scene.configure("commit.gpgsign", "yes")
    scene.configure("gpg.format", "ssh")
    refused = scene.land(scene.landing())
    assert isinstance(refused, NotLanded)
    assert "user.signingkey names no key" in refused.reason


def test_the_users_own_program_signs_by_its_absolute_path(scene: Scene, tmp_path: Path) -> None:
    """A program in the place of gpg, which is told what git tells gpg."""
    told = tmp_path / "told"
    program = tmp_path / "my-gpg"
    program.write_text(
        f"#!/bin/sh\necho $0 $* > {told}\ncat >/dev/null\n"
        "echo '[GNUPG:] SIG_CREATED D' >&2\n"
        "printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n'\n"
    )
    program.chmod(0o755)
    scene.configure("commit.gpgsign", "true")
    scene.configure("gpg.program", str(program))
    scene.configure("user.signingkey", "ADA")
    landed = scene.land(scene.landing())
    assert isinstance(landed, Landed)
    assert told.read_text().startswith(f"{program} --status-fd=2 -bsau ADA")
    shown = scene.user.git.run("cat-file", "commit", landed.commit).text
    assert "gpgsig -----BEGIN PGP SIGNATURE-----" in shown


class Certificate:
    """A program in the place of gpgsm, told what git tells gpgsm; at first it is locked."""

    def __init__(self, place: Path) -> None:
        self.told = place / "told"
        self.program = place / "my-gpgsm"
        self._key = place / "unlocked"
        self.program.write_text(
            f"#!/bin/sh\necho $0 $* > {self.told}\ncat >/dev/null\n"
            f"if [ ! -e {self._key} ]; then\n"
            "  echo 'gpgsm: error creating signature: Bad PIN <GPG Agent>' >&2\n  exit 2\nfi\n"
            "echo '[GNUPG:] SIG_CREATED D' >&2\n"
            "printf -- '-----BEGIN SIGNED MESSAGE-----\\nx\\n-----END SIGNED MESSAGE-----\\n'\n"
        )
        self.program.chmod(0o755)

    def unlock(self) -> None:
        self._key.touch()


@pytest.fixture
def certificate(scene: Scene, tmp_path: Path) -> Certificate:
    made = Certificate(tmp_path)
    scene.configure("commit.gpgsign", "true")
    scene.configure("gpg.format", "x509")
    scene.configure("user.signingkey", "0xADA")
    return made


@pytest.mark.parametrize("is_named", [True, False])
def test_a_certificate_signs_once_its_key_is_unlocked(
    scene: Scene, certificate: Certificate, monkeypatch: pytest.MonkeyPatch, *, is_named: bool
) -> None:
    if is_named:
        scene.configure("gpg.x509.program", str(certificate.program))
    else:
        usual = certificate.program.parent / "usual"
        usual.mkdir()
        (usual / "gpgsm").symlink_to(certificate.program)
        monkeypatch.setenv("PATH", f"{usual}:{os.environ['PATH']}")
    landing = scene.landing()
    refused = scene.land(landing)
    assert isinstance(refused, NotLanded)
    assert refused.lacks_signature
    assert "could not be signed: error: gpg failed to sign the data" in refused.reason
    assert scene.user.git.ask("rev-parse", "--verify", "-q", "ai/r1").code != 0
    certificate.unlock()
    landed = scene.land(landing)
    assert isinstance(landed, Landed)
    assert "--status-fd=2 -bsau 0xADA" in certificate.told.read_text()
    shown = scene.user.git.run("cat-file", "commit", landed.commit).text
    assert "gpgsig -----BEGIN SIGNED MESSAGE-----" in shown
    assert scene.land(landing) == landed


def test_the_program_of_another_form_does_not_sign(scene: Scene, certificate: Certificate) -> None:
    certificate.unlock()
    scene.configure("gpg.program", str(certificate.program))
    scene.configure("gpg.x509.program", "no-such-gpgsm")
    refused = scene.land(scene.landing())
    assert isinstance(refused, NotLanded)
    assert "the program 'no-such-gpgsm' that signs was not found" in refused.reason
    assert not certificate.told.exists()


def test_a_merge_commit_of_the_users_is_signed_or_not_made(scene: Scene) -> None:
    scene.make_key()
    landing = scene.landing()
    ours = scene.user.commit(FILES | {"mine": "y\n"})
    repository = GitRepository(scene.user.path)
    with try_merges(repository, scene.state) as merges:
        user = merges.for_user()
        merged = user.merge(ours, landing.snapshot)
        assert merged is not None
        made = user.commit(merged.tree, (ours, landing.snapshot), "Both\n")
        assert scene.signature(made) == "G"
        scene.key.unlink()
        with pytest.raises(SignatureMissing, match="could not be signed") as error:
            user.commit(merged.tree, (ours, landing.snapshot), "Again\n")
        assert "sign_commits: false" in (error.value.hint or "")
        plain = user.commit(merged.tree, (ours,), "Plain\n", is_signed=False)
        assert scene.signature(plain) == "N"
