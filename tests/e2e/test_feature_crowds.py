"""Many components with real sandboxed workers, eight at a time: nothing is left behind."""

import json
import os
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Final

import pytest
from tests.e2e.command import Json, User
from tests.e2e.feature_shop import AGENT, CONFIG, SMALL

_LOOKS: Final = 6_000
_AT_ONCE: Final = 8
_DESCRIPTORS: Final = 40 + 12 * _AT_ONCE
"""What eight runs with their sandboxes may have open, however many came before them."""
_LEFT_BYTES: Final = 4 << 20
"""What the state directory may hold when nobody is at work."""


def _plan(count: int) -> str:
    rows = "\n".join(f"        - {{id: part{n}, files: [src/part{n}.py]}}" for n in range(count))
    head = "feature:\n  id: P1\n  title: Many\n  phases:\n    - id: all\n      components:\n"
    return f"{head}{rows}\n"


def _processes(home: Path) -> list[str]:
    """Name the processes that belong to a user's home, whatever they are."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            environment = (entry / "environ").read_bytes()
        except OSError:
            continue
        if f"HOME={home}\0".encode() in environment:
            found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
    return found


def _descriptors(process: int) -> int:
    try:
        return sum(1 for _ in Path(f"/proc/{process}/fd").iterdir())
    except OSError:
        return 0


def _build(user: User) -> tuple[Json, int]:
    """Build the feature; return what was said, and how much was open at most."""
    words = ("feature", "run", "P1", "--yes", "--json", "--max-parallel", str(_AT_ONCE))
    most = 0
    with user.start(*words) as process:
        for _ in range(_LOOKS):
            most = max(most, _descriptors(process.pid))
            try:
                out, err = process.communicate(timeout=1)
            except TimeoutExpired:
                continue
            assert process.returncode == 0, err
            said: Json = json.loads(out)
            return said, most
    raise AssertionError("It did not end.")


def _size(place: Path) -> int:
    return sum(it.lstat().st_size for it in place.rglob("*") if it.is_file())


@pytest.mark.parametrize(
    "count", [12, pytest.param(200, marks=[pytest.mark.long, pytest.mark.timeout(7_200)])]
)
def test_nothing_is_left_of_many_components(newcomer: User, tmp_path: Path, count: int) -> None:
    state = tmp_path / "state"
    newcomer.environment["SUPERVISOR_STATE"] = str(state)
    newcomer.commit(
        {
            ".supervisor/config.yaml": CONFIG,
            ".supervisor/workflows/small.yaml": SMALL,
            "tools/agent.py": AGENT.read_text(),
            "tools/deeds.json": "{}",
            "src/README": "Many.\n",
            "plan.yaml": _plan(count),
        }
    )
    assert newcomer.call("feature", "load", "plan.yaml").code == 0
    before = _processes(newcomer.home)
    done, descriptors = _build(newcomer)
    assert done["feature"]["progress"]["completed"] == count
    branch = done["run"]["branch"]
    assert len(newcomer.git("rev-list", f"main..{branch}").split()) == count
    assert _processes(newcomer.home) == before, "no process of a worker or a gate lives on"
    assert newcomer.call("workspace", "list", "--json").json["directories"] == []
    assert list(state.rglob("scratch-*.git")) == []
    assert list((state / "ports").glob("[0-9]*")) == []
    assert _size(state) < _LEFT_BYTES
    assert 0 < descriptors < _DESCRIPTORS
