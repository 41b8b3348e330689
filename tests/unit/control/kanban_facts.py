"""Facts of runs on a kanban, and the files that they have read."""

from typing import Final

from tests.unit.control.kanban_office import (
    FILE,
    FIRST,
    SECOND,
)

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, StepName, TreeSha
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.drivers.kanban import events as k
from supervisor_ai.drivers.kanban.board.kanban import Agent, Phase

KANBAN: Final = StepName("kanban")
COMMIT: Final = CommitSha("c" * 40)
TREE: Final = TreeSha("e" * 40)
FILES_AT: Final = Snapshot(commit=COMMIT, tree=TREE)


def reading(visit: int, current: str | None, *artifacts: str) -> k.KanbanRead:
    return k.KanbanRead(
        step=KANBAN,
        visit=visit,
        snapshot=FILES_AT,
        tip=None,
        phase=Phase.EXECUTE,
        sub_phase="review" if visit > 1 else None,
        current=current,
        role=Agent.IMPLEMENTOR,
        tasks=(FIRST, SECOND),
        open=(FIRST,),
        files=tuple(
            k.ImportedFile(path=path, artifact=ArtifactHash(artifact))
            for path, artifact in zip((FILE, FIRST, SECOND), artifacts, strict=True)
        ),
    )
