"""A loop dies at every point of its life; what it leaves on the branch is the same, and once."""

from functools import cache
from typing import Final

import pytest
from msgspec import Struct
from tests.integration.loop.cast import ACTS, AIDES, plans
from tests.support.loop_scene import Scene, asks, loop_definition, section
from tests.support.mortal_log import MortalLog

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop import events as k
from supervisor_ai.drivers.loop.kinds import RESEARCHER, SUMMARIZER
from supervisor_ai.drivers.quality.events import DirectiveDropped, SupervisorRan
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply

_NEVER: Final = 10**6


def asks_first(scene: Scene, request: WorkerRequest) -> FakeReply:
    """Plan as usual; in the second milestone, ask whenever that is offered."""
    is_second = "Milestone 2 of 2 (current)" in section(request, "CURRENT MILESTONE")
    if is_second and "you may ask" in section(request, "RESEARCH"):
        return FakeReply(output=asks("Why?"))
    return plans(scene, request)


class Ending(Struct, frozen=True, kw_only=True):
    """What is left of a loop; nothing in it may depend on who died."""

    status: RunStatus
    files: tuple[tuple[str, str], ...]
    tasks: tuple[tuple[int, str, int, int], ...]
    landed: int
    looks: tuple[tuple[str, str, int, int], ...]
    drops: tuple[tuple[int, str], ...]
    researched: int
    nodes: tuple[str, ...]
    report: str


def _without_commits(report: str) -> str:
    return "\n".join(line.partition(", commit ")[0] for line in report.splitlines())


class Story:
    """A loop from its first fact to its last, by one process or by two."""

    def __init__(self, dies_at: int, *, is_late: bool) -> None:
        acts = {**ACTS, **AIDES, "task_planner": asks_first}
        self.scene = Scene(loop_definition(aides=(RESEARCHER, SUMMARIZER)), **acts)  # type: ignore[arg-type]
        self.log = MortalLog(self.scene.kernel.world.log, dies_at, is_late=is_late)

    def tell(self) -> Ending:
        kernel, run = self.scene.kernel, self.scene.run
        try:
            kernel.drive(run, world=replace(kernel.world, log=self.log))
        except KeyboardInterrupt:
            kernel.kill(1)
            kernel.world = kernel.process()
            kernel.drive(run, world=kernel.world)
        return self._ending()

    def _ending(self) -> Ending:
        scene = self.scene
        (written,) = scene.events(k.WorkReportWritten)
        ended = {(it.place, it.attempt) for it in scene.events(e.AttemptSucceeded)}
        return Ending(
            status=scene.kernel.status(scene.run),
            files=tuple(sorted(scene.tip.items())),
            tasks=tuple(
                (it.task, it.outcome.value, it.attempts, it.qa_failures)
                for it in scene.events(k.TaskMarked)
            ),
            landed=len(scene.events(e.IntegrationLanded)),
            looks=tuple(
                (it.supervisor, it.outcome.value, it.after, len(it.directives))
                for it in scene.events(SupervisorRan)
            ),
            drops=tuple((it.number, it.reason.value) for it in scene.events(DirectiveDropped)),
            researched=sum((it.place, it.attempt) in ended for it in scene.events(k.ResearchTaken)),
            nodes=tuple(map(str, scene.nodes)),
            report=_without_commits(scene.text(written.report)),
        )


@cache
def untroubled() -> tuple[Ending, int]:
    story = Story(_NEVER, is_late=False)
    return story.tell(), story.log.writes


def test_the_story_is_whole() -> None:
    ending, writes = untroubled()
    assert ending.status is RunStatus.COMPLETED
    assert ending.tasks[1] == (2, "done", 2, 1)
    assert [task for task, *_ in ending.tasks] == [1, 2, 3, 4, 5, 6]
    names = [name for name, _ in ending.files]
    assert names == [
        "README",
        "docs/knowledge/conventions/files.md",
        *(name for name in names if name.startswith("docs/knowledge/lessons/")),
        *("m1_1.py", "m1_2.py", "m1_3.py", "m2_1.py", "m2_2.py", "tidy.py"),
    ]
    assert ending.researched == 3
    assert ending.nodes[-2:] == ("polish", "report")
    assert writes > 80


def die(stride: int, *, is_late: bool) -> None:
    expected, writes = untroubled()
    for dies_at in range(1 + is_late, writes + 1, stride):
        found = Story(dies_at, is_late=is_late).tell()
        assert found == expected, f"death at write {dies_at} of {writes}"


@pytest.mark.parametrize("is_late", [False, True], ids=["before", "after"])
def test_death_at_some_writes_changes_nothing(*, is_late: bool) -> None:
    die(19, is_late=is_late)


@pytest.mark.long
@pytest.mark.parametrize("is_late", [False, True], ids=["before", "after"])
def test_death_at_every_write_changes_nothing(*, is_late: bool) -> None:
    die(1, is_late=is_late)
