"""An ordinary user for tests that root runs: a home, our source in it, and an interpreter."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.product_copy import SAME_VERSION, copy_product

NOBODY = "65534"


def run_as_nobody(*argv: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as somebody with few rights."""
    user = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]
    return subprocess.run(
        [*user, *argv],
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "PYTHONPATH": str(home / "src")},
        cwd=home,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )


@pytest.fixture
def home() -> Iterator[Path]:
    """Make a home with a copy of the product."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place:
        home = Path(place)
        copy_product(home / "src")
        os.chown(home, int(NOBODY), int(NOBODY))
        yield home


@pytest.fixture
def interpreter(home: Path) -> str:
    """Find an interpreter that the user can start."""
    # Root's last act may be to start what its successor cannot even find.
    check = f"import os, sys; sys.exit(not ({SAME_VERSION} and os.access(sys.argv[1], 1)))"
    for candidate in (os.path.realpath(sys.executable), "/usr/bin/python3"):
        try:
            if run_as_nobody(candidate, "-c", check, candidate, home=home).returncode == 0:
                return candidate
        except FileNotFoundError:
            continue
    pytest.skip("no interpreter that an ordinary user can run")
