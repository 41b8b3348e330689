"""Two machines, or containers with boots of their own, that see one directory; and shared disks."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.e2e.command import SUPERVISOR, User, until

from supervisor_ai.store.connection import Connection

CODE_BUSY = 4
CODE_UNAVAILABLE = 6
BOOT = "/proc/sys/kernel/random/boot_id"
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes a mount namespace")


def elsewhere(user: User, *words: str) -> "subprocess.CompletedProcess[str]":
    """Call the command where the kernel tells another boot, as on another machine."""
    boot = user.home / "boot_id"
    boot.write_text("11111111-2222-3333-4444-555555555555\n")
    script = f'mount --bind "$1" {BOOT} && shift && exec "$@"'
    command = ["unshare", "-m", "sh", "-c", script, "sh", str(boot), str(SUPERVISOR), *words]
    return subprocess.run(
        command,
        cwd=user.repository,
        env=user.environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@needs_root
def test_a_live_run_is_not_taken_from_another_machine_and_a_dead_one_is(user: User) -> None:
    user.script(implement=["hang", "work"])
    with user.start("run", "Do it", "--yes", "--workflow", "quick") as owner:
        until(lambda: user.newest() is not None, "a run")
        run = (user.newest() or {})["id"]
        until(lambda: "PromptSent" in user.types(run), "a worker")
        refused = elsewhere(user, "resume", run)
        assert refused.returncode == CODE_BUSY, refused.stderr
        assert "on another machine" in refused.stderr
        assert "as soon as its lock is free" in refused.stderr
        assert user.types(run).count("RunOwned") == 1
        owner.send_signal(signal.SIGKILL)
        owner.wait(60)
    path = user.repository / ".supervisor/state.db"
    with closing(Connection.open(path)) as ledger, ledger.transaction() as sql:
        sql.execute("UPDATE leases SET boot = 'another boot'")
    assert user.call("resume", run).code == 0
    assert user.types(run).count("RunOwned") == 2


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Path]:
    """Mount a directory as an sshfs, as far as the kernel can tell."""
    if os.geteuid() != 0 or not Path("/dev/fuse").exists() or shutil.which("bindfs") is None:
        pytest.skip("a file system of FUSE takes root, /dev/fuse and the package bindfs")
    disk, place = tmp_path / "disk", tmp_path / "shared"
    disk.mkdir()
    place.mkdir()
    subprocess.run(["bindfs", "-o", "subtype=sshfs", disk, place], check=True)
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def test_a_ledger_on_a_network_file_system_is_refused_with_the_reason(
    user: User, shared: Path
) -> None:
    state = user.repository / ".supervisor"
    subprocess.run(["cp", "-a", f"{state}/.", shared], check=True)
    subprocess.run(["mount", "--bind", shared, state], check=True)
    try:
        said = user.call("run", "Do it", "--yes", "--workflow", "quick")
    finally:
        subprocess.run(["umount", state], check=True)
    assert said.code == CODE_UNAVAILABLE
    assert "network file system (sshfs)" in said.err
    assert "Work in a clone on a disk of this machine" in said.err
    assert not (shared / "state.db").exists()
