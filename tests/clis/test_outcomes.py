"""However a worker ends, nothing of it is left, not even a daemon that one of its tools started."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest
from tests.clis.stage import INSTALLED, Stage, conversation
from tests.clis.strays import registered, strays
from tests.clis.troubles import DAEMON, FOR_EVER, SILENCE
from tests.clis.whole_run import killed
from tests.e2e.command import until

from supervisor_ai.domain.run.definition import SandboxPolicy
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import SandboxEnd
from supervisor_ai.lab.server import LabServer

CANCELLED: Final = [
    pytest.param(name, marks=() if name == "gemini" else pytest.mark.long) for name in INSTALLED
]
ROOT: Final = Path(__file__).parents[2]
_PATIENCE: Final = timedelta(seconds=15)
"""Longer than any CLI takes to start its daemon."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the model does once the daemon is there, and what comes of it."""

    then: Mapping[str, object]
    end: SandboxEnd = SandboxEnd.EXITED
    changes: Mapping[str, object] = field(default_factory=dict)
    spent: Mapping[str, int] | None = None
    """What another call costs that the model makes before."""
    has_succeeded: bool = False


def _impatient() -> SandboxPolicy:
    policy = SandboxPolicy()
    return replace(policy, worker=replace(policy.worker, idle_timeout=_PATIENCE))


OUTCOMES: Final = {
    "success": Outcome(then={"text": "Done."}, has_succeeded=True),
    "401": Outcome(then={"status": 401, **FOR_EVER}),
    "429": Outcome(then={"status": 429, "reset": 7200, **FOR_EVER}),
    "500": Outcome(then={"status": 500, **FOR_EVER}),
    "broken stream": Outcome(then={"fault": "malformed_sse", **FOR_EVER}),
    "stall": Outcome(then=SILENCE, end=SandboxEnd.IDLE, changes={"sandbox": _impatient()}),
    "timeout": Outcome(then=SILENCE, end=SandboxEnd.TIMED_OUT, changes={"timeout": _PATIENCE}),
    "output cap": Outcome(
        # No word twice, as Gemini CLI stops a model that repeats itself.
        then={"text": " ".join(map(str, range(60_000)))},
        end=SandboxEnd.OUTPUT_CAPPED,
        changes={"output_bytes": 200_000},
    ),
    "token budget": Outcome(
        then=SILENCE,
        end=SandboxEnd.CUT_OFF,
        changes={"tokens": 50_000},
        spent={"in": 90_000, "out": 10},
    ),
}


ENDED: Final = [
    pytest.param(
        adapter, name, marks=() if (adapter, name) == ("codex", "401") else pytest.mark.long
    )
    for adapter in INSTALLED
    for name in OUTCOMES
]


def script(stage: Stage, outcome: Outcome) -> dict[str, object]:
    turns = [stage.words.run(DAEMON), dict(outcome.then)]
    if outcome.spent is not None:
        turns.insert(1, {**stage.words.run("true"), "usage": outcome.spent})
    return conversation(*turns)


@pytest.mark.parametrize(("adapter", "name"), ENDED)
def test_a_worker_that_ends_leaves_no_process(stage: Stage, name: str) -> None:
    outcome = OUTCOMES[name]
    with LabServer(script(stage, outcome)) as lab:
        report = stage.attend(stage.worker(), stage.request(lab, **outcome.changes))
    assert (stage.tree / "up").exists(), stage.said
    assert report.result.end is outcome.end, (report.result, stage.said[-2000:])
    assert report.diagnosis is not None
    assert report.diagnosis.has_succeeded is outcome.has_succeeded, report.diagnosis
    assert registered(stage.ground) == []


@pytest.mark.parametrize("adapter", CANCELLED)
def test_a_worker_that_is_cancelled_leaves_no_process(stage: Stage) -> None:
    with LabServer(script(stage, OUTCOMES["stall"])) as lab:
        asyncio.run(_cancel_when_busy(stage, lab))
        assert strays(stage.ground) == []


async def _cancel_when_busy(stage: Stage, lab: LabServer) -> None:
    task = asyncio.create_task(stage.worker().run(stage.request(lab), stage.hear))
    await asyncio.to_thread(until, (stage.tree / "up").exists, "The daemon")
    assert any(stray.is_inside for stray in strays(stage.ground))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.long
@pytest.mark.parametrize("adapter", INSTALLED)
def test_a_worker_whose_supervisor_is_killed_leaves_no_process(stage: Stage) -> None:
    with LabServer(script(stage, OUTCOMES["stall"])) as lab:
        words = ("tests.clis.lone_worker", stage.adapter, os.fspath(stage.ground), lab.url)
        command = [sys.executable, "-m", *words]
        with killed(subprocess.Popen(command, cwd=ROOT, text=True)):
            until((stage.tree / "up").exists, "The daemon")
            assert any(stray.is_inside for stray in strays(stage.ground))
            assert len(registered(stage.ground)) == 1
        label = stage.request(lab).label
        asyncio.run(stage.sandbox().reap(label, before=1))
        assert strays(stage.ground) == []
    assert registered(stage.ground) == []
