"""Secret scanners of others, asked for a second opinion on a redacted text."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from tempfile import TemporaryDirectory
from typing import Final

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.redaction.redacted import SecretFinding
from supervisor_ai.tools.programs import find_program, search_path

_PROGRAM: Final = "kingfisher"
# By default it asks services whether what it found is valid, and whether it is up to date.
_OFFLINE: Final = ("--no-validate", "--no-update-check")
_FORM: Final = ("--format", "json", "--redact", "--confidence", "medium", "-")
_PATIENCE: Final = 120.0


def ask_kingfisher(text: str, environment: Mapping[str, str]) -> tuple[SecretFinding, ...]:
    """Let kingfisher look at a text; it reads it from its stdin and no file is written by us."""
    path = search_path(environment.get("PATH"))
    program = find_program(_PROGRAM, path)
    if program is None:
        hint = "Install it: pip install kingfisher-bin"
        raise Unavailable("A second opinion needs kingfisher, which is not installed.", hint=hint)
    with TemporaryDirectory(prefix="supervisor-") as home:
        try:
            done = subprocess.run(
                [program, "scan", *_OFFLINE, *_FORM],
                input=text.encode(errors="replace"),
                env={"HOME": home, "PATH": path},
                cwd=home,
                capture_output=True,
                timeout=_PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unavailable(f"kingfisher could not look at the text: {error}") from error
    return tuple(_findings(done.stdout))


def _findings(output: bytes) -> Iterator[SecretFinding]:
    try:
        said = json.loads(output.partition(b"\n")[0] or b"null")
        for found in said["findings"]:
            at = found["finding"]
            rule = f"{_PROGRAM}:{str(found['rule']['id'])[:60]}"
            yield SecretFinding(rule=rule, line=int(at["line"]), column=int(at["column_start"]))
    except (ValueError, KeyError, TypeError) as error:
        message = "What kingfisher said cannot be understood."
        raise Unavailable(message, hint="Version 2.14 is known to work.") from error
