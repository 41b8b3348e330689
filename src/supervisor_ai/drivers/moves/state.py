"""The workflow driver's memory: where one task stands in its state machine."""

from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.flow import Flow, step
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, StepName
from supervisor_ai.domain.knowledge.provenance import KnowledgeOrigin
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import NO_WORK, Meaning
from supervisor_ai.domain.run.definition import Definition, Gate, Role, Step, StepKind
from supervisor_ai.domain.run.failures.degradation import Level
from supervisor_ai.domain.run.failures.loops import Trace, Trail
from supervisor_ai.domain.run.gates import VOUCHING, Authorship, Complexity, GateKind, GateWord
from supervisor_ai.domain.run.status import WORST_FIRST, StepStatus
from supervisor_ai.domain.run.values import (
    ApprovalReason,
    Feedback,
    FeedbackKind,
    ReasonWord,
    Snapshot,
)
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.clearance import Clearance
from supervisor_ai.drivers.moves.clearance import evolve as evolve_clearance
from supervisor_ai.drivers.moves.pull_request_record import (
    PullRequestRecord,
    evolve_timer,
    is_for_a_look,
)
from supervisor_ai.drivers.moves.pull_request_record import evolve as evolve_pull_request
from supervisor_ai.drivers.moves.review_loops import Rounds, record_round
from supervisor_ai.drivers.moves.slots import Slot
from supervisor_ai.drivers.moves.slots import evolve as evolve_slot

_LAUNCH: Final = (e.LaunchRequested, e.LaunchAllowed, e.LaunchRefused, e.LaunchWithdrawn)
_UNDER_WAY: Final = (e.OperationStarted, e.OperationEnded, e.StepNote, *_LAUNCH)

STEP_FLOW: Final[Flow[StepStatus]] = {
    (StepStatus.PENDING, e.StepEntered): StepStatus.RUNNING,
    (StepStatus.PASSED, e.StepEntered): StepStatus.RUNNING,
    (StepStatus.FAILED, e.StepEntered): StepStatus.RUNNING,
    (StepStatus.SKIPPED, e.StepEntered): StepStatus.RUNNING,
    (StepStatus.RUNNING, e.RequestMade): StepStatus.WAITING,
    (StepStatus.WAITING, e.RequestAnswered): StepStatus.RUNNING,
    (StepStatus.RUNNING, e.StepPassed): StepStatus.PASSED,
    (StepStatus.RUNNING, e.StepFailed): StepStatus.FAILED,
    (StepStatus.RUNNING, e.StepSkipped): StepStatus.SKIPPED,
    **{(StepStatus.RUNNING, kind): StepStatus.RUNNING for kind in _UNDER_WAY},
    # While a person is asked about one of its roles, the others go on.
    **{(StepStatus.WAITING, kind): StepStatus.WAITING for kind in _UNDER_WAY},
    (StepStatus.WAITING, e.StepFailed): StepStatus.FAILED,
    # One role that fails ends the step, and what the others are at is stopped.
    (StepStatus.FAILED, e.AttemptCancelled): StepStatus.FAILED,
    (StepStatus.FAILED, e.FilesLeftOut): StepStatus.FAILED,
}
# No kind of fact derives from another one, so that sets of kinds can be asked by the exact kind.
_LEAVES_STATE: Final = frozenset(
    (
        *(e.AttemptCancelled, e.AttemptLost, e.GateStarted, e.GateLost, e.GateCancelled),
        *(e.BaselineStarted, e.BaselineLost),
    )
)
"""What a role or a gate of a step is at, and the step as a whole knows nothing of."""
_OF_A_QUESTION: Final = frozenset(
    (e.ApprovalRequested, e.ApprovalGiven, e.ApprovalLapsed, e.ApprovalRefused, e.ChangeEdited)
)
_OF_A_SLOT: Final = _OF_A_QUESTION | frozenset(
    (
        *_LAUNCH,
        *(e.AttemptStarted, e.ContextPacked, e.KnowledgeInjected, e.PromptSent),
        *(e.AttemptSucceeded, e.AttemptFailed, e.AttemptCancelled, e.AttemptLost),
    )
)
_OF_LOST_FILES: Final = frozenset(
    (e.FilesLeftOut, e.AttemptStarted, e.AttemptSucceeded, e.AttemptFailed)
)

_OF_THE_TASK: Final = frozenset({StepKind.ROLE, StepKind.COMMIT})
"""Steps at which the task itself is worked on."""
_BEGINS_ANEW: Final = frozenset(
    {
        ApprovalReason.REVIEW_LOOP,
        ApprovalReason.FINDINGS,
        ApprovalReason.IMPOSSIBLE_WAIT,
        ApprovalReason.RISK,
        ApprovalReason.COMPLETION,
        ApprovalReason.PULL_REQUEST_ROUNDS,
    }
)
"""Questions that are asked where nothing is left to try; a no is worth new tries."""

Note = e.StepNote | e.OperationEnded
"""A fact that may want to be remembered."""
PersonsWord = e.ApprovalGiven | e.ApprovalLapsed | e.ApprovalRefused | e.ChangeEdited
News = PersonsWord | e.OperationEnded
"""Outcomes of a step as a whole that the driver has not acted on yet."""


class StepRecord(Struct, frozen=True, kw_only=True):
    """What happened at one step so far."""

    status: StepStatus = StepStatus.PENDING
    visits: int = 0
    attempts: int = 0
    setbacks: int = 0
    verdict: str | None = None
    level: Level = Level.PRIMARY
    """How much of it was done by the attempt that succeeded last."""
    turns: int = 0
    """How many attempts began with the role's own earlier answers."""
    said: tuple[ArtifactHash, ...] = ()
    """The answers of its attempts, as far back as a continuation may reach."""
    made: tuple[tuple[CommitSha, CommitSha], ...] = ()
    """Where the files came from that its visits left behind, and which these were."""
    trail: Trail = field(default_factory=Trail)
    rounds: Rounds = ()
    """What reviewers objected to, round by round."""
    left_out: dict[int, e.FilesLeftOut] = field(default_factory=dict)
    """What of the last attempt of each slot could not be kept."""
    told_of: dict[int, e.FilesLeftOut] = field(default_factory=dict)
    """What the last attempt of each slot heard of that, for one that hears exactly the same."""


class Visit(Struct, frozen=True, kw_only=True):
    """The visit that the run is in."""

    step: StepName
    number: int
    start: CommitSha
    feedback: tuple[Feedback, ...] = ()
    slots: tuple[Slot, ...] = ()
    verdicts: tuple[e.GateEnded, ...] = ()
    """What the gates of the step said, each in its slot."""
    question: ReasonWord | None = None
    """Why a person was asked the last time."""
    approved: frozenset[ReasonWord] = frozenset()
    """The questions to which a person has said yes."""
    accepted: frozenset[int] = frozenset()
    """The gates whose findings a person has accepted, by their slots."""
    notes: tuple[Note, ...] = ()
    """The facts of the visit that want to be remembered, the oldest first."""

    @property
    def is_signed_off(self) -> bool:
        """Tell whether a person has signed the step off."""
        return ApprovalReason.HUMAN_GATE in self.approved

    @property
    def is_completed(self) -> bool:
        """Tell whether a person has said that the task is complete."""
        return ApprovalReason.COMPLETION in self.approved

    def slot(self, number: int) -> Slot:
        """Return where one of the step's roles stands."""
        found = (slot for slot in self.slots if slot.number == number)
        return next(found, Slot(number=number))

    def verdict(self, slot: int) -> e.GateEnded | None:
        """Return what one of the step's gates said."""
        return next((said for said in self.verdicts if said.slot == slot), None)

    def with_slot(self, slot: Slot) -> "Visit":
        """Let one of the step's roles stand somewhere else."""
        others = tuple(at for at in self.slots if at.number != slot.number)
        return replace(self, slots=(*others, slot))


class WorkflowState(Struct, frozen=True, kw_only=True):
    """Where a task stands."""

    definition: Definition
    head: Snapshot
    visit: Visit | None = None
    news: News | None = None
    steps: dict[StepName, StepRecord] = field(default_factory=dict)
    answers: dict[StepName, ArtifactHash] = field(default_factory=dict)
    landed: CommitSha | None = None
    author: Authorship | None = None
    """Who made the newest change."""
    vouched: dict[GateWord, Snapshot] = field(default_factory=dict)
    """What each kind of gate that looks at changes has let pass last; nothing yet: the base."""
    accepted: tuple[ArtifactHash, ...] = ()
    """The findings of gates that people have accepted."""
    complexity: Complexity | None = None
    """How much scrutiny the change needs, as far as it was measured."""
    baselines: dict[str, e.BaselineEnded] = field(default_factory=dict)
    """How each gate that runs tests stood before anybody had changed anything."""
    clearance: Clearance = field(default_factory=Clearance)
    """What is known about the change on its way to a branch."""
    pull_request: PullRequestRecord = field(default_factory=PullRequestRecord)
    """What is known of the pull request."""
    knowledge: KnowledgeOrigin | None = None
    """The commits whose knowledge documents count; None: those of the run's base."""

    @property
    def visits(self) -> int:
        """Count the visits to all steps."""
        return sum(record.visits for record in self.steps.values())

    def record(self, name: StepName) -> StepRecord:
        """Return what happened at the step so far."""
        found = self.steps.get(name)
        return StepRecord() if found is None else found

    def role(self, name: StepName, slot: int = 1) -> Role:
        """Return one of the roles that do the step."""
        return self.definition.roles[self.at(name).crew[slot - 1]]

    def gate(self, name: StepName, slot: int) -> Gate:
        """Return one of the gates that a step runs."""
        return self.definition.gates[self.at(name).checks[slot - 1]]

    def at(self, name: StepName) -> Step:
        """Return the step's definition."""
        return self.definition.workflow.steps[name]


def evolve(state: WorkflowState, event: Event) -> WorkflowState:
    """Fold one recorded fact into the state."""
    if not isinstance(event, e.PlacedEvent):
        return _unplaced(state, event)
    if type(event) is e.ChildStarted:
        return state
    before = state.record(event.step)
    record = _marked(before, event)
    state = _remembered(_placed(state, event), event)
    asked = state.visit.question if state.visit else None
    clearance = evolve_clearance(state.clearance, event, asked)
    state, record = _applied(state, record, event)
    record = _losing(record, event)
    if record is before and clearance is state.clearance:
        return state
    return replace(state, clearance=clearance, steps={**state.steps, event.step: record})


def _marked(record: StepRecord, event: e.PlacedEvent) -> StepRecord:
    """Let a step have the status that a fact leads to, and what the fact says it has come to."""
    status, verdict = step(STEP_FLOW, record.status, event), _told(event) or record.verdict
    if status is record.status and verdict == record.verdict:
        return record
    return replace(record, status=status, verdict=verdict)


def _unplaced(state: WorkflowState, event: Event) -> WorkflowState:
    """Fold a fact that belongs to no step."""
    if isinstance(event, e.RunSubmitted):
        return _begun_anew(state, event)
    if isinstance(event, e.TimerSet) and is_for_a_look(event):
        return replace(state, pull_request=evolve_timer(state.pull_request, event))
    return state


def _begun_anew(state: WorkflowState, birth: e.RunSubmitted) -> WorkflowState:
    """Let a fork that is to go another way hear a person's words, and count its tries anew."""
    fresh = {
        name: replace(record, setbacks=0, rounds=(), trail=Trail())
        for name, record in state.steps.items()
    }
    visit, note = state.visit, birth.fork.note if birth.fork else None
    if visit is not None and note is not None:
        told = Feedback(kind=FeedbackKind.PERSON, source="fork", artifact=note)
        visit = replace(visit, feedback=(*visit.feedback, told))
    return replace(state, steps=fresh, visit=visit)


def _placed(state: WorkflowState, event: e.PlacedEvent) -> WorkflowState:
    """Let the slot that a fact belongs to take it in."""
    if type(event) not in _OF_A_SLOT or state.visit is None:
        return state
    visit = state.visit
    if isinstance(event, e.ApprovalRequested):
        visit = replace(visit, question=event.reason)
    if type(event) in _OF_A_QUESTION and visit.question != ApprovalReason.BLOCKED:
        return replace(state, visit=visit)
    slot = evolve_slot(visit.slot(event.slot), event)
    return replace(state, visit=visit.with_slot(slot))


def _remembered(state: WorkflowState, event: e.PlacedEvent) -> WorkflowState:
    if not event.is_remembered or state.visit is None or not isinstance(event, Note):
        return state
    return replace(state, visit=replace(state.visit, notes=(*state.visit.notes, event)))


def _applied(  # noqa: C901 - one case per fact
    state: WorkflowState, record: StepRecord, event: e.PlacedEvent
) -> tuple[WorkflowState, StepRecord]:
    if type(event) in _LEAVES_STATE:
        return state, record
    match event:
        case e.StepEntered():
            return _entered(state, event), replace(record, visits=event.visit)
        case e.StepPassed():
            return _passed(state, event), replace(record, setbacks=0, rounds=())
        case e.GateEnded():
            state = _judged(state, event)
            return state, replace(record, verdict=_worst(current_visit(state)))
        case e.StepFailed():
            return replace(state, news=None), replace(record, setbacks=record.setbacks + 1)
        case e.StepSkipped():
            return replace(state, news=None), replace(record, verdict="skipped")
        case e.AttemptStarted(turn=turn):
            record = replace(record, turns=max(record.turns, turn))
            return state, replace(record, attempts=record.attempts + 1)
        case e.AttemptSucceeded():
            return _succeeded(state, event), _answered(state, record, event)
        case e.AttemptFailed(category=category):
            return state, replace(record, verdict=category.value)
        case e.BaselineEnded(gate=gate):
            return replace(state, baselines={**state.baselines, gate: event}), record
        case e.ApprovalGiven() | e.ApprovalLapsed():
            return _decided(state, event), replace(record, verdict="approved")
        case e.ChangeEdited(commit=commit, tree=tree):
            head = Snapshot(commit=commit, tree=tree)
            record = replace(record, verdict="edited", setbacks=0, rounds=())
            # What the worker reported says nothing about what a person made of it.
            return replace(_decided(state, event), head=head, author=None), record
        case e.ApprovalRefused():
            return _decided(state, event), _refused(current_visit(state), record)
        case _:
            return _under_way(state, event), record


def _under_way(state: WorkflowState, event: e.PlacedEvent) -> WorkflowState:
    """Take in what the step as a whole is at, and what came of it."""
    match event:
        case e.IntegrationLanded(commit=commit):
            if state.at(event.step).kind == StepKind.ATTACHED:
                state = looked(state, event)
            return replace(state, news=event, landed=commit, head=_after_landing(state, event))
        case e.PullRequestOpened() | e.PullRequestSeen() | e.PullRequestUnseen():
            known = evolve_pull_request(state.pull_request, event)
            return replace(state, news=event, pull_request=known)
        case e.PullRequestStarted():
            known = evolve_pull_request(state.pull_request, event)
            return replace(state, news=None, pull_request=known)
        case e.OperationEnded():
            return replace(state, news=event)
        case e.OperationStarted() | e.ApprovalRequested():
            return replace(state, news=None)
        case _:
            return state


def looked(state: WorkflowState, event: e.IntegrationLanded) -> WorkflowState:
    """Let what a supervisor has landed count, before the branch moves."""
    known = state.knowledge and state.knowledge.looked(state.landed, event.commit)
    return replace(state, knowledge=known)


def _after_landing(state: WorkflowState, event: e.IntegrationLanded) -> Snapshot:
    """Return the files to go on with; what is written beside the task counts once it landed."""
    if state.at(event.step).kind in _OF_THE_TASK or event.tree is None:
        return state.head
    return Snapshot(commit=event.commit, tree=event.tree)


def _told(event: e.PlacedEvent) -> str | None:
    """Say what the step has come to, in the fact's own word or in that of one of its fields."""
    word = event.step_verdict
    return str(getattr(event, word[1:])) if word and word.startswith(":") else word


def current_visit(state: WorkflowState) -> Visit:
    """Return the visit that the run is in."""
    if state.visit is None:
        raise InternalError("A fact about a step came before the step was entered.")
    return state.visit


def _entered(state: WorkflowState, event: e.StepEntered) -> WorkflowState:
    visit = Visit(
        step=event.step,
        number=event.visit,
        start=event.start or state.head.commit,
        feedback=event.feedback,
    )
    return replace(state, visit=visit, news=None)


def _losing(record: StepRecord, event: e.PlacedEvent) -> StepRecord:
    """Remember which files were left out, until an attempt ends that lost none."""
    if type(event) not in _OF_LOST_FILES:
        return record
    lost = record.left_out.get(event.slot)
    match event:
        case e.FilesLeftOut(slot=slot):
            return replace(record, left_out={**record.left_out, slot: event})
        case e.AttemptStarted(is_told=True, slot=slot):
            heard = {} if lost is None else {slot: lost}
            return replace(record, told_of={**_without(record.told_of, slot), **heard})
        case e.AttemptSucceeded(slot=slot) | e.AttemptFailed(slot=slot) if lost is not None:
            if (lost.visit, lost.attempt) == (event.visit, event.attempt):
                return record
            return replace(record, left_out=_without(record.left_out, slot))
        case _:
            return record


def _without(lost: dict[int, e.FilesLeftOut], slot: int) -> dict[int, e.FilesLeftOut]:
    return {number: event for number, event in lost.items() if number != slot}


def _decided(state: WorkflowState, event: PersonsWord) -> WorkflowState:
    """Take in a person's word on the step as a whole; one on a blocked role is the slot's."""
    visit = current_visit(state)
    if visit.question == ApprovalReason.BLOCKED:
        return state
    if isinstance(event, e.ApprovalGiven) and visit.question is not None:
        visit = replace(visit, approved=visit.approved | {visit.question})
        if visit.question == ApprovalReason.FINDINGS:
            visit = replace(visit, accepted=frozenset(said.slot for said in visit.verdicts))
            found = [it.report for it in visit.verdicts if it.needs_person and it.report]
            state = replace(state, accepted=(*state.accepted, *found))
    return replace(state, news=event, visit=visit)


def _refused(visit: Visit, record: StepRecord) -> StepRecord:
    """Begin to count anew where a person has said how to go on."""
    record = replace(record, verdict="rejected")
    if visit.question not in _BEGINS_ANEW:
        return record
    return replace(record, setbacks=0, rounds=())


def _judged(state: WorkflowState, event: e.GateEnded) -> WorkflowState:
    visit = current_visit(state)
    visit = replace(visit, verdicts=(*visit.verdicts, event))
    is_measured = state.gate(event.step, event.slot).kind == GateKind.COMPLEXITY
    complexity = event.complexity if is_measured else state.complexity
    return replace(state, visit=visit, complexity=complexity)


def _worst(visit: Visit) -> str:
    """Let the worst verdict of a visit stand for all of its gates."""
    return min((said.verdict for said in visit.verdicts), key=WORST_FIRST.index).value


def _passed(state: WorkflowState, event: e.StepPassed) -> WorkflowState:
    """Leave the step; what its gates let pass needs no second look."""
    gates = [state.definition.gates[name] for name in state.at(event.step).checks]
    passed = {gate.kind: state.head for gate in gates if gate.kind in VOUCHING}
    return replace(state, news=None, vouched={**state.vouched, **passed})


def _succeeded(state: WorkflowState, event: e.AttemptSucceeded) -> WorkflowState:
    if event.meaning is not Meaning.PASS:
        return state
    at, role = state.at(event.step), state.role(event.step, event.slot)
    name = event.step if len(at.crew) == 1 else StepName(f"{event.step}/{role.name}")
    state = replace(state, answers={**state.answers, name: event.answer})
    if not role.writes or at.kind not in _OF_THE_TASK:
        return state
    return replace(state, head=event.snapshot, author=_author(state, role, event))


def _author(state: WorkflowState, role: Role, event: e.AttemptSucceeded) -> Authorship:
    visit = current_visit(state)
    approach = visit.slot(event.slot).approach
    return Authorship(
        role=role.name,
        cli=approach.cli if approach else role.cli,
        attempt=event.attempt,
        start=visit.start,
        answer=event.answer,
    )


def _answered(state: WorkflowState, record: StepRecord, event: e.AttemptSucceeded) -> StepRecord:
    visit, role = current_visit(state), state.role(event.step, event.slot)
    slot = visit.slot(event.slot)
    is_work = role.can_edit and event.meaning not in NO_WORK
    trail = record.trail.record(_trace(visit, slot, event)) if is_work else record.trail
    said = (*record.said, event.answer)[-role.continuations :] if role.continuations else ()
    record = replace(record, verdict=event.said, level=slot.level, said=said, trail=trail)
    if role.writes and event.meaning is Meaning.PASS:
        record = replace(record, made=_joined(record.made, visit.start, event.snapshot.commit))
    if event.meaning is not Meaning.REJECT:
        return record
    return replace(record, rounds=record_round(record.rounds, visit.number, event.concerns))


def _joined(
    made: tuple[tuple[CommitSha, CommitSha], ...], start: CommitSha, end: CommitSha
) -> tuple[tuple[CommitSha, CommitSha], ...]:
    """Add what a visit made; where nobody wrote in between, the visit before only went on."""
    if made and made[-1][1] == start:
        return (*made[:-1], (made[-1][0], end))
    return (*made, (start, end))


def _trace(visit: Visit, slot: Slot, event: e.AttemptSucceeded) -> Trace:
    """Remember the files together with what the worker had been told about the ones before."""
    told = (*visit.feedback, *((slot.told,) if slot.told else ()))
    words = " ".join(each.artifact for each in told)
    return Trace(tree=event.snapshot.tree, words=words, level=slot.level)
