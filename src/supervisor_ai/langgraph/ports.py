"""What whoever builds a graph gives it: models, checks, and a place for knowledge."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from supervisor_ai.bootstrap.graphs import GraphKnowledge
from supervisor_ai.drivers.quality.ports import Files

Section = tuple[str, str]
"""A title, and what stands below it."""


class RoleRequest(Struct, frozen=True, kw_only=True):
    """What a role of the loop is asked."""

    role: str
    """The node: `task_planner`, or the name of a supervisor."""
    sections: tuple[Section, ...]
    """What it is told, in the order in which it should read it."""
    schema: Mapping[str, object]
    """The JSON Schema of the answer."""
    feedback: str = ""
    """What was wrong with the last answer; nothing: it is the first."""

    @property
    def prompt(self) -> str:
        """Write everything as markdown, for a model that only reads text."""
        told = [f"## {title}\n\n{text}" for title, text in self.sections]
        if self.feedback:
            told.append(f"## YOUR LAST ANSWER DID NOT COUNT\n\n{self.feedback}")
        return "\n\n".join(told)


class LookRequest(RoleRequest, frozen=True, kw_only=True):
    """What a quality supervisor is asked."""

    title: str
    owns: tuple[str, ...]
    """The folders of the knowledge store in which it may write."""


class SupervisorReply(Struct, frozen=True, kw_only=True):
    """What a supervisor answers that also writes documents."""

    answer: object
    files: Mapping[str, object]
    """Documents by path, such as `docs/knowledge/conventions/errors.md`."""


class WorkCheck(Struct, frozen=True, kw_only=True):
    """Work that is to be checked without a model."""

    task: str
    work: Mapping[str, object]
    """What the implementor answered."""


class CommitRequest(Struct, frozen=True, kw_only=True):
    """Work that QA has let pass."""

    number: int
    task: str
    work: Mapping[str, object]


class GraphPorts(Struct, frozen=True, kw_only=True):
    """What a graph acts through; each may be a function or a coroutine function."""

    work: Callable[[RoleRequest], object]
    """Asks the model of a role; returns text, or what JSON becomes in Python."""
    supervise: Callable[[LookRequest], object]
    """Asks the model of a supervisor; what it raises means that there is none now."""
    sizes: Callable[[tuple[str, ...]], object] | None = None
    """Says how many bytes reported files have; what is not there is left out."""
    check: Callable[[WorkCheck], object] | None = None
    """Runs the project's checks; returns what is wrong, or None."""
    commit: Callable[[CommitRequest], object] | None = None
    """Keeps the work of a task; returns the name of its commit, or None."""
    knowledge: GraphKnowledge | None = None
    """Where documents are; None: in memory, for as long as the graph lives."""


class MemoryKnowledge:
    """A knowledge store that is gone with its process."""

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}

    def read(self) -> Files:
        """Read its documents."""
        return dict(self._files)

    def write(self, files: Files) -> None:
        """Write documents."""
        self._files |= files
