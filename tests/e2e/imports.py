"""What a call of the command imports."""

import re
import subprocess
import sys

from tests.e2e.command import User


def imported(user: User, *arguments: str) -> set[str]:
    """Name the packages that a call imports."""
    # What measures coverage imports much on its own account.
    kept = user.environment.items()
    environment = {name: it for name, it in kept if not name.startswith("COVERAGE")}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "supervisor_ai", *arguments],
        cwd=user.repository,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    names = re.findall(r"\|\s+([\w.]+)$", done.stderr, re.MULTILINE)
    return {name.partition(".")[0] for name in names}
