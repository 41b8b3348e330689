"""What must be true of every simulated world, however badly it went."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from tests.simulation.definitions import WRITER
from tests.simulation.history import History
from tests.simulation.jobs import Jobs
from tests.simulation.machine import SimWorkspaces
from tests.simulation.retry_rules import bad_retries
from tests.support.fake_kanban_files import MemoryKanbanFiles

from supervisor_ai.control.slices import slice_events
from supervisor_ai.domain.envelope import Envelope, NewEvent
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import (
    CommitSha,
    EffectKey,
    RunId,
    StreamId,
    run_stream,
    stream_run,
)
from supervisor_ai.domain.project import project as shared
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.operations import operation_key, operations_of
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.driver import KanbanDriver
from supervisor_ai.drivers.workflow.driver import WorkflowDriver
from supervisor_ai.engine.playback import Player
from supervisor_ai.engine.world import World
from supervisor_ai.store.codec import EVENT_KINDS, EventCodec, EventPlace

_ENDS = (e.RunCompleted, e.RunFailed, e.RunCancelled)
_INTENT_OF: Mapping[type, type[e.Intent]] = {
    outcome: kind.started
    for kind in operations_of((*EVENT_KINDS, *slice_events()))
    if kind.is_performed
    for outcome in kind.ended
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything that is left when a simulated world has come to its end."""

    envelopes: tuple[Envelope, ...]
    world: World
    history: History
    workspaces: SimWorkspaces
    kanban_files: MemoryKanbanFiles
    jobs: Jobs
    permits: Mapping[str, int]
    attempts: int

    def stream(self, stream: StreamId) -> list[Envelope]:
        """Return one stream in order."""
        return [envelope for envelope in self.envelopes if envelope.stream == stream]

    @property
    def runs(self) -> list[RunId]:
        """Return every run of the world."""
        streams = dict.fromkeys(envelope.stream for envelope in self.envelopes)
        return [run for stream in streams if (run := stream_run(stream)) is not None]


def broken_rules(evidence: Evidence) -> list[str]:
    """Return a sentence for every rule that does not hold."""
    broken = [
        *evidence.history.violations,
        *_gaps(evidence),
        *_loose_links(evidence),
        *_crowds(evidence),
        *_overspending(evidence),
        *_leftovers(evidence),
    ]
    for run in evidence.runs:
        envelopes = evidence.stream(run_stream(run))
        broken += _bad_fold(run, evidence)
        broken += _bad_end(run, envelopes)
        broken += _old_epochs(run, envelopes)
        broken += _bad_operations(run, envelopes, evidence)
        broken += _bad_numbers(run, envelopes)
        broken += _bad_letters(run, envelopes)
        birth = envelopes[0].event
        if isinstance(birth, e.RunSubmitted) and birth.driver == KanbanDriver.name:
            continue
        broken += _bad_snapshots(run, envelopes, evidence)
        if isinstance(birth, e.RunSubmitted) and birth.driver == WorkflowDriver.name:
            broken += bad_retries(run, envelopes, evidence.world.documents)
            broken += _bad_landings(birth, envelopes, evidence)
    return broken


def _gaps(evidence: Evidence) -> Iterator[str]:
    if [envelope.seq for envelope in evidence.envelopes] != list(
        range(1, len(evidence.envelopes) + 1)
    ):
        yield "The global order has gaps."
    versions: dict[StreamId, int] = defaultdict(int)
    for envelope in evidence.envelopes:
        versions[envelope.stream] += 1
        if envelope.version != versions[envelope.stream]:
            yield f"Stream {envelope.stream!r} has {envelope.version} in place of its next version."


def _loose_links(evidence: Evidence) -> Iterator[str]:
    codec, previous = EventCodec(), ""
    for at in evidence.envelopes:
        new = NewEvent(event=at.event, actor=at.actor, cause=at.cause)
        place = EventPlace(at.seq, at.stream, at.version, at.recorded_at, at.epoch)
        if codec.seal(new, place, previous=previous).envelope.hash != at.hash:
            yield f"Event {at.seq} is not chained to the one before it."
        previous = at.hash


def _bad_fold(run: RunId, evidence: Evidence) -> Iterator[str]:
    """Folding all facts works, and gives what the cached state and the rest give."""
    world = evidence.world
    player = Player(log=world.log, documents=world.documents, drivers=world.drivers)
    try:
        whole, version = player.play(run)
        cached, version_of_cached = replace(player, cache=world.cache).play(run)
    except SupervisorError as error:
        yield f"The events of run {run!r} cannot be folded: {error}"
        return
    if (whole.encode(), version) != (cached.encode(), version_of_cached):
        yield f"The cached state of run {run!r} is not what its events say."


def _crowds(evidence: Evidence) -> Iterator[str]:
    project = shared.Project()
    for envelope in evidence.envelopes:
        project = shared.evolve(project, envelope.event)
        for permit, holders in project.holders.items():
            if len(holders) > evidence.permits.get(permit, 0):
                yield f"Permit {permit!r} was held by {sorted(holders)} at once."
    if any(project.holders.values()):
        yield f"Permits were never given back: {project.holders}."


def _overspending(evidence: Evidence) -> Iterator[str]:
    """No day has more attempts than its budget, set aside or made; in the end none is set aside."""
    project = shared.Project()
    for envelope in evidence.envelopes:
        project = shared.evolve(project, envelope.event)
        spending = project.spending
        held = {name for at in spending.reservations.values() for name in at.accounts}
        for account in sorted({*spending.spent, *held}):
            both = spending.spent_from(account).plus(spending.reserved_from(account))
            if account.startswith("day:") and (both.attempts or 0) > evidence.attempts:
                yield f"Account {account!r} has {both.attempts} attempts at event {envelope.seq}."
    if project.spending.reservations:
        yield f"Reservations were never given back: {sorted(project.spending.reservations)}."


def _bad_end(run: RunId, envelopes: list[Envelope]) -> Iterator[str]:
    ends = [at for at, envelope in enumerate(envelopes) if isinstance(envelope.event, _ENDS)]
    if ends != [len(envelopes) - 1]:
        yield f"Run {run!r} has its end at {ends} of {len(envelopes)} events."


def _old_epochs(run: RunId, envelopes: list[Envelope]) -> Iterator[str]:
    for before, after in pairwise(envelopes[1:]):
        if after.epoch < before.epoch:
            yield f"Epoch {after.epoch} of run {run!r} wrote after epoch {before.epoch}."


def _bad_operations(run: RunId, envelopes: list[Envelope], evidence: Evidence) -> Iterator[str]:
    """Every outcome has its intent, every loss its reason, every deed its one intent."""
    under_way: dict[EffectKey, Envelope] = {}
    intents: Counter[str] = Counter()
    for envelope in envelopes:
        event = envelope.event
        if isinstance(event, e.OperationStarted):
            key = operation_key(run, event)
            intents[key] += 1
            if key in under_way:
                yield f"{key!r} was begun while it was under way."
            under_way[key] = envelope
        elif isinstance(event, e.PlacedEvent) and type(event) in _INTENT_OF:
            found = [key for key, begun in under_way.items() if _answers(event, begun.event)]
            if not found:
                yield f"{envelope.type} of run {run!r} has no intent."
            for key in found:
                yield from _bad_loss(run, envelope, under_way.pop(key), evidence)
    for label, times in evidence.history.starts.items():
        if label.startswith(f"{run}/") and times > intents[label]:
            yield f"{label!r} was started {times} times for {intents[label]} intents."


def _answers(outcome: e.PlacedEvent, intent: object) -> bool:
    if not isinstance(intent, _INTENT_OF[type(outcome)]):
        return False
    assert isinstance(intent, e.PlacedEvent)
    place = (intent.step, intent.visit, intent.slot, getattr(intent, "attempt", None))
    return place == (outcome.step, outcome.visit, outcome.slot, getattr(outcome, "attempt", None))


def _bad_loss(run: RunId, ended: Envelope, begun: Envelope, evidence: Evidence) -> Iterator[str]:
    """Only what a dead or frozen process had begun can be lost, and only a later owner says so."""
    assert isinstance(begun.event, e.OperationStarted)
    if type(ended.event) is not type(begun.event.lost()):
        return
    owner = evidence.history.owners.get((run, begun.epoch))
    is_explained = owner is not None and (owner.has_been_frozen or not owner.is_alive)
    if not is_explained or ended.epoch <= begun.epoch:
        yield f"{ended.type} of run {run!r} is explained by no crash."


def _bad_numbers(run: RunId, envelopes: list[Envelope]) -> Iterator[str]:
    visits: Counter[str] = Counter()
    attempts: Counter[tuple[str, int, int]] = Counter()
    for envelope in envelopes:
        match envelope.event:
            case e.StepEntered(step=step, visit=visit):
                visits[step] += 1
                if visit != visits[step]:
                    yield f"Step {step!r} of run {run!r} has {visit} as its next visit."
            case e.AttemptStarted(step=step, visit=visit, slot=slot, attempt=attempt):
                attempts[step, visit, slot] += 1
                if attempt != attempts[step, visit, slot]:
                    yield f"Step {step!r} of run {run!r} has {attempt} as its next attempt."
            case _:
                pass


def _bad_letters(run: RunId, envelopes: list[Envelope]) -> Iterator[str]:
    causes = Counter(envelope.cause for envelope in envelopes if envelope.cause)
    for cause, times in causes.items():
        if times > 1:
            yield f"{cause!r} led to {times} facts of run {run!r}."


def _leftovers(evidence: Evidence) -> Iterator[str]:
    for path in evidence.workspaces.leftovers:
        yield f"{str(path)!r} was left behind."
    for job in evidence.jobs.open:
        yield f"{job.label!r} was left alive."


def _bad_snapshots(run: RunId, envelopes: list[Envelope], evidence: Evidence) -> Iterator[str]:
    """What is kept of an attempt is its start and what its worker wrote, nothing else."""
    starts: dict[tuple[str, int, int, int], CommitSha] = {}
    for envelope in envelopes:
        match envelope.event:
            case e.AttemptStarted(step=step, visit=visit, slot=slot, attempt=attempt):
                starts[step, visit, slot, attempt] = envelope.event.start
            case (
                e.AttemptSucceeded(step=step, visit=visit, slot=slot, attempt=attempt)
                | e.AttemptFailed(step=step, visit=visit, slot=slot, attempt=attempt)
            ) if envelope.event.snapshot is not None:
                label = f"{run}/{step}/{visit}/{slot}/worker/{attempt}"
                before = evidence.workspaces.files(starts[step, visit, slot, attempt])
                after = {**before, **evidence.history.written[label]}
                if evidence.workspaces.files(envelope.event.snapshot.commit) != after:
                    yield f"The snapshot of {label!r} does not hold what its worker wrote."
            case _:
                pass


def _bad_landings(
    birth: e.RunSubmitted, envelopes: list[Envelope], evidence: Evidence
) -> Iterator[str]:
    """What the ledger says has landed is on the branch, once, and nothing else is.

    One exception: an owner that was frozen in the middle of a landing, taken over and woken after
    its run had been given up. Git knows no fence, so its commit comes late and is told nowhere.
    """
    assert birth.base is not None
    assert birth.branch is not None
    head = birth.base.tree
    told: list[CommitSha] = []
    writers = {started.step for started in _started(envelopes) if started.role == WRITER}
    for envelope in envelopes:
        match envelope.event:
            case e.AttemptSucceeded(meaning=Meaning.PASS, step=step, snapshot=snapshot):
                head = snapshot.tree if step in writers else head
            case e.IntegrationLanded(commit=commit):
                told.append(commit)
                if commit not in evidence.workspaces.commits:
                    yield f"{commit!r} should have landed on {birth.branch!r}, but does not exist."
                elif evidence.workspaces.tree(commit) != head:
                    yield f"{commit!r} landed on {birth.branch!r} with another tree than {head!r}."
            case _:
                pass
    found = list(commits_of(birth, evidence.workspaces))
    keys = Counter(evidence.workspaces.commits[commit].key for commit in found)
    late = [commit for commit in found if is_late(birth, envelopes, evidence, commit)]
    if sorted(told) != sorted(commit for commit in found if commit not in late):
        yield f"The ledger says that {told} landed on {birth.branch!r}, which has {found}."
    if any(times > 1 for times in keys.values()):
        yield f"Branch {birth.branch!r} has an operation twice: {keys}."


def is_late(
    birth: e.RunSubmitted, envelopes: list[Envelope], evidence: Evidence, commit: CommitSha
) -> bool:
    key = evidence.workspaces.commits[commit].key
    last = [
        at for at in envelopes if isinstance(at.event, e.IntegrationStarted | e.IntegrationLost)
    ]
    if not last or not isinstance(last[-1].event, e.IntegrationLost):
        return False
    begun = next(at for at in reversed(last) if isinstance(at.event, e.IntegrationStarted))
    assert isinstance(begun.event, e.IntegrationStarted)
    owner = evidence.history.owners[birth.root, begun.epoch]
    return key == operation_key(birth.root, begun.event) and owner.has_been_frozen


def _started(envelopes: list[Envelope]) -> Iterator[e.AttemptStarted]:
    for envelope in envelopes:
        if isinstance(envelope.event, e.AttemptStarted):
            yield envelope.event


def commits_of(birth: e.RunSubmitted, workspaces: SimWorkspaces) -> Iterator[CommitSha]:
    commit = workspaces.branches.get(birth.branch or "")
    while commit is not None and birth.base is not None and commit != birth.base.sha:
        yield commit
        commit = workspaces.commits[commit].parent
