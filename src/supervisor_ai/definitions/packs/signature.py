"""The signature of an index, checked by ssh-keygen against the user's list of signers."""

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import Denied, Unavailable
from supervisor_ai.tools.programs import find_program, search_path

NAMESPACE: Final = "supervisor-packs"
SUFFIX: Final = ".sig"
_PATIENCE: Final = 20
_REMEDY: Final = "Install OpenSSH, or do without signatures."


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
