"""What the runs of a project share, folded as far as it was read."""

from typing import Final

from supervisor_ai.domain.ids import PROJECT_STREAM
from supervisor_ai.domain.project.project import Project, evolve
from supervisor_ai.engine.ports.artifacts import Documents
from supervisor_ai.engine.ports.ledger import CachedState, EventLog, StateCache
from supervisor_ai.engine.streams.folded_stream import Fold, FoldedStream

_FOLD: Final = Fold(name="project", kind=Project, evolve=evolve)


class ProjectView(FoldedStream[Project]):
    """The project's stream, folded."""

    def __init__(
        self, log: EventLog, cache: StateCache | None = None, documents: Documents | None = None
    ) -> None:
        super().__init__(log, PROJECT_STREAM, _FOLD, cache, documents)

    @property
    def project(self) -> Project:
        """What the runs share, as far as it was read."""
        return self.state


def fold_project(log: EventLog, documents: Documents, *, upto: int) -> CachedState:
    """Fold the project's stream from its beginning, as it would be kept at a version."""
    return _FOLD.again(log, PROJECT_STREAM, documents, upto=upto)
