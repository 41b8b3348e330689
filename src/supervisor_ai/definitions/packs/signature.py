"""The signature of an index, checked by ssh-keygen against the user's list of signers."""

import subprocess
import tempfile
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import Denied, Unavailable

NAMESPACE: Final = "supervisor-packs"
SUFFIX: Final = ".sig"
_PATIENCE: Final = 20


def require_signature(
    source: str, index: bytes | None, signature: bytes | None, signers: Path
) -> str:
    """Return who signed an index; raise Denied unless one of the signers did."""
    if index is None or signature is None:
        raise Denied(
            f"The source {source!r} has no signed index, and you want one.",
            hint=f"Sign it: ssh-keygen -Y sign -f KEY -n {NAMESPACE} index.yaml",
        )
    with tempfile.TemporaryDirectory(prefix="supervisor-") as place:
        file = Path(place, "signature")
        file.write_bytes(signature)
        found = _ask(b"", "find-principals", "-s", str(file), "-f", str(signers))
        names = found.stdout.decode(errors="replace").split("\n")[0].strip()
        if found.returncode != 0 or not names:
            raise Denied(f"The index of {source!r} is signed by nobody whom you have listed.")
        who = ("-I", names, "-n", NAMESPACE)
        checked = _ask(index, "verify", "-s", str(file), "-f", str(signers), *who)
    if checked.returncode != 0:
        raise Denied(f"The index of {source!r} is not what {names!r} signed.")
    return names


def _ask(stdin: bytes, verb: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ["ssh-keygen", "-Y", verb, *arguments],  # noqa: S607 - the user's own, found as git is
            input=stdin,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        hint = "Install OpenSSH, or do without signatures."
        raise Unavailable("The signature cannot be checked with ssh-keygen.", hint=hint) from error
