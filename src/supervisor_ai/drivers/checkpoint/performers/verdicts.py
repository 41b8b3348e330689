"""Doing what follows from a checkpoint: its task, the bus, the memory, a person's decision."""

from supervisor_ai.domain.errors import Conflict, InternalError, NotFound
from supervisor_ai.domain.ids import ArtifactHash, run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.session.tasks import TaskStatus
from supervisor_ai.drivers.checkpoint import effects as d
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.accumulator import Accumulator, accumulate
from supervisor_ai.drivers.checkpoint.checks.rounds import CheckRound
from supervisor_ai.drivers.checkpoint.performers.door import SessionDoors
from supervisor_ai.drivers.checkpoint.protocol import replies
from supervisor_ai.drivers.checkpoint.report import CheckpointReport, read_report
from supervisor_ai.drivers.checkpoint.score import CheckpointVerdict
from supervisor_ai.drivers.checkpoint.wisdom import DECISIONS_FILE, override_entry
from supervisor_ai.engine.world import Operation


def kept_report(operation: Operation, artifact: ArtifactHash) -> CheckpointReport:
    """Read a report of ours back."""
    report = read_report(operation.text_of(artifact))
    if isinstance(report, CheckpointReport):
        return report
    raise InternalError(f"A report that was written cannot be read: {report.problem}")


async def claim(
    effect: d.ClaimCheckpoint, operation: Operation, doors: SessionDoors
) -> k.CheckpointClaimed | k.ClaimRefused:
    """Let the task be in progress; one that is not there or not pending is refused."""
    door = doors.open(operation, effect.session)
    try:
        door.tasks.update(effect.task, status=TaskStatus.IN_PROGRESS)
    except (Conflict, NotFound) as error:
        problem, _ = operation.keep(error.message)
        return k.ClaimRefused(
            step=effect.step, visit=effect.visit, slot=effect.slot, problem=problem
        )
    return k.CheckpointClaimed(step=effect.step, visit=effect.visit, slot=effect.slot)


async def complete(
    effect: d.CompleteCheckpoint, operation: Operation, doors: SessionDoors
) -> k.CheckpointCompleted | k.CheckpointHeld:
    """Complete the task; one that blocks stays in progress until a person has decided."""
    if effect.verdict is CheckpointVerdict.BLOCK:
        return k.CheckpointHeld(step=effect.step, visit=effect.visit, slot=effect.slot)
    doors.open(operation, effect.session).move(effect.task, TaskStatus.COMPLETED)
    return k.CheckpointCompleted(step=effect.step, visit=effect.visit, slot=effect.slot)


async def publish(
    effect: d.PublishState, operation: Operation, doors: SessionDoors
) -> k.StatePublished:
    """Publish the supervisor's role state."""
    door = doors.open(operation, effect.session)
    summary = kept_report(operation, effect.report).summary(door.path)
    return k.StatePublished(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        message=door.say(replies.state_update(summary)),
    )


async def keep_in_mind(
    effect: d.Accumulate, operation: Operation, doors: SessionDoors
) -> k.ContextAccumulated:
    """Remember the checkpoint for later ones."""
    door, documents = doors.open(operation, effect.session), operation.world.documents
    known = accumulate(
        documents.load(effect.accumulator, Accumulator),
        kept_report(operation, effect.report),
        documents.load(effect.round, CheckRound).facts,
        session=door.path,
    )
    return k.ContextAccumulated(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        accumulator=documents.save(known),
        entries=len(known.entries),
    )


async def tell_coordinator(
    effect: d.TellCoordinator, operation: Operation, doors: SessionDoors
) -> k.CoordinatorTold | k.BlockTold:
    """Tell the coordinator what came of the checkpoint."""
    door = doors.open(operation, effect.session)
    report = kept_report(operation, effect.report)
    message = door.say(replies.report(report.summary(door.path), effect.types), effect.request)
    is_block = report.verdict is CheckpointVerdict.BLOCK
    told = k.BlockTold if is_block else k.CoordinatorTold
    return told(step=effect.step, visit=effect.visit, slot=effect.slot, message=message)


async def settle(
    effect: d.SettleBlock, operation: Operation, doors: SessionDoors
) -> k.BlockSettled:
    """Write down what a person decided, let the task follow, and tell the coordinator."""
    door = doors.open(operation, effect.session)
    words = "" if effect.note is None else operation.text_of(effect.note)
    who = effect.person or _sender(effect, operation)
    if effect.decision is k.BlockDecision.OVERRIDE:
        number = kept_report(operation, effect.report).number
        entry = override_entry(effect.task, number, by=who, reason=words)
        door.add_wisdom(DECISIONS_FILE, (entry,))
        door.move(effect.task, TaskStatus.COMPLETED)
        said = replies.overridden(effect.task, by=who, reason=words, types=effect.types)
    else:
        door.move(effect.task, TaskStatus.PENDING)
        said = replies.revision(effect.task, by=who, reason=words, types=effect.types)
    return k.BlockSettled(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        decision=effect.decision,
        message=door.say(said, effect.request),
    )


def _sender(effect: d.SettleBlock, operation: Operation) -> str:
    """Name the user whose decision it was, where nobody has listed people by name."""
    place = (effect.step, effect.visit, effect.slot)
    said = (e.ApprovalGiven, e.ApprovalRefused)
    found = [
        it.actor.id
        for it in operation.world.log.read(run_stream(operation.run))
        if isinstance(it.event, said) and it.event.place == place
    ]
    return found[-1] if found else ""
