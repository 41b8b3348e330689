"""People whose keys are words: a signature is the principal, the namespace and what was signed."""

from supervisor_ai.domain.people import People, Person, Unproven
from supervisor_ai.domain.run.approvals.decision_document import MOST_BYTES, NAMESPACE


def fake_signature(principal: str, document: bytes, *, namespace: str = NAMESPACE) -> bytes:
    """Sign a document as somebody."""
    return b"\n".join((principal.encode(), namespace.encode(), document))


class FakeIdentities:
    """Knows who it is told to know; a test may change any of it at any time."""

    def __init__(self, people: People | None = None, *, user: str = "ada") -> None:
        self.known = people or People()
        self.user_name = user
        self.mark = "0" * 32
        self.expired: set[str] = set()
        """The principals whose keys count no more."""

    def people(self) -> People:
        """Return who is known."""
        return self.known

    def user(self) -> str:
        """Name the user of this process."""
        return self.user_name

    def project(self) -> str:
        """Return the mark of the project."""
        return self.mark

    def verify(self, document: bytes, signature: bytes) -> Person | Unproven:
        """Say whose word the signature is."""
        principal, _, rest = signature.partition(b"\n")
        namespace, _, signed = rest.partition(b"\n")
        person = self.known.person_of_signer(principal.decode(errors="replace"))
        if person is None or person.ssh in self.expired:
            return Unproven(reason="It is signed with a key that nobody lists.")
        if len(document) > MOST_BYTES or (namespace, signed) != (NAMESPACE.encode(), document):
            return Unproven(reason=f"It is not what {person.name!r} signed.")
        return person
