"""The machine of a user who has the command, an interpreter and the system, and no other tools.

A sandbox shows everything that people have installed, at each start; what it shows of which tool is
the matter of its own tests, and all others would only wait for it.
"""

import os
import shutil
import sys
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Final
from venv import EnvBuilder

ROOT: Final = Path(__file__).parents[2]
_NEEDED: Final = ("git", "bwrap")


@cache
def plain_path() -> str:
    """Say where programs are found."""
    from supervisor_ai.sandboxes.host_view.allowed_paths import is_below
    from supervisor_ai.sandboxes.toolchains.roots import SYSTEM

    listed = os.environ.get("PATH", os.defpath).split(os.pathsep)
    needed = [found for name in _NEEDED if (found := shutil.which(name))]
    places = (
        *(Path(sys.executable).parent, bare_python()),
        *(place for place in map(Path, listed) if is_below(place, SYSTEM)),
        *(Path(program).parent for program in needed),
    )
    return os.pathsep.join(dict.fromkeys(map(str, places)))


def plain_environment() -> dict[str, str]:
    """Return our own environment without what is said to tools."""
    from supervisor_ai.sandboxes.toolchains.installers import INSTALLERS
    from supervisor_ai.sandboxes.toolchains.toolchain import TOLD

    told = {*TOLD, *(installer.variable for installer in INSTALLERS)}
    kept = {name: value for name, value in os.environ.items() if name not in told}
    return {**kept, "PATH": plain_path()}


def bare_python(place: Path = ROOT / "build" / "bare-python") -> Path:
    """Return the directory of a `python3` that knows no packages; whoever asks first makes it.

    The usual one looks at each start through what is installed for it, which can take longer than
    all that an agent does; and the scripts that choose one start thirty processes.
    """
    if not (place / "bin" / "python3").exists():
        place.parent.mkdir(exist_ok=True)
        draft = Path(mkdtemp(dir=place.parent, prefix="bare-python-"))
        EnvBuilder(symlinks=True).create(draft)
        draft.chmod(0o755)
        # Of an interpreter that is gone, the links are left.
        shutil.rmtree(place, ignore_errors=True)
        try:
            draft.rename(place)
        except OSError:
            shutil.rmtree(draft)
    return place / "bin"
