"""Ports and database names: one owner each, none that is lost."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import Busy
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.port_blocks import BLOCKS, PortBlocks
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

FILES = {"README": "hello\n"}


def owner(place: Path, name: str) -> Path:
    path = place / name
    path.mkdir()
    return path


def test_a_block_is_below_the_ports_that_the_kernel_hands_out(tmp_path: Path) -> None:
    blocks = PortBlocks(tmp_path / "ports")
    numbers = [blocks.reserve(owner(tmp_path, str(it))) for it in range(3)]
    assert [dict(block.environment) for block in numbers] == [
        {"SUPERVISOR_PORT_BASE": "20000", "SUPERVISOR_DB_SUFFIX": "_w0"},
        {"SUPERVISOR_PORT_BASE": "20020", "SUPERVISOR_DB_SUFFIX": "_w1"},
        {"SUPERVISOR_PORT_BASE": "20040", "SUPERVISOR_DB_SUFFIX": "_w2"},
    ]
    assert 20_000 + 20 * BLOCKS <= 32_768


def test_an_owner_that_is_gone_holds_nothing(tmp_path: Path) -> None:
    blocks = PortBlocks(tmp_path / "ports")
    first, second = owner(tmp_path, "first"), owner(tmp_path, "second")
    assert blocks.reserve(first).number == 0
    assert blocks.reserve(second).number == 1
    first.rmdir()
    assert blocks.reserve(owner(tmp_path, "third")).number == 0


def test_only_the_owner_releases(tmp_path: Path) -> None:
    blocks = PortBlocks(tmp_path / "ports")
    blocks.release(tmp_path / "nobody")
    first = owner(tmp_path, "first")
    blocks.reserve(first)
    blocks.release(tmp_path / "other")
    assert blocks.reserve(owner(tmp_path, "second")).number == 1
    blocks.release(first)
    blocks.release(first)
    assert blocks.reserve(owner(tmp_path, "third")).number == 0


def test_all_taken_is_said(tmp_path: Path) -> None:
    directory = tmp_path / "ports"
    directory.mkdir()
    for number in range(BLOCKS):
        (directory / str(number)).symlink_to(tmp_path)
    with pytest.raises(Busy) as caught:
        PortBlocks(directory).reserve(tmp_path)
    assert caught.value.message.startswith(f"All {BLOCKS} blocks of ports are reserved")
    assert "workspace clean" in (caught.value.hint or "")


RESERVE = """
import sys
from pathlib import Path
from supervisor_ai.workspaces.port_blocks import PortBlocks
place, name = Path(sys.argv[1]), sys.argv[2]
sys.stdin.read()
for number in range(10):
    owner = place / f"{name}-{number}"
    owner.mkdir()
    print(PortBlocks(place / "ports").reserve(owner).number)
"""


def test_processes_that_reserve_at_once_get_different_blocks(tmp_path: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", RESERVE, str(tmp_path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in "abcd"
    ]
    numbers = [int(it) for process in processes for it in process.communicate("")[0].split()]
    assert sorted(numbers) == list(range(40))


INTERRUPTED = """
import sys
from pathlib import Path
from supervisor_ai.workspaces.port_blocks import PortBlocks

place, moment = Path(sys.argv[1]), int(sys.argv[2])
ports = place / "ports"
for name in ("gone", "first", "second"):
    (place / name).mkdir()
PortBlocks(ports).reserve(place / "gone")
(place / "gone").rmdir()
seen, others = [], []

def interrupt(event, arguments):
    if not event.startswith("os.") or str(ports) not in str(arguments):
        return
    seen.append(event)
    if len(seen) == moment:
        # The one that was interrupted is frozen in its turn; nobody waits for it for ever.
        (ports / "lock").unlink()
        others.append(PortBlocks(ports).reserve(place / "second").number)

sys.addaudithook(interrupt)
print(PortBlocks(ports).reserve(place / "first").number, *others)
"""


def test_whoever_is_frozen_at_any_moment_shares_no_block(tmp_path: Path) -> None:
    for moment in range(1, 20):
        place = tmp_path / str(moment)
        place.mkdir()
        command = [sys.executable, "-c", INTERRUPTED, str(place), str(moment)]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        if len(said) == 1:
            break
        assert len(set(said)) == 2, f"Both got {said} at moment {moment}."
    assert moment > 3


def test_projects_of_one_machine_share_the_ports(tmp_path: Path) -> None:
    def opened(name: str) -> tuple[GitWorkspaces, Workspace]:
        user = ScratchRepository(tmp_path / name)
        workspaces = GitWorkspaces(GitRepository(user.path), tmp_path / "state" / name)
        return workspaces, open_one(workspaces, user.commit(FILES))

    (tmp_path / "state").mkdir()
    workspaces, first = opened("one")
    _, second = opened("two")
    bases = [it.environment["SUPERVISOR_PORT_BASE"] for it in (first, second)]
    assert bases == ["20000", "20020"]
    asyncio.run(workspaces.forget(RunId("r1")))
    _, third = opened("three")
    assert third.environment == first.environment


def open_one(workspaces: GitWorkspaces, start: CommitSha) -> Workspace:
    key = EffectKey("r1/implement/1/1/worker/1")
    return asyncio.run(workspaces.open(RunId("r1"), key, fence=1, start=start))
