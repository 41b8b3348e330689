"""People of a user's config with real SSH keys, and the fake of them, prove the same."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support.ssh_keys import KeyRing

from supervisor_ai.definitions.identities.user_identities import UserIdentities
from supervisor_ai.domain.people import People, Person
from supervisor_ai.domain.run.approvals.decision_document import NAMESPACE
from supervisor_ai.testing.fake_identities import FakeIdentities, fake_signature
from supervisor_ai.testing.identities_suite import IdentitiesSuite


class AnyRepository:
    def make_mark(self) -> str:
        return "f" * 32

    def refuse_inside(self, *places: Path, hint: str) -> None:
        del places, hint


def written(person: Person) -> str:
    proofs = {"user": person.user, "ssh": person.ssh}
    said = "".join(f", {key}: {proof}" for key, proof in proofs.items() if proof)
    return f"{{name: {person.name}{said}}}"


@dataclass
class RealDesk:
    ring: KeyRing
    kind: str
    bits: str | None

    def known(self, people: People) -> UserIdentities:
        groups = {name: map(written, members) for name, members in people.groups.items()}
        lines = (f"  {name}: [{', '.join(members)}]\n" for name, members in groups.items())
        config = f"allowed_signers: {self.ring.signers}\npeople:\n{''.join(lines)}"
        (self.ring.place / "config.yaml").write_text(config)
        return UserIdentities(self.ring.place, "ada", AnyRepository(), lambda _name: None)

    def sign(self, principal: str, document: bytes, *, namespace: str | None = None) -> bytes:
        is_new = principal not in self.ring.keys
        key = self.ring.key(principal, self.kind, self.bits)
        if is_new:
            self.ring.allow(principal, key)
        return self.ring.sign(key, document, namespace=namespace or NAMESPACE)

    def expire(self, principal: str) -> None:
        self.ring.forget()
        self.ring.allow(principal, self.ring.keys[principal], 'valid-before="20200101"')


class FakeDesk:
    def __init__(self) -> None:
        self.identities = FakeIdentities()

    def known(self, people: People) -> FakeIdentities:
        self.identities.known = people
        return self.identities

    def sign(self, principal: str, document: bytes, *, namespace: str | None = None) -> bytes:
        return fake_signature(principal, document, namespace=namespace or NAMESPACE)

    def expire(self, principal: str) -> None:
        self.identities.expired.add(principal)


class TestFakeIdentities(IdentitiesSuite):
    @pytest.fixture(autouse=True)
    def _furnish(self) -> None:
        self.desk = FakeDesk()


@pytest.mark.parametrize(
    "kind", [("ed25519", None), ("rsa", "2048"), ("ecdsa", "256")], ids=lambda it: it[0]
)
class TestUserIdentities(IdentitiesSuite):
    @pytest.fixture(autouse=True)
    def _furnish(self, tmp_path: Path, kind: tuple[str, str | None]) -> None:
        ring = KeyRing(tmp_path)
        ring.forget()
        self.desk = RealDesk(ring, *kind)
