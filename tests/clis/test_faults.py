"""What goes wrong around real CLIs, and what is made of it."""

import asyncio
import json
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest
from tests.clis.stage import INSTALLED, KEY, Stage, conversation
from tests.clis.vocabulary import PLANTED

from supervisor_ai.domain.run.definition import SandboxPolicy
from supervisor_ai.domain.run.diagnosis import Action
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.engine.ports.sandbox import SandboxEnd
from supervisor_ai.engine.ports.workers import WorkerReport
from supervisor_ai.lab.server import LabServer

pytestmark = [pytest.mark.long, pytest.mark.parametrize("adapter", INSTALLED)]
_DEADLINE: Final = 60.0


def fail(stage: Stage, trouble: dict[str, object]) -> WorkerReport:
    with LabServer([{**trouble, "times": -1}]) as lab:
        report = stage.play(lab)
    assert report.diagnosis is not None
    assert report.result.exit_code != 0
    assert KEY not in stage.said
    return report


def test_a_key_that_is_not_accepted_is_a_matter_of_auth(stage: Stage) -> None:
    report = fail(stage, {"status": 401})
    assert report.diagnosis is not None
    assert report.diagnosis.category is FailureCategory.AUTH, report.diagnosis


def test_too_many_requests_are_a_limit(stage: Stage) -> None:
    report = fail(stage, {"status": 429, "headers": {"retry-after": "2"}})
    assert report.diagnosis is not None
    assert report.diagnosis.category is FailureCategory.LIMIT, report.diagnosis


def test_a_limit_that_says_when_it_ends_is_waited_for(stage: Stage) -> None:
    if stage.adapter == "claude":
        pytest.skip("With a key, the end stands only in headers, which Claude Code does not show.")
    report = fail(stage, {"status": 429, "reset": 7200})
    assert report.diagnosis is not None
    assert report.diagnosis.action is Action.PARK
    assert report.diagnosis.reset_at is not None
    away = report.diagnosis.reset_at - datetime.now(UTC)
    assert timedelta(minutes=110) < away < timedelta(minutes=125)


def test_a_server_in_trouble_is_a_matter_of_the_network(stage: Stage) -> None:
    report = fail(stage, {"status": 500})
    assert report.diagnosis is not None
    assert report.diagnosis.category is FailureCategory.NETWORK, report.diagnosis


@pytest.mark.parametrize("trouble", [{"status": 401}, {"status": 429}, {"status": 500}])
def test_a_cli_asks_at_most_twice_before_it_gives_up(
    stage: Stage, trouble: dict[str, object]
) -> None:
    with LabServer([{**trouble, "times": -1}]) as lab:
        stage.play(lab)
    assert 1 <= len(lab.requests) <= 2


def test_a_model_that_falls_silent_ends_the_attempt(stage: Stage) -> None:
    limits = replace(SandboxPolicy().worker, idle_timeout=timedelta(seconds=6))
    with LabServer([{"hang": 600}]) as lab:
        request = stage.request(lab, sandbox=SandboxPolicy(worker=limits))
        report = asyncio.run(stage.worker().run(request, stage.hear))
    assert report.result.end is SandboxEnd.IDLE
    assert report.diagnosis is not None
    assert not report.diagnosis.has_succeeded


def test_a_worker_that_is_cancelled_leaves_no_process(stage: Stage) -> None:
    mark = f"leftover-{time.monotonic_ns()}"
    command = f'python3 -c \'import time; open("up", "w"); time.sleep(600)\' {mark}'
    with LabServer(conversation(stage.words.run(command), {"text": "late"})) as lab:
        asyncio.run(_cancel_when_busy(stage, lab))
    assert running(mark) == []
    assert running(str(stage.tree)) == []


async def _cancel_when_busy(stage: Stage, lab: LabServer) -> None:
    task = asyncio.create_task(stage.worker().run(stage.request(lab), stage.hear))
    async with asyncio.timeout(_DEADLINE):
        while not (stage.tree / "up").exists():
            assert not task.done(), stage.said
            await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def running(mark: str) -> list[str]:
    """Find processes of any namespace that have the word in their command."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = place.read_bytes().decode(errors="replace")
        except OSError:
            continue
        found += [command] if mark in command else []
    return found


def test_the_traps_would_have_been_run_if_nothing_stood_before_them(stage: Stage) -> None:
    if stage.adapter == "codex":
        pytest.skip("Codex itself ignores what an untrusted repository says.")
    unguarded = replace(
        stage.profile,
        covers=(),
        words=tuple(
            word
            for word in stage.profile.words
            if word not in ("--setting-sources", "user", "--strict-mcp-config")
        ),
    )
    stage.write(stage.words.traps)
    with LabServer([{"text": json.dumps({"done": True})}]) as lab:
        stage.play(lab, profile=unguarded)
    assert (stage.tree / PLANTED).exists()
