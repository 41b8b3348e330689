"""What an effect needs before it can begin."""

import pytest

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, StepName, TimerName
from supervisor_ai.domain.run.effects import CancelTimer, Effect, Integrate
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace
from supervisor_ai.drivers.kanban.effects import ReadKanban

STEP, BASE, TIP = StepName("land"), CommitSha("base"), CommitSha("tip")
PLACE = KanbanPlace(file="tasks/0-kanban.md")


@pytest.mark.parametrize(
    ("effect", "commits"),
    [
        (CancelTimer(timer=TimerName("nap")), ()),
        (
            Integrate(
                step=STEP,
                visit=1,
                snapshot=TIP,
                branch="ai/r1",
                base=BASE,
                expected=None,
                task=ArtifactHash("t"),
            ),
            (TIP, BASE),
        ),
        (
            ReadKanban(step=STEP, visit=1, place=PLACE, branch="b", base=BASE, landed=None),
            (BASE,),
        ),
        (
            ReadKanban(step=STEP, visit=1, place=PLACE, branch="b", base=BASE, landed=TIP),
            (BASE, TIP),
        ),
    ],
)
def test_an_effect_names_the_commits_that_it_begins_with(
    effect: Effect, commits: tuple[CommitSha, ...]
) -> None:
    assert effect.commits == commits
