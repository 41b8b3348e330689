"""A log in which somebody else is faster."""

from tests.unit.control.kanban_office import ADA, KanbanScene

from supervisor_ai.domain.envelope import Envelope, NewEvent
from supervisor_ai.domain.ids import PROJECT_STREAM
from supervisor_ai.domain.project.events import ProjectEvent
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.ledger import Batch, EventLog, StreamAppend


class Racing:
    """A log in which somebody else is always a little faster."""

    def __init__(self, log: EventLog, *facts: ProjectEvent) -> None:
        self.inner = log
        self.facts = list(facts)

    def append(self, batch: Batch) -> tuple[Envelope, ...]:
        if self.facts:
            self.put(self.facts.pop(0))
        return self.inner.append(batch)

    def put(self, fact: ProjectEvent) -> None:
        version = len(list(self.inner.read(PROJECT_STREAM)))
        new = NewEvent(event=fact, actor=ADA)
        append = StreamAppend(stream=PROJECT_STREAM, expected=version, events=(new,))
        self.inner.append(Batch(appends=(append,)))

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)


def race(scene: KanbanScene, *facts: ProjectEvent) -> None:
    log = Racing(scene.world.log, *facts)
    scene.world = replace(scene.world, log=log)  # type: ignore[arg-type]
