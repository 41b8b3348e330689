"""A full or read-only disk costs nothing that was there before."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import RunId, run_stream
from supervisor_ai.store.files.artifacts import FileArtifacts
from supervisor_ai.store.ledger import SqliteLedger
from supervisor_ai.testing.ledger_harness import RUN, batch, birth, started

Open = Callable[[Path], SqliteLedger]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of one megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"a tmpfs cannot be mounted here: {done.stderr.strip()}")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(disk: Path) -> Path:
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (65536, 4096, 1):
            try:
                while file.write(b"x" * size) == size:
                    pass
            except OSError:
                continue
    return filler


def test_a_full_disk_refuses_a_batch_and_loses_nothing(disk: Path, open_here: Open) -> None:
    ledger = open_here(disk / ".supervisor")
    ledger.events.append(batch(run_stream(RUN), 0, birth()))
    filler = fill(disk)
    many = [started() for _ in range(500)]
    with pytest.raises(Unavailable, match="the disk is full") as caught:
        ledger.events.append(batch(run_stream(RUN), 1, *many))
    assert caught.value.hint == "Free some space on the disk and try again; nothing was lost."
    assert [envelope.version for envelope in ledger.events.read(run_stream(RUN))] == [1]
    filler.unlink()
    ledger.events.append(batch(run_stream(RUN), 1, started()))
    assert ledger.care.verify().faults == ()
    assert ledger.events.head().seq == 2


def test_a_ledger_cannot_be_made_on_a_full_disk(disk: Path, open_here: Open) -> None:
    (disk / ".supervisor").mkdir()
    filler = fill(disk)
    with pytest.raises(Unavailable):
        open_here(disk / ".supervisor")
    filler.unlink()
    ledger = open_here(disk / ".supervisor")
    ledger.events.append(batch(run_stream(RUN), 0, birth()))
    assert "/state.db*" in (disk / ".supervisor" / ".gitignore").read_text()


def test_a_full_disk_leaves_no_half_artifact(disk: Path) -> None:
    artifacts = FileArtifacts(disk / "artifacts")
    kept = artifacts.put("kept")
    filler = fill(disk)
    writer = artifacts.writer()
    with pytest.raises(Unavailable, match="No space left on device") as caught:
        writer.write("x" * 2_000_000)
    assert "Free some space" in str(caught.value.hint)
    writer.abandon()
    assert list((disk / "artifacts" / "drafts").iterdir()) == []
    filler.unlink()
    assert artifacts.get(kept) == "kept"
    assert artifacts.get(artifacts.put("more")) == "more"


def test_a_read_only_disk_is_read_and_unavailable_for_what_is_new(
    disk: Path, open_here: Open
) -> None:
    before = open_here(disk / ".supervisor")
    before.events.append(batch(run_stream(RUN), 0, birth()))
    before.close()
    artifacts = FileArtifacts(disk / "artifacts")
    kept = artifacts.put("kept")
    remount = ["mount", "-o", "remount,ro", str(disk)]
    subprocess.run(remount, check=True)
    ledger = open_here(disk / ".supervisor")
    assert len(list(ledger.events.read_all())) == 1
    with pytest.raises(Unavailable, match="read-only") as caught:
        ledger.events.append(batch(run_stream(RUN), 1, started()))
    assert "writable" in str(caught.value.hint)
    ledger.close()
    with pytest.raises(Unavailable, match="Read-only file system"):
        artifacts.put("more")
    assert artifacts.get(kept) == "kept"
    with pytest.raises(Unavailable, match="Read-only file system"):
        open_here(disk / "new" / RunId("x"))
