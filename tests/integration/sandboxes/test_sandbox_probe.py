"""The self-test: what it proves, what it remembers, and that it finds holes."""

import asyncio
import os
import stat
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.plain_machine import plain_environment

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import (
    Mount,
    OutputSink,
    Probe,
    Sandbox,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.sandboxes.bwrap.install_hints import remedy
from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox
from supervisor_ai.sandboxes.self_test import examine
from supervisor_ai.sandboxes.unsandboxed import UnsandboxedSandbox


class Leaky:
    """A sandbox with holes: it shows a directory of the host and lets a variable through."""

    def __init__(self, inner: Sandbox, hole: Path) -> None:
        self._inner = inner
        self._hole = hole

    @property
    def name(self) -> str:
        return "leaky"

    async def run(self, spec: SandboxSpec, on_output: OutputSink) -> SandboxResult:
        hole = Mount(source=self._hole, target=self._hole, is_writable=True)
        leaking = replace(spec, mounts=(hole, *spec.mounts), environment={"LEAK": "1"})
        return await self._inner.run(leaking, on_output)

    async def cpu_time(self, label: str) -> timedelta | None:
        return await self._inner.cpu_time(label)

    async def reap(self, prefix: str, *, before: int) -> int:
        return await self._inner.reap(prefix, before=before)

    async def probe(self) -> Probe:
        return await self._inner.probe()


def sandbox(state: Path, executable: Path | None = None) -> BubblewrapSandbox:
    return BubblewrapSandbox(state=state, environment=plain_environment(), executable=executable)


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def probe(state: Path, executable: Path | None = None) -> Probe:
    return asyncio.run(sandbox(state, executable).probe())


def test_it_proves_everything_here(tmp_path: Path) -> None:
    proved = probe(tmp_path)
    assert proved.is_usable, proved
    assert proved.version[0].isdigit()
    assert len(proved.findings) == 15
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("self-test")]


def test_a_proof_is_made_once(tmp_path: Path) -> None:
    first = probe(tmp_path)
    made = (tmp_path / "proof.json").stat()
    assert probe(tmp_path) == first
    assert (tmp_path / "proof.json").stat().st_mtime_ns == made.st_mtime_ns


def test_a_proof_that_cannot_be_read_or_was_for_another_machine_is_made_again(
    tmp_path: Path,
) -> None:
    probe(tmp_path)
    kept = (tmp_path / "proof.json").read_text()
    for other in ("", "[]", kept.replace('"key": "', '"key": "x')):
        (tmp_path / "proof.json").write_text(other)
        assert probe(tmp_path).is_usable
        assert (tmp_path / "proof.json").read_text() == kept


def test_holes_are_found(tmp_path: Path) -> None:
    leaky = Leaky(sandbox(tmp_path / "state"), tmp_path)
    found = {each.name for each in asyncio.run(examine(leaky, tmp_path)) if not each.holds}
    assert found == {
        "files of the host are hidden",
        "files of the host cannot be written",
        "the environment of the host is hidden",
    }


def test_without_bubblewrap_it_says_what_to_install(tmp_path: Path) -> None:
    missing = probe(tmp_path, tmp_path / "bwrap")
    assert not missing.is_usable
    assert missing.remedy == "Install bubblewrap: apt-get install bubblewrap"
    assert str(tmp_path / "bwrap") in missing.findings[0].detail


@pytest.mark.parametrize("said", ["echo bubblewrap 0.6.1", "echo nonsense", "exit 1"])
def test_an_old_bubblewrap_is_not_trusted(tmp_path: Path, said: str) -> None:
    old = probe(tmp_path, script(tmp_path / "bwrap", said))
    assert not old.is_usable
    assert "0.8 or newer" in str(old.remedy)


def test_a_bubblewrap_that_fails_is_not_usable_and_is_asked_again(tmp_path: Path) -> None:
    tmp_path.chmod(tmp_path.stat().st_mode | stat.S_IXOTH)
    says = 'test "$1" = --version && echo bubblewrap 0.8.0 && exit; echo bwrap: No room >&2; exit 1'
    broken = script(Path("/dev/shm") / f"bwrap-{os.getpid()}", says)  # reachable for every user
    try:
        failed = probe(tmp_path, broken)
        assert not failed.is_usable
        assert "bwrap: No room" in failed.findings[0].detail
        assert failed.remedy
        assert not (tmp_path / "proof.json").exists()
    finally:
        broken.unlink()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can lose what root has")
def test_root_that_may_not_mount_is_sent_to_an_ordinary_user(tmp_path: Path) -> None:
    script = (
        "import asyncio, os, sys, pathlib\n"
        "from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox\n"
        "sandbox = BubblewrapSandbox(state=pathlib.Path(sys.argv[1]), environment=os.environ)\n"
        "probe = asyncio.run(sandbox.probe())\n"
        "print(probe.is_usable, probe.remedy)\n"
    )
    done = subprocess.run(
        ["setpriv", "--bounding-set=-sys_admin", sys.executable, "-c", script, tmp_path],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("False Start the supervisor as an ordinary user")


def test_remedies_fit_what_was_said() -> None:
    assert "as an ordinary user" in remedy("launcher: Operation not permitted: a mount namespace")
    assert "chmod" in remedy("The command '/x/python' cannot be started: Permission denied.")
    assert "user namespaces" in remedy("bwrap: No permissions to create new namespace")


def test_no_sandbox_is_never_usable(tmp_path: Path) -> None:
    none = UnsandboxedSandbox(state=tmp_path, environment=os.environ)
    assert not asyncio.run(none.probe()).is_usable
