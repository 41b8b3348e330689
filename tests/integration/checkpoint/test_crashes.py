"""A supervisor dies at every point of its life; what it says and writes is the same, and once."""

from functools import cache
from typing import Final

import pytest
from msgspec import Struct
from tests.support.checkpoint_scene import (
    BAD,
    FOLDER,
    CheckpointScene,
    judges,
    resident,
    strict_spec,
)
from tests.support.kernel import Kernel
from tests.support.mortal_log import MortalLog

from supervisor_ai.control.sessions.bus import Post
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.inbox_commands import Approve
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.accumulator import Accumulator

_NEVER: Final = 10**6


class Ending(Struct, frozen=True, kw_only=True):
    """What is left of a story; nothing in it may depend on who died."""

    said: tuple[str, ...]
    types: tuple[str, ...]
    tasks: tuple[str, ...]
    files: tuple[tuple[str, bytes], ...]
    accumulator: Accumulator
    status: RunStatus


class Story:
    """A session from the first word of its supervisor to the last."""

    def __init__(self, dies_at: int, *, is_late: bool) -> None:
        self.at = CheckpointScene(Kernel(None, agent=judges()), folder=FOLDER)
        self.log = MortalLog(self.at.kernel.world.log, dies_at, is_late=is_late)
        self._process = 1
        self._world = replace(self.at.kernel.world, log=self.log)
        self.run = self.at.kernel.submit(
            resident(strict_spec(), has_judge=True), driver="checkpoint"
        )

    def drive(self) -> None:
        try:
            self.at.kernel.drive(self.run, world=self._world)
        except KeyboardInterrupt:
            self.at.kernel.kill(self._process)
            self._world = self.at.kernel.process()
            self._process = self._world.processes.current().pid
            self.at.kernel.world = self._world
            self.at.kernel.drive(self.run, world=self._world)

    def tell(self) -> Ending:
        at = self.at
        self.drive()
        at.write("DRAFT-001", BAD)
        at.ask("CHECKPOINT-001", "DRAFT-001")
        self.drive()
        at.ask("CHECKPOINT-003")
        at.bus().log(Post(kind="message", summary="And now?", to="supervisor"))
        self.drive()
        self._override()
        self.drive()
        for task in ("DRAFT-002", "DRAFT-003"):
            at.write(task)
        at.bus().log(Post(kind="message", summary="Well?", to="supervisor"))
        at.ask("CHECKPOINT-002", "DRAFT-002", "DRAFT-003")
        self.drive()
        bye = {"request_id": "r-1"}
        at.bus().log(Post(kind="shutdown_request", summary="Bye", data=bye, to="supervisor"))
        self.drive()
        return self._ending()

    def _override(self) -> None:
        asked = self.at.kernel.events(self.run, e.ApprovalRequested)[-1]
        note = self.at.kernel.world.artifacts.put("Fine.")
        yes = Approve(step=asked.step, visit=asked.visit, tree=asked.tree, note=note)
        self.at.kernel.send(self.run, "yes", yes)

    def _ending(self) -> Ending:
        at, kernel = self.at, self.at.kernel
        kept = kernel.events(self.run, k.ContextAccumulated)[-1].accumulator
        return Ending(
            said=tuple(at.contents()),
            types=tuple(it.type for it in at.said()),
            tasks=tuple(f"{it.id} {it.status}" for it in at.tasks.list()),
            files=tuple(sorted(kernel.session_files.files[FOLDER].items())),
            accumulator=kernel.world.documents.load(kept, Accumulator),
            status=kernel.status(self.run),
        )


@cache
def untroubled() -> tuple[Ending, int]:
    story = Story(_NEVER, is_late=False)
    return story.tell(), story.log.writes


def test_the_story_is_whole() -> None:
    ending, writes = untroubled()
    assert ending.status is RunStatus.COMPLETED
    assert [it.partition("\n")[0][:42] for it in ending.said][1:5] == [
        "[supervisor] CHECKPOINT-001 complete.",
        "[supervisor] CHECKPOINT-003 postponed: CHE",
        "[supervisor] Error: Asked for '## Checkpoi",
        "[supervisor] CHECKPOINT-001 overridden.",
    ]
    assert ending.said[-2].startswith("[supervisor] CHECKPOINT-002 complete.")
    assert len(ending.accumulator.entries) == 2
    assert writes > 60


def die(stride: int, *, is_late: bool) -> None:
    expected, writes = untroubled()
    for dies_at in range(1 + is_late, writes + 1, stride):
        found = Story(dies_at, is_late=is_late).tell()
        assert found == expected, f"death at write {dies_at} of {writes}"


@pytest.mark.parametrize("is_late", [False, True], ids=["before", "after"])
def test_death_at_some_writes_changes_nothing(*, is_late: bool) -> None:
    die(7, is_late=is_late)


@pytest.mark.long
@pytest.mark.parametrize("is_late", [False, True], ids=["before", "after"])
def test_death_at_every_write_changes_nothing(*, is_late: bool) -> None:
    die(1, is_late=is_late)


def test_recovery_rebuilds_what_the_dead_supervisor_knew() -> None:
    story = Story(_NEVER, is_late=False)
    ending = story.tell()
    again = story.at.start(resident(strict_spec(), recovery=True))
    [read] = story.at.kernel.events(again, k.SessionRead)
    rebuilt = story.at.kernel.world.documents.load(read.accumulator, Accumulator)
    assert rebuilt == ending.accumulator
    assert story.at.contents()[-1] == (
        "[supervisor] Recovered. Rebuilt context from 2 previous checkpoint reports."
    )


def test_a_checkpoint_of_a_supervisor_that_is_gone_is_made_again_once() -> None:
    at = CheckpointScene(Kernel(None), folder=FOLDER)
    first = at.start()
    at.write("DRAFT-001")
    asked = at.ask("CHECKPOINT-001", "DRAFT-001")
    mortal = MortalLog(at.kernel.world.log, 9, is_late=True)
    with pytest.raises(KeyboardInterrupt):
        at.kernel.drive(first, world=replace(at.kernel.world, log=mortal))
    assert at.status("CHECKPOINT-001") == "in_progress"
    again = at.start(resident(recovery=True))
    [read] = at.kernel.events(again, k.SessionRead)
    assert read.released == ("CHECKPOINT-001",)
    assert at.status("CHECKPOINT-001") == "completed"
    replies = [it for it in at.said() if (it.data or {}).get("in_reply_to") == asked]
    assert len(replies) == 1
    assert len(at.kernel.events(again, k.ReportWritten)) == 1
