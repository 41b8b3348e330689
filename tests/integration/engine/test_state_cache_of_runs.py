"""Folded states are only a cache: with them a run is what it is without them."""

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.integration.engine.conftest import OpenKernel
from tests.support.kernel import Kernel, flow, stop, work

import supervisor_ai
from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.ids import RunId, StreamId, run_stream
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.playback import Player
from supervisor_ai.engine.ports.ledger import Batch, CachedState, EventLog, Head
from supervisor_ai.engine.world import Timing

ROOT = Path(__file__).parents[3]
NAMING = """\
from tests.support.kernel import Kernel, flow, work

kernel = Kernel(None)
print(kernel.play(kernel.submit(flow(work("build")))).fold)
"""


class CountedLog:
    """An event log that remembers from where its streams were read."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self.read_after: list[int] = []

    def read(
        self, stream: StreamId, *, after: int = 0, upto: int | None = None
    ) -> Iterator[Envelope]:
        if upto is None:
            self.read_after.append(after)
        return self._log.read(stream, after=after, upto=upto)

    def append(self, batch: Batch) -> tuple[Envelope, ...]:
        return self._log.append(batch)

    def read_all(self, *, after: int = 0, limit: int = 1000) -> Sequence[Envelope]:
        return self._log.read_all(after=after, limit=limit)

    def head(self) -> Head:
        return self._log.head()


def waiting_run(kernel: Kernel) -> RunId:
    run = kernel.submit(flow(work("build"), work("more"), stop("ask", StepKind.HUMAN)))
    world = replace(kernel.world, timing=Timing(cache_every=3))
    kernel.drive(run, world=world)
    return run


def test_a_cached_state_is_the_folded_one(open_kernel: OpenKernel) -> None:
    kernel = open_kernel()
    run = waiting_run(kernel)
    world = kernel.process()
    log = CountedLog(world.log)
    player = Player(log=log, documents=world.documents, drivers=world.drivers, cache=world.cache)
    playback, version = player.play(run)
    whole = kernel.play(run)
    assert playback.encode() == whole.encode()
    assert playback.run == whole.run
    assert version == len(kernel.envelopes(run))
    assert log.read_after > [3]


def test_a_state_of_other_folding_code_is_not_used(open_kernel: OpenKernel) -> None:
    kernel = open_kernel()
    run = waiting_run(kernel)
    world = kernel.world
    assert world.cache.load(run_stream(run), fold="workflow:0") is None
    assert world.cache.load(run_stream(run), fold=kernel.play(run).fold) is not None


def test_whoever_changes_how_runs_are_folded_finds_no_state_of_before(tmp_path: Path) -> None:
    [installed] = supervisor_ai.__path__
    copy = shutil.copytree(installed, tmp_path / "supervisor_ai")
    folding = copy / "domain/run/run.py"
    before = name_of_the_fold(tmp_path)
    folding.write_text(f"{folding.read_text()}\n\ndef another() -> None: ...\n")
    assert name_of_the_fold(tmp_path) != before


def name_of_the_fold(place: Path) -> str:
    """Ask a process that has the package from elsewhere how it calls its folding code."""
    done = subprocess.run(
        [sys.executable, "-c", NAMING],
        cwd=ROOT,
        env={"PYTHONPATH": f"{place}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_a_state_that_cannot_be_read_is_folded_again(open_kernel: OpenKernel) -> None:
    kernel = open_kernel()
    run = waiting_run(kernel)
    world, whole = kernel.world, kernel.play(run)
    spoilt = CachedState(version=10_000, fold=whole.fold, state=b"{}\n{}")
    world.cache.save(run_stream(run), spoilt)
    player = Player(
        log=world.log, documents=world.documents, drivers=world.drivers, cache=world.cache
    )
    playback, version = player.play(run)
    assert (playback.encode(), version) == (whole.encode(), len(kernel.envelopes(run)))


def test_without_a_cache_nothing_is_kept(open_kernel: OpenKernel) -> None:
    kernel = open_kernel()
    run = kernel.submit(flow(work("build")))
    world = kernel.world
    player = Player(log=world.log, documents=world.documents, drivers=world.drivers)
    playback, version = player.play(run)
    player.save(playback, version)
    assert world.cache.load(run_stream(run), fold=playback.fold) is None


def test_a_past_version_is_folded_without_the_cache(open_kernel: OpenKernel) -> None:
    kernel = open_kernel()
    run = waiting_run(kernel)
    world = kernel.world
    player = Player(
        log=world.log, documents=world.documents, drivers=world.drivers, cache=world.cache
    )
    playback, version = player.play(run, upto=2)
    assert version == 2
    assert playback.run.open == {}
