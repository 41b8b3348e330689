"""The supervisor's log of a kanban, in markdown."""

from pathlib import Path
from typing import Final

import pytest
from inline_snapshot import snapshot
from tests.unit.control.kanban_facts import COMMIT, FILES_AT, KANBAN, TREE, reading
from tests.unit.control.kanban_office import (
    FILE,
    FIRST,
    IMPLEMENTOR,
    MANAGER,
    PLACE,
    SECOND,
    KanbanScene,
)

from supervisor_ai.domain.ids import ArtifactHash, RunId, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerWord, Meaning
from supervisor_ai.domain.run.status import FailureCategory, Outcome, OutcomeKind, Verdict
from supervisor_ai.drivers.kanban import events as k
from supervisor_ai.drivers.kanban.board.policy import KanbanPolicy
from supervisor_ai.drivers.kanban.kinds import UNREADABLE
from supervisor_ai.drivers.kanban.queries.log import kanban_log, read_kanban_log

R1: Final = RunId("r1")
LANDING: Final = StepName("land-task")


def schema(kind: AnswerWord) -> str:
    return f"the schema of {kind}"


class Story:
    """What happens in one run."""

    def __init__(self, scene: KanbanScene, run: RunId) -> None:
        self.scene = scene
        self.run = run

    def keep(self, text: str) -> ArtifactHash:
        return self.scene.world.artifacts.put(text)

    def asks(self, step: StepName, attempt: int) -> None:
        cli = "builtin" if step == MANAGER else "agent"
        started = e.AttemptStarted(
            step=step, visit=1, attempt=attempt, role=step, cli=cli, start=COMMIT
        )
        self.scene.add(self.run, started)

    def fails(self, step: StepName, attempt: int) -> None:
        failed = e.AttemptFailed(
            step=step,
            visit=1,
            attempt=attempt,
            category=FailureCategory.PARSING,
            reason="There is no answer.",
            feedback=self.keep("No."),
            transcript=self.keep("I am \x1b[31mdone."),
        )
        self.scene.add(self.run, failed)

    def answers(self, step: StepName, attempt: int, answer: str) -> None:
        said = e.AttemptSucceeded(
            step=step,
            visit=1,
            attempt=attempt,
            meaning=Meaning.PASS,
            said="ok",
            answer=self.keep(answer),
            feedback=self.keep(""),
            transcript=self.keep(""),
            snapshot=FILES_AT,
        )
        self.scene.add(self.run, said)


@pytest.fixture
def scene(tmp_path: Path) -> KanbanScene:
    return KanbanScene(tmp_path)


def shown(scene: KanbanScene) -> str:
    return kanban_log(read_kanban_log(scene.records, PLACE, schema))


def test_the_log_tells_what_was_read_asked_retried_and_landed(scene: KanbanScene) -> None:
    scene.submit("r1")
    story = Story(scene, R1)
    scene.add(R1, reading(1, FIRST, "a", "b", "c"))
    story.asks(IMPLEMENTOR, 1)
    story.fails(IMPLEMENTOR, 1)
    story.asks(IMPLEMENTOR, 2)
    story.answers(IMPLEMENTOR, 2, '{"status": "ok", "message": "# Did\\n*it*."}')
    scene.add(R1, e.IntegrationLanded(step=LANDING, visit=1, commit=COMMIT))
    story.asks(MANAGER, 1)
    story.fails(MANAGER, 1)
    scene.add(R1, reading(2, None, "a", "B", "c"))
    assert shown(scene) == snapshot("""\
## Supervisor Log

### [2030-01-01T00:00:00+00:00] Run Submitted

**Run:** r1  \n\
**Base:** main at aaaaaaaaaaaa  \n\
**Branch:** ai/r1  \n\

### [2030-01-01T00:00:00+00:00] Kanban Read

**Iteration:** 1  \n\
**Phase:** execute  \n\
**Current:** tasks/1-form.md  \n\
**Open:** 1 of 2 tasks  \n\
**Files:** cccccccccccc  \n\

### [2030-01-01T00:00:00+00:00] Agent Asked

**Agent:** Implementer with agent  \n\
**Task:** tasks/1-form.md  \n\
**Attempt:** 1  \n\

### [2030-01-01T00:00:00+00:00] Retry Event

**Agent:** Implementer  \n\
**Task:** tasks/1-form.md  \n\
**Attempt:** 1/2  \n\
**Issue:** Invalid output format: There is no answer.

**Expected:**
```json
the schema of agent
```

**Received:**
```json
I am done.
```

**Action:** Rescheduling with feedback

### [2030-01-01T00:00:00+00:00] Agent Asked

**Agent:** Implementer with agent  \n\
**Task:** tasks/1-form.md  \n\
**Attempt:** 2  \n\

### [2030-01-01T00:00:00+00:00] Agent Answered

**Agent:** Implementer with agent  \n\
**Task:** tasks/1-form.md  \n\
**Status:** ok  \n\
**Message:** \\# Did \\*it\\*.  \n\

### [2030-01-01T00:00:00+00:00] Work Landed

**Step:** land-task  \n\
**Commit:** cccccccccccc  \n\

### [2030-01-01T00:00:00+00:00] Agent Asked

**Agent:** Manager with builtin  \n\
**Task:** tasks/0-kanban-login.md  \n\
**Attempt:** 1  \n\

### [2030-01-01T00:00:00+00:00] Retry Event

**Agent:** Manager  \n\
**Task:** tasks/0-kanban-login.md  \n\
**Attempt:** 1/2  \n\
**Issue:** Invalid output format: There is no answer.

**Expected:**
```json
the schema of manager
```

**Received:**
```json
I am done.
```

**Action:** None: the run went no further

### [2030-01-01T00:00:00+00:00] Kanban Read

**Iteration:** 2  \n\
**Phase:** execute, review  \n\
**Current:** none  \n\
**Open:** 1 of 2 tasks  \n\
**Changed:** tasks/1-form.md  \n\
**Files:** cccccccccccc  \n\
""")


def test_the_rest_of_what_can_happen_is_told_too(scene: KanbanScene) -> None:
    scene.submit("r1", KanbanPolicy(place=PLACE, instruction="Add a login page."))
    story = Story(scene, R1)
    story.asks(MANAGER, 1)
    story.answers(MANAGER, 1, "[" * 100_000)
    report, outcome = story.keep(f"{FILE}:3: Odd.\n{FIRST}:4: Odd."), OutcomeKind.WORKER_FAILED
    scene.add(
        R1,
        e.AttemptLost(step=MANAGER, visit=1, attempt=1, kept=None),
        k.KanbanUnreadable(step=KANBAN, visit=1, reason="Odd.", report=report),
        e.ApprovalRequested(
            step=KANBAN,
            visit=1,
            reason=UNREADABLE,
            tree=TREE,
            commit=COMMIT,
            question=report,
        ),
        e.ApprovalGiven(step=KANBAN, visit=1, tree=TREE, note=story.keep("Mended.")),
        e.WriteRefused(step=IMPLEMENTOR, visit=1, attempt=1, paths=(FILE, SECOND)),
        e.GateEnded(
            step=StepName("test"),
            visit=1,
            gate="test",
            verdict=Verdict.FAILED,
            reason="It broke.",
            output=report,
        ),
        k.KanbanSaved(step=LANDING, visit=1, rest=FILES_AT),
        k.KanbanSaveRefused(step=LANDING, visit=1, reason="Changed.", detail=report),
        e.RunFailed(outcome=Outcome(kind=outcome, reason="It went wrong.")),
    )
    assert shown(scene) == snapshot("""\
## Supervisor Log

### [2030-01-01T00:00:00+00:00] Run Submitted

**Run:** r1  \n\
**Base:** main at aaaaaaaaaaaa  \n\
**Branch:** ai/r1  \n\

### [2030-01-01T00:00:00+00:00] Agent Asked

**Agent:** Manager with builtin  \n\
**Task:** Add a login page.  \n\
**Attempt:** 1  \n\

### [2030-01-01T00:00:00+00:00] Agent Answered

**Agent:** Manager with builtin  \n\
**Task:** Add a login page.  \n\
**Status:** ok  \n\

### [2030-01-01T00:00:00+00:00] Agent Lost

**Agent:** Manager with builtin  \n\
**Task:** Add a login page.  \n\
**Kept:** nothing  \n\

### [2030-01-01T00:00:00+00:00] Kanban Unreadable

**Iteration:** 1  \n\
**Issue:** tasks/0-kanban-login.md:3: Odd. tasks/1-form.md:4: Odd.  \n\

### [2030-01-01T00:00:00+00:00] Person Asked

**Step:** kanban  \n\
**Why:** kanban  \n\
**Words:** tasks/0-kanban-login.md:3: Odd. tasks/1-form.md:4: Odd.  \n\

### [2030-01-01T00:00:00+00:00] Person Answered

**Who:** ada  \n\
**Answer:** yes  \n\
**Words:** Mended.  \n\

### [2030-01-01T00:00:00+00:00] Write Refused

**Agent:** implementor  \n\
**Paths:** tasks/0-kanban-login.md, tasks/2-check.md  \n\

### [2030-01-01T00:00:00+00:00] Gate Ended

**Gate:** test  \n\
**Verdict:** failed  \n\
**Reason:** It broke.  \n\

### [2030-01-01T00:00:00+00:00] Files Saved

**Step:** land-task  \n\

### [2030-01-01T00:00:00+00:00] Landing Refused

**Reason:** Changed.  \n\

### [2030-01-01T00:00:00+00:00] Run Failed

**Outcome:** worker\\_failed: It went wrong.  \n\
""")


def test_runs_follow_each_other_and_strangers_are_left_out(scene: KanbanScene) -> None:
    done = Outcome(kind=OutcomeKind.DONE, reason="Done.")
    scene.submit("r1")
    scene.add(R1, e.RunCompleted(outcome=done))
    scene.submit("r2")
    scene.add(RunId("r2"), e.RunCancelled(outcome=done))
    scene.submit("r3", KanbanPolicy(place=type(PLACE)(file="tasks/9-kanban-x.md")))
    entries = read_kanban_log(scene.records, PLACE, schema)
    assert [(entry.run, entry.title) for entry in entries] == [
        ("r1", "Run Submitted"),
        ("r1", "Run Completed"),
        ("r2", "Run Submitted"),
        ("r2", "Run Cancelled"),
    ]
