"""What every proof of who decides must do, as tests that a subclass for pytest runs.

The subclass gives each test its `desk`, as an autouse fixture does.
"""
# ruff: noqa: D102, S101 - a test's name is its sentence; it asserts

import re
from typing import Protocol

from supervisor_ai.domain.people import People, Person, Unproven
from supervisor_ai.domain.run.approvals.decision_document import MOST_BYTES
from supervisor_ai.engine.ports.identities import Identities

BOB = Person(name="bob", ssh="bob@example.com")
CAROL = Person(name="carol", user="carol", ssh="carol@example.com")
_MARK = re.compile("[0-9a-f]{32}")
_DOCUMENT = b"supervisor decision 1\nand so on\n"


class SigningDesk(Protocol):
    """A user with a list of signers, and people who have the keys."""

    def known(self, people: People) -> Identities:
        """Let the user's config name these people; everybody's key is listed."""
        ...

    def sign(self, principal: str, document: bytes, *, namespace: str | None = None) -> bytes:
        """Sign as somebody with the key that is listed for them."""
        ...

    def expire(self, principal: str) -> None:
        """Let the key of somebody count no more."""
        ...


class IdentitiesSuite:
    """Who decides, and the proof of it."""

    desk: SigningDesk

    def _identities(self) -> Identities:
        return self.desk.known(People(groups={"a": (BOB, CAROL), "b": (CAROL,)}))

    def test_who_signed_is_known(self) -> None:
        identities = self._identities()
        for person in (BOB, CAROL):
            signature = self.desk.sign(str(person.ssh), _DOCUMENT)
            assert identities.verify(_DOCUMENT, signature) == person
            assert identities.verify(_DOCUMENT, signature) == person

    def test_the_people_are_those_of_the_users_config(self) -> None:
        assert self._identities().people().groups == {"a": (BOB, CAROL), "b": (CAROL,)}
        assert self.desk.known(People()).people().everybody == ()

    def test_the_project_is_known_by_a_mark_that_stays(self) -> None:
        identities = self._identities()
        assert _MARK.fullmatch(identities.project())
        assert identities.project() == identities.project()
        assert identities.user()

    def test_another_document_is_not_what_was_signed(self) -> None:
        identities, signature = self._identities(), self.desk.sign(str(BOB.ssh), _DOCUMENT)
        for other in (b"", _DOCUMENT[:-1], _DOCUMENT + b"\n", _DOCUMENT.replace(b"1", b"2")):
            assert isinstance(identities.verify(other, signature), Unproven)

    def test_a_changed_signature_proves_nothing(self) -> None:
        identities, signature = self._identities(), self.desk.sign(str(BOB.ssh), _DOCUMENT)
        middle = len(signature) // 2
        swapped = signature[:middle] + bytes([signature[middle] ^ 1]) + signature[middle + 1 :]
        for other in (b"", b"-", signature[:middle], swapped, b"\xff\x00" * 50):
            assert isinstance(identities.verify(_DOCUMENT, other), Unproven)

    def test_a_signature_for_another_purpose_proves_nothing(self) -> None:
        identities = self._identities()
        for namespace in ("git", "file", "supervisor-packs"):
            signature = self.desk.sign(str(BOB.ssh), _DOCUMENT, namespace=namespace)
            assert isinstance(identities.verify(_DOCUMENT, signature), Unproven)

    def test_a_listed_key_of_somebody_who_is_in_no_group_proves_nothing(self) -> None:
        signature = self.desk.sign(str(CAROL.ssh), _DOCUMENT)
        identities = self.desk.known(People(groups={"a": (BOB,)}))
        assert isinstance(identities.verify(_DOCUMENT, signature), Unproven)

    def test_a_key_that_counts_no_more_proves_nothing(self) -> None:
        identities, signature = self._identities(), self.desk.sign(str(BOB.ssh), _DOCUMENT)
        self.desk.expire(str(BOB.ssh))
        found = identities.verify(_DOCUMENT, signature)
        assert isinstance(found, Unproven)
        assert found.reason.endswith(".")

    def test_what_is_too_long_is_not_looked_at(self) -> None:
        identities, long = self._identities(), b"x" * (MOST_BYTES + 1)
        assert isinstance(identities.verify(long, self.desk.sign(str(BOB.ssh), long)), Unproven)
