"""The kanban driver's memory: what its files said last, and where the run stands with them."""

from typing import Final

from msgspec import Struct

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import StepName, TreeSha
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.failures.loops import Trail
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban import events as k
from supervisor_ai.drivers.kanban.board.policy import KanbanPolicy
from supervisor_ai.drivers.kanban.kinds import AnswerStatus
from supervisor_ai.drivers.moves.state import StepRecord, WorkflowState
from supervisor_ai.drivers.moves.state import evolve as evolve_steps

READING: Final = StepName("kanban")
ARCHITECT, IMPLEMENTOR = StepName("architect"), StepName("implementor")
WORKERS: Final = frozenset({ARCHITECT, IMPLEMENTOR})
LAND_TASK: Final = StepName("land-task")
MANAGER: Final = StepName("manager")
LAND_KANBAN: Final = StepName("land-kanban")

KanbanNews = (
    k.KanbanRead
    | k.KanbanUnreadable
    | k.KanbanSaveRefused
    | e.IntegrationLanded
    | e.IntegrationRefused
    | e.ApprovalGiven
    | e.ApprovalRefused
)
"""What came of reading or landing, and the driver has not acted on yet."""


class KanbanState(Struct, frozen=True, kw_only=True):
    """Where a run on a kanban stands."""

    flow: WorkflowState
    """The steps that it goes through, as any workflow does."""
    policy: KanbanPolicy
    """How the kanban is worked on."""
    kept: Snapshot
    """The files as the branch or the plain directory has them."""
    origin: TreeSha
    """What the run began with."""
    rest: TreeSha
    """What the branch has, where the kanban's own files are in a plain directory."""
    reading: k.KanbanRead | None = None
    """What the files said the last time."""
    pending: str | None = None
    """The task file that was worked on, and that the Manager has not reconciled yet."""
    said: str | None = None
    """What the agent of the current task answered last."""
    saved: k.KanbanSaved | None = None
    """What is left to land at this step, once the plain directory has its files."""
    news: KanbanNews | None = None

    @property
    def current(self) -> str:
        """Name the task file whose turn it is."""
        if self.reading is None or self.reading.current is None:
            raise InternalError("A task is to be done, but the kanban names none.")
        return self.reading.current


def evolve(state: KanbanState, event: Event) -> KanbanState:
    """Fold one recorded fact into the state."""
    state = replace(state, flow=evolve_steps(state.flow, event))
    match event:
        case k.KanbanRead():
            return _read(state, event)
        case e.AttemptSucceeded() if event.step in WORKERS:
            return replace(state, said=event.said)
        case k.KanbanSaved():
            return replace(state, kept=state.flow.head, saved=event)
        case e.IntegrationLanded():
            return _landed(state, event)
        case k.KanbanUnreadable() | k.KanbanSaveRefused() | e.IntegrationRefused():
            return replace(state, news=event)
        case e.ApprovalGiven() | e.ApprovalRefused():
            return replace(state, news=event)
        case e.StepEntered():
            return _entered(state, event)
        case e.StepPassed():
            return _passed(state, event)
        case k.KanbanReadStarted() | k.KanbanSaveStarted() | e.IntegrationStarted():
            return replace(state, news=None)
        case _:
            return state


def _entered(state: KanbanState, event: e.StepEntered) -> KanbanState:
    """Forget what was left to reconcile once somebody works on the next task."""
    pending = None if event.step in WORKERS else state.pending
    return replace(state, pending=pending, saved=None, news=None)


def _passed(state: KanbanState, event: e.StepPassed) -> KanbanState:
    if event.step == LAND_TASK:
        # After an error a person decides, and a yes is worth another try.
        return replace(state, pending=None if state.said == AnswerStatus.ERROR else state.current)
    return replace(state, pending=None) if event.step == LAND_KANBAN else state


def _read(state: KanbanState, event: k.KanbanRead) -> KanbanState:
    """Begin an iteration with the files as they are, whoever changed them."""
    flow = replace(state.flow, head=event.snapshot, landed=event.tip or state.flow.landed)
    if state.pending not in event.tasks:
        steps = {name: _anew(at) for name, at in flow.steps.items()}
        flow = replace(flow, steps=steps, vouched={})
    rest = (event.rest if event.tip else None) or state.rest
    return replace(state, flow=flow, kept=event.snapshot, rest=rest, reading=event, news=event)


def _anew(record: StepRecord) -> StepRecord:
    """Let no task suffer for what went wrong with the one before it."""
    return replace(record, setbacks=0, turns=0, said=(), trail=Trail(), rounds=())


def _landed(state: KanbanState, event: e.IntegrationLanded) -> KanbanState:
    """Go on from what landed, also where others have added to the branch meanwhile."""
    if state.saved is not None:
        return replace(state, rest=state.saved.rest.tree, news=event)
    head = replace(state.flow.head, commit=event.commit)
    kept = replace(head, tree=event.tree or head.tree)
    return replace(state, flow=replace(state.flow, head=head), kept=kept, news=event)
