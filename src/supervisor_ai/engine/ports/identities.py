"""Who people are, asked again whenever somebody decides."""

from typing import Protocol

from supervisor_ai.domain.people import People, Person, Unproven


class Identities(Protocol):
    """The user's word on who may decide, as it is now, and the proofs that count.

    A question that cannot be answered (no program, a file that cannot be read) is an exception; a
    proof that proves nothing is an `Unproven`.
    """

    def people(self) -> People:
        """Return the groups of the user's config."""
        ...

    def user(self) -> str:
        """Name the operating-system user of this process, who alone needs no other proof."""
        ...

    def project(self) -> str:
        """Return the mark of the repository that decisions have to be signed for."""
        ...

    def verify(self, document: bytes, signature: bytes) -> Person | Unproven:
        """Say who signed exactly these bytes as a decision; keys count as they do now."""
        ...
