"""Signatures with SSH keys, checked by the user's own ssh-keygen."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.tools.programs import find_program, search_path

_PATIENCE: Final = 20
_REMEDY: Final = "Install OpenSSH, or do without signatures."


class SshSignature(Struct, frozen=True, kw_only=True):
    """A signature in a file of its own, to be asked about."""

    file: Path
    signers: Path
    """Git's list of signers."""

    def principals(self) -> str:
        """Return for whom the list has the key, as it writes them; nothing where it has it not."""
        found = ask_ssh_keygen(
            b"", "find-principals", "-s", str(self.file), "-f", str(self.signers)
        )
        first = found.stdout.decode(errors="replace").split("\n")[0].strip()
        return first if found.returncode == 0 else ""

    def is_of(
        self, principal: str, signed: bytes, *, namespace: str, revoked: Path | None = None
    ) -> bool:
        """Tell whether a principal signed these bytes with a key that counts now."""
        words = ("-s", str(self.file), "-f", str(self.signers), "-I", principal, "-n", namespace)
        against = () if revoked is None else ("-r", str(revoked))
        return ask_ssh_keygen(signed, "verify", *words, *against).returncode == 0


@contextmanager
def open_signature(signature: bytes, signers: Path) -> Iterator[SshSignature]:
    """Put a signature where ssh-keygen can read it."""
    with tempfile.TemporaryDirectory(prefix="supervisor-") as place:
        file = Path(place, "signature")
        file.write_bytes(signature)
        yield SshSignature(file=file, signers=signers)


def ask_ssh_keygen(stdin: bytes, verb: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run one of the verbs for signatures, with nothing of the user's environment."""
    path = search_path(os.environ.get("PATH"))
    program = find_program("ssh-keygen", path)
    if program is None:
        raise Unavailable("The program 'ssh-keygen' was not found.", hint=_REMEDY)
    try:
        return subprocess.run(
            [program, "-Y", verb, *arguments],
            input=stdin,
            env={"PATH": path},
            cwd="/",
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        message = "The signature cannot be checked with ssh-keygen."
        raise Unavailable(message, hint=_REMEDY) from error
