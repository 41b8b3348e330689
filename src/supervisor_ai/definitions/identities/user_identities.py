"""People as the user's config has them now, and signatures by the keys that the user lists."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, Protocol

from supervisor_ai.definitions.identities.signers import exact_signers
from supervisor_ai.definitions.identities.ssh_keygen import SshSignature, open_signature
from supervisor_ai.domain.people import People, Person, Unproven
from supervisor_ai.domain.run.approvals.decision_document import MOST_BYTES, NAMESPACE

if TYPE_CHECKING:
    from supervisor_ai.definitions.config.people import OwnPeople

_MOST_OF_SIGNATURE: Final = 1 << 15
_LIST: Final = "gpg.ssh.allowedSignersFile"
_REVOKED: Final = "gpg.ssh.revocationFile"
_ELSEWHERE: Final = "A run could change it. Name a file outside of the repository."


class DecidedRepository(Protocol):
    """The repository that is decided about."""

    def make_mark(self) -> str:
        """Return what the repository is known by."""
        ...

    def refuse_inside(self, *places: Path, hint: str) -> None:
        """Raise Denied for a place in which the repository's own files could stand."""
        ...


class UserIdentities:
    """Reads the user's config at every question: nobody is pinned.

    What reads the config is imported only when it is asked for.
    """

    def __init__(
        self,
        user_directory: Path,
        user: str,
        repository: DecidedRepository,
        git_path: Callable[[str], Path | None],
    ) -> None:
        """Take whose config it is; `git_path` returns a path of the user's own git settings."""
        self._directory = user_directory
        self._user = user
        self._repository = repository
        self._git_path = git_path

    def people(self) -> People:
        """Return the groups of the user's config."""
        return self._own().people

    def user(self) -> str:
        """Name the operating-system user of this process."""
        return self._user

    def project(self) -> str:
        """Return the mark of the repository."""
        return self._repository.make_mark()

    def verify(self, document: bytes, signature: bytes) -> Person | Unproven:
        """Say who signed exactly these bytes as a decision; keys count as they do now."""
        if len(document) > MOST_BYTES or len(signature) > _MOST_OF_SIGNATURE:
            return Unproven(reason="The document or its signature is longer than any real one.")
        own = self._own()
        signers = own.signers or self._git_path(_LIST)
        if signers is None:
            return Unproven(
                reason="You list no signers: neither `allowed_signers:` in your own config.yaml nor"
                f" {_LIST} of your git names a file."
            )
        revoked = self._git_path(_REVOKED)
        for file in (signers, *((revoked,) if revoked else ())):
            self._repository.refuse_inside(file, hint=_ELSEWHERE)
        with _kept(exact_signers(signers)) as listed, open_signature(signature, listed) as found:
            return _signer(own.people, found, document, revoked) or Unproven(
                reason=_reason(own.people, found, signers)
            )

    def _own(self) -> "OwnPeople":
        from supervisor_ai.definitions.consent.own_settings import read_own_settings

        return read_own_settings(self._directory).people


@contextmanager
def _kept(signers: str) -> Iterator[Path]:
    with TemporaryDirectory(prefix="supervisor-") as place:
        file = Path(place, "allowed_signers")
        file.write_bytes(os.fsencode(signers))
        yield file


def _signer(
    people: People, signature: SshSignature, document: bytes, revoked: Path | None
) -> Person | Unproven | None:
    """Ask for each person: a key that is good for two of them proves neither."""
    found = [
        person
        for person in people.everybody
        if person.ssh is not None
        and signature.is_of(person.ssh, document, namespace=NAMESPACE, revoked=revoked)
    ]
    if len(found) > 1:
        names = " and ".join(repr(person.name) for person in found)
        return Unproven(reason=f"The key is listed for {names}, so it proves neither.")
    return found[0] if found else None


def _reason(people: People, signature: SshSignature, signers: Path) -> str:
    listed = signature.principals()
    if not listed:
        return f"It is signed with a key that {str(signers)!r} does not list, or not any more."
    if not any(people.person_of_signer(name) for name in listed.split(",")):
        return f"It is signed by {listed!r}, who is in no group of `people:` in your config."
    return (
        f"It is not what {listed!r} signed: the text, the namespace ({NAMESPACE}) or the time in"
        " which the key counts is another one, or the key was revoked."
    )
