"""What a run on a kanban pins besides its roles and gates."""

from msgspec import Struct

from supervisor_ai.drivers.kanban.board.kanban import Agent, folder_of
from supervisor_ai.drivers.kanban.settings import MAX_ITERATIONS


class KanbanPlace(Struct, frozen=True, kw_only=True):
    """Where the files of a kanban are."""

    file: str
    """The kanban file, as a path in the project; its task files are beside it."""
    directory: str | None = None
    """The plain directory of this machine that holds them; None: the run's branch does."""

    @property
    def folder(self) -> str:
        """Name the folder of the project in which agents find the files."""
        return folder_of(self.file)


class KanbanPolicy(Struct, frozen=True, kw_only=True):
    """How a kanban is worked on."""

    place: KanbanPlace
    instruction: str = ""
    """What somebody asks for; the Manager makes the kanban of it first. Nothing: it is there."""
    max_iterations: int = MAX_ITERATIONS


class Obligation(Struct, frozen=True, kw_only=True):
    """What a worker owes a kanban besides its answer."""

    agent: Agent
    place: KanbanPlace
    since: str
    """The commit with the files as they were when its turn began."""
    task: str | None = None
    """The task file whose work log it has to extend; None: the kanban file is its work."""
