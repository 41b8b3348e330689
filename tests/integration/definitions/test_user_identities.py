"""Lists of signers as people really have them, and those by which one human would be two."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.ssh_keys import KeyRing, keygen, public

from supervisor_ai.definitions.identities.signers import exact_signers
from supervisor_ai.definitions.identities.user_identities import UserIdentities
from supervisor_ai.domain.errors import Denied, InvalidInput, Unavailable
from supervisor_ai.domain.people import Person, Unproven
from supervisor_ai.workspaces.repositories.git import user_path

BOB = Person(name="bob", ssh="bob@example.com")
CAROL = Person(name="carol", user="carol", ssh="carol@example.com")
PEOPLE = """\
people:
  leads: [{name: bob, ssh: bob@example.com}]
  security: [{name: carol, user: carol, ssh: carol@example.com}]
"""
DOCUMENT = b"a decision\n"
GitPath = Callable[[str], Path | None]


class Repository:
    """Holds everything below a directory."""

    def __init__(self, top: Path) -> None:
        self.top = top

    def make_mark(self) -> str:
        return "0" * 32

    def refuse_inside(self, *places: Path, hint: str) -> None:
        if any(place.is_relative_to(self.top) for place in places):
            raise Denied("It lies inside.", hint=hint)


@pytest.fixture
def ring(tmp_path: Path) -> KeyRing:
    made = KeyRing(tmp_path)
    made.forget()
    return made


def identities(
    ring: KeyRing, *, config: str | None = None, git_path: GitPath = lambda _name: None
) -> UserIdentities:
    text = f"{PEOPLE}allowed_signers: {ring.signers}\n" if config is None else config
    (ring.place / "config.yaml").write_text(text)
    return UserIdentities(ring.place, "ada", Repository(ring.place / "project"), git_path)


def ask(ring: KeyRing, key: Path) -> Person | Unproven:
    return identities(ring).verify(DOCUMENT, ring.sign(key, DOCUMENT))


def reason(found: Person | Unproven) -> str:
    assert isinstance(found, Unproven)
    return found.reason


def test_the_file_may_say_more_than_we_need(ring: KeyRing) -> None:
    bob, other = ring.key("bob"), ring.key("other")
    ring.lines += ["# whose keys are whose", "", f"someone@else.com {public(other)}"]
    ring.allow('"bob@example.com"', bob, 'namespaces="git,supervisor-approval"')
    assert ask(ring, bob) == BOB
    assert "who is in no group" in reason(ask(ring, other))


def test_a_key_that_nobody_lists_proves_nothing(ring: KeyRing) -> None:
    ring.allow("bob@example.com", ring.key("bob"))
    assert "does not list" in reason(ask(ring, ring.key("mallory")))


@pytest.mark.parametrize(
    "options",
    [
        'valid-before="20200101"',
        'valid-after="20990101"',
        'namespaces="git"',
        'valid-after="20200101",valid-before="20200102"',
    ],
)
def test_a_key_counts_only_when_and_for_what_it_is_listed(ring: KeyRing, options: str) -> None:
    bob = ring.key("bob")
    ring.allow("bob@example.com", bob, options)
    assert reason(ask(ring, bob))
    ring.forget()
    ring.allow("bob@example.com", bob, 'valid-after="20200101",valid-before="20990101"')
    assert ask(ring, bob) == BOB


@pytest.mark.parametrize(
    "principals",
    ["*", "*@example.com", "bob@*", "?ob@example.com", "bob@example.com,*", '"b*b@example.com"'],
)
def test_a_pattern_stands_for_nobody(ring: KeyRing, principals: str) -> None:
    bob = ring.key("bob")
    ring.allow(principals, bob)
    assert "does not list" in reason(ask(ring, bob))


def test_a_principal_is_the_same_word_and_no_part_of_it(ring: KeyRing) -> None:
    bob = ring.key("bob")
    for principal in ("BOB@example.com", "bob@example.com.evil", "xbob@example.com", "bob"):
        ring.forget()
        ring.allow(principal, bob)
        assert reason(ask(ring, bob))


@pytest.mark.parametrize("is_one_line", [True, False])
def test_a_key_that_is_good_for_two_people_proves_neither(
    ring: KeyRing,
    is_one_line: bool,  # noqa: FBT001 - a case
) -> None:
    bob = ring.key("bob")
    if is_one_line:
        ring.allow("bob@example.com,carol@example.com", bob)
    else:
        ring.allow("bob@example.com", bob)
        ring.allow("carol@example.com", bob)
    assert (
        reason(ask(ring, bob)) == "The key is listed for 'bob' and 'carol', so it proves neither."
    )


def test_somebody_may_have_several_keys(ring: KeyRing) -> None:
    keys = [ring.key("desk"), ring.key("laptop", "rsa", "2048")]
    for key in keys:
        ring.allow("bob@example.com", key)
    assert [ask(ring, key) for key in keys] == [BOB, BOB]


class Authority:
    """Certifies keys for principals."""

    def __init__(self, ring: KeyRing) -> None:
        self.ring = ring
        self.key = ring.key("authority")

    def certify(self, name: str, principals: str, validity: str = "+1d") -> Path:
        key = self.ring.key(name)
        words = ("-I", name, "-n", principals, "-V", validity)
        keygen("-s", str(self.key), *words, f"{key}.pub")
        return Path(f"{key}-cert.pub")


@pytest.mark.parametrize("pattern", ["*", "*@example.com", "bob@example.com"])
def test_a_certificate_names_its_holder_itself(ring: KeyRing, pattern: str) -> None:
    authority = Authority(ring)
    ring.allow(pattern, authority.key, 'namespaces="supervisor-approval",cert-authority')
    certificate = authority.certify("bobs", "bob@example.com")
    assert ask(ring, certificate) == BOB


@pytest.mark.parametrize(
    ("principals", "validity"),
    [
        ("bob@example.com", "20200101:20200102"),
        ("mallory@example.com", "+1d"),
        ("bob@elsewhere.com", "+1d"),
        ("bob@example.com,carol@example.com", "+1d"),
    ],
)
def test_a_certificate_for_others_or_another_time_proves_nothing(
    ring: KeyRing, principals: str, validity: str
) -> None:
    authority = Authority(ring)
    ring.allow("*@example.com", authority.key, "cert-authority")
    certificate = authority.certify("theirs", principals, validity)
    assert reason(ask(ring, certificate))


def test_a_certificate_of_a_stranger_proves_nothing(ring: KeyRing) -> None:
    stranger = Authority(ring)
    ring.allow("*", ring.key("ours"), "cert-authority")
    assert reason(ask(ring, stranger.certify("bobs", "bob@example.com")))


def test_a_revoked_key_proves_nothing(ring: KeyRing) -> None:
    bob, carol = ring.key("bob"), ring.key("carol")
    ring.allow("bob@example.com", bob)
    ring.allow("carol@example.com", carol)
    revoked = ring.place / "revoked"
    keygen("-k", "-f", str(revoked), f"{bob}.pub")
    asked = identities(
        ring, git_path=lambda name: revoked if name == "gpg.ssh.revocationFile" else None
    )
    assert "revoked" in reason(asked.verify(DOCUMENT, ring.sign(bob, DOCUMENT)))
    assert asked.verify(DOCUMENT, ring.sign(carol, DOCUMENT)) == CAROL


def test_without_a_list_nobody_is_proven(ring: KeyRing) -> None:
    bob = ring.key("bob")
    found = identities(ring, config=PEOPLE).verify(DOCUMENT, ring.sign(bob, DOCUMENT))
    assert "You list no signers" in reason(found)


def test_the_users_git_may_say_where_the_list_is(
    ring: KeyRing, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob = ring.key("bob")
    ring.allow("bob@example.com", bob)
    settings = ring.place / "gitconfig"
    settings.write_text('[gpg "ssh"]\n allowedSignersFile = ~/allowed_signers\n')
    monkeypatch.setenv("HOME", str(ring.place))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    asked = identities(ring, config=PEOPLE, git_path=user_path)
    assert asked.verify(DOCUMENT, ring.sign(bob, DOCUMENT)) == BOB
    # A relative path means a file of whatever repository git stands in.
    settings.write_text('[gpg "ssh"]\n allowedSignersFile = allowed_signers\n')
    assert "no signers" in reason(asked.verify(DOCUMENT, ring.sign(bob, DOCUMENT)))


def test_a_list_that_cannot_be_read_is_no_answer(ring: KeyRing) -> None:
    signature = ring.sign(ring.key("bob"), DOCUMENT)
    asked = identities(ring)
    ring.signers.unlink()
    with pytest.raises(Unavailable, match="No such file"):
        asked.verify(DOCUMENT, signature)
    os.mkfifo(ring.signers)
    with pytest.raises(Unavailable, match="it is no file"):
        asked.verify(DOCUMENT, signature)
    ring.signers.unlink()
    ring.signers.write_bytes(b"#" * (2 << 20))
    with pytest.raises(Unavailable, match="too long"):
        asked.verify(DOCUMENT, signature)


def test_a_list_inside_the_repository_is_not_the_users_word(ring: KeyRing) -> None:
    inside = KeyRing(ring.place / "project")
    inside.place.mkdir()
    bob = ring.key("bob")
    inside.allow("bob@example.com", bob)
    asked = identities(ring, config=f"{PEOPLE}allowed_signers: {inside.signers}\n")
    with pytest.raises(Denied, match="inside"):
        asked.verify(DOCUMENT, ring.sign(bob, DOCUMENT))


def test_a_config_with_a_mistake_is_no_answer(ring: KeyRing) -> None:
    with pytest.raises(InvalidInput, match="unknown key"):
        identities(ring, config="persons: {}\n").people()


def test_who_people_are_is_read_at_every_question(ring: KeyRing) -> None:
    bob = ring.key("bob")
    ring.allow("bob@example.com", bob)
    asked, signature = identities(ring), ring.sign(bob, DOCUMENT)
    assert asked.verify(DOCUMENT, signature) == BOB
    (ring.place / "config.yaml").write_text(f"allowed_signers: {ring.signers}\n")
    assert "in no group" in reason(asked.verify(DOCUMENT, signature))


def test_lines_that_no_reader_understands_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "list"
    kept = 'a@x ssh-ed25519 AAAA\n* zeal="a, b",CERT-AUTHORITY,x ssh-ed25519 AAAA\n'
    file.write_bytes(
        kept.encode() + b'"a b\nlonely\n \t\n#* ssh-rsa A\n* ssh-ed25519 AAAA cert-authority\n'
        b'* namespaces="cert-authority," ssh-ed25519 AAAA\n!a@x ssh-rsa A\n\xff* ssh-rsa A\n'
    )
    assert exact_signers(file) == kept
