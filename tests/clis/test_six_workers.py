"""Six real workers of one supervisor at the same time."""

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tests.clis.stage import INSTALLED, KEY, KEYS, PATH, Stage, require
from tests.clis.strays import strays
from tests.clis.vocabulary import Turn
from tests.e2e.command import until

from supervisor_ai.engine.ports.workers import ToolCalled, WorkerReport
from supervisor_ai.lab.server import LabServer
from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox

TWICE: Final = 2
LOOK_IN_STEP: Final = "touch up; until test -e go; do sleep 0.05; done; "
"""Wait in the tool until the test has seen all of them there."""
LOOK: Final = "cat {place}/*/tree/own.txt; find {place} -name 'own*'; echo looked"


def make_stages(place: Path) -> list[Stage]:
    host = {"PATH": PATH, "HOME": str(Path.home()), **KEYS}
    sandbox = BubblewrapSandbox(state=place / "state", environment=host)
    stages = [
        Stage(adapter, place / f"{adapter}-{number}", shared=sandbox)
        for adapter in INSTALLED
        for number in range(TWICE)
    ]
    for stage in stages:
        stage.tree.mkdir(parents=True)
        stage.write({"own.txt": treasure(stage)})
    return stages


def treasure(stage: Stage) -> str:
    return f"treasure of {stage.ground.name}\n"


def tokens(stages: list[Stage], stage: Stage) -> int:
    """Let each worker's turns cost something else."""
    return 1000 * (1 + stages.index(stage))


def script(stages: list[Stage], place: Path) -> dict[str, object]:
    """Tell the workers apart by a word in their prompts."""
    look = LOOK_IN_STEP + LOOK.format(place=place)

    def turns(stage: Stage) -> Iterable[dict[str, object]]:
        usage = {"in": tokens(stages, stage), "out": 7}
        yield {
            **stage.words.create(str(stage.tree / "made.txt"), stage.ground.name),
            "usage": usage,
        }
        yield {**patient(stage.words.run(look)), "usage": usage}
        yield {"text": f"Done by {stage.ground.name}.", "usage": usage}

    scenarios = [{"match": prompt(stage), "turns": list(turns(stage))} for stage in stages]
    return {"cursor": "history", "scenarios": scenarios}


def patient(turn: Turn) -> Turn:
    """Let Codex wait for its command instead of looking after it later."""
    tool = turn["tool"]
    assert isinstance(tool, dict)
    more = {"yield_time_ms": 30_000} if tool["name"] == "exec_command" else {}
    return {"tool": {**tool, "input": {**tool["input"], **more}}}


def prompt(stage: Stage) -> str:
    return f"You are number {stage.ground.name}."


async def play(stages: list[Stage], lab: LabServer) -> list[WorkerReport]:
    requests = [stage.request(lab, prompt=prompt(stage)) for stage in stages]
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(stage.worker().run(request, stage.hear))
            for stage, request in zip(stages, requests, strict=True)
        ]
        await asyncio.to_thread(_meet, stages)
    return [task.result() for task in tasks]


def _meet(stages: list[Stage]) -> None:
    """Wait until all are at work, see that they are in six sandboxes, and let them go on."""
    until(lambda: all((stage.tree / "up").exists() for stage in stages), "The six workers")
    there = [stray for stage in stages for stray in strays(stage.ground) if stray.is_inside]
    assert len({stray.namespace for stray in there}) == len(stages)
    for stage in stages:
        (stage.tree / "go").touch()


def check(stages: list[Stage], stage: Stage, report: WorkerReport, lab: LabServer) -> None:
    name = stage.ground.name
    assert report.diagnosis is not None
    assert report.diagnosis.has_succeeded, (name, report.diagnosis, stage.said)
    assert report.output == f"Done by {name}."
    assert {file.name for file in stage.tree.iterdir()} == {"own.txt", "made.txt", "up", "go"}
    assert (stage.tree / "made.txt").read_text() == f"{name}\n"
    assert report.usage.tokens_in == 3 * tokens(stages, stage)
    assert report.usage.tokens_out == 3 * 7
    assert sum(isinstance(seen, ToolCalled) for seen in stage.observed) == 2
    told = [
        json.dumps(seen.body) for seen in lab.requests if prompt(stage) in json.dumps(seen.body)
    ]
    assert len(told) == 3
    found = [it.ground.name for it in stages if treasure(it).strip() in told[-1] + stage.said]
    assert found == [name]
    assert "looked" in told[-1]
    assert KEY not in told[-1] + stage.said


def test_six_real_workers_work_side_by_side(tmp_path: Path) -> None:
    for adapter in INSTALLED:
        require(adapter)
    stages = make_stages(tmp_path)
    with LabServer(script(stages, tmp_path)) as lab:
        reports = asyncio.run(play(stages, lab))
        assert strays(tmp_path) == []
    for stage, report in zip(stages, reports, strict=True):
        check(stages, stage, report, lab)
