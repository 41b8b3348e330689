"""What the runs of a project share, folded as far as it was read."""

from typing import Final

from supervisor_ai.domain.ids import PROJECT_STREAM
from supervisor_ai.domain.project.project import Project, evolve
from supervisor_ai.engine.folds import fold_name
from supervisor_ai.engine.ports.artifacts import Documents
from supervisor_ai.engine.ports.ledger import CachedState, EventLog, StateCache

_NAME: Final = "project"


class ProjectView:
    """The project's stream, folded; what was kept of it makes a long one quick to read."""

    def __init__(
        self, log: EventLog, cache: StateCache | None = None, documents: Documents | None = None
    ) -> None:
        self._log = log
        self._cache = cache
        self._documents = documents
        self._kept = 0
        self.version = 0
        self.project = Project()
        self._restore()

    def refresh(self) -> Project:
        """Read what is new and return what the runs share now."""
        for envelope in self._log.read(PROJECT_STREAM, after=self.version):
            self.project = evolve(self.project, envelope.event)
            self.version = envelope.version
        return self.project

    def keep(self, *, every: int) -> None:
        """Keep what was folded, if it is worth it."""
        if self._cache is None or self._documents is None or self.version - self._kept < every:
            return
        state = self._documents.encode(self.project)
        cached = CachedState(version=self.version, fold=fold_name(_NAME), state=state)
        self._cache.save(PROJECT_STREAM, cached)
        self._kept = self.version

    def _restore(self) -> None:
        if self._cache is None or self._documents is None:
            return
        cached = self._cache.load(PROJECT_STREAM, fold=fold_name(_NAME))
        if cached is not None:
            self.project = self._documents.decode(cached.state, Project)
            self.version = self._kept = cached.version


def fold_project(log: EventLog, documents: Documents, *, upto: int) -> CachedState:
    """Fold the project's stream from its beginning, as it would be kept at a version."""
    project, version = Project(), 0
    for envelope in log.read(PROJECT_STREAM, upto=upto):
        project, version = evolve(project, envelope.event), envelope.version
    return CachedState(version=version, fold=fold_name(_NAME), state=documents.encode(project))
