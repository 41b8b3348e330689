"""A sandbox's state that knows where the keys in the machine's tools are.

To look through ten installations of Python takes a second, and each sandbox with a state of its own
would do it again; what has changed since is looked at all the same.
"""

import atexit
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp


def known_tools(state: Path) -> Path:
    """Make the state directory of a sandbox."""
    state.mkdir(parents=True, exist_ok=True)
    if not (state / "covers").exists():
        (state / "covers").symlink_to(covers_of_tools(), target_is_directory=True)
    return state


@cache
def covers_of_tools() -> Path:
    """Return where it is kept what lies over the keys in tools."""
    place = Path(mkdtemp(prefix="covers-"))
    place.chmod(0o711)
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place
