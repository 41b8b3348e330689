"""No run acts on a definition that the user did not agree to here, or on a decision of nobody."""

from datetime import datetime

from supervisor_ai.domain.envelope import Actor, ActorKind
from supervisor_ai.domain.errors import Denied, NotFound
from supervisor_ai.domain.ids import ArtifactHash, RunId, run_stream
from supervisor_ai.domain.people import Person, Unproven
from supervisor_ai.domain.run.approvals.decision_document import (
    DecisionDocument,
    DecisionWord,
    SignedDecision,
    difference,
    read_signed,
)
from supervisor_ai.domain.run.events import ApprovalRequested
from supervisor_ai.domain.run.inbox_commands import (
    Approve,
    Cancel,
    Comment,
    EditChange,
    InboxCommand,
    Reject,
)
from supervisor_ai.domain.run.inbox_replies import shown_of
from supervisor_ai.domain.run.run import Run
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.pinned import pinned_powers
from supervisor_ai.engine.ports.consent import PinnedPower
from supervisor_ai.engine.world import World


def require_consent(world: World, run: Run) -> None:
    """Refuse to drive a run that pinned what the user did not agree to."""
    missing = unagreed(world, run, run.definition)
    if missing:
        keys = ", ".join(power.key for power in missing)
        raise Denied(
            f"You have not agreed to what run {run.id!r} was started with: {keys}.",
            hint="Look at it and agree, if you do: supervisor trust",
        )


def unagreed(world: World, run: Run, definition: ArtifactHash) -> tuple[PinnedPower, ...]:
    """Return what a run under a definition may do and the user did not agree to."""
    document = world.artifacts.get(definition)
    return world.consent.missing(pinned_powers(document, sandbox=run.birth.sandbox))


def is_cancelled(world: World, run: RunId) -> bool:
    """Tell whether the next drive can only end the run, whatever it pinned."""
    return any(isinstance(letter.command, Cancel) for letter in world.inbox.pending(run))


def hear(
    world: World, run: Run, letter: InboxCommand
) -> tuple[InboxCommand, Person | Unproven | None]:
    """Find out who decides: return the letter with the actor that is proven, and who that is.

    Whoever can write the ledger can put any name into a letter. An operating-system user is proven
    where it is the user of this process, everybody else by a signature over exactly this decision.
    """
    command = letter.command
    if isinstance(command, Comment | EditChange):
        who, actor = _unsigned(world, letter.actor, "")
        return replace(letter, actor=actor), who
    if not isinstance(command, Approve | Reject):
        return letter, None
    if command.proof is None:
        who, actor = _unsigned(world, letter.actor, command.person)
    else:
        who = _signer(world, run, command, command.proof)
        actor = _signed_actor(who, letter.actor)
    return replace(letter, actor=actor), who


def is_answer(letter: InboxCommand) -> bool:
    """Tell whether it matters to a letter who may decide."""
    return isinstance(letter.command, Approve | Reject)


def _unsigned(world: World, actor: Actor, claimed: str) -> tuple[Person | Unproven | None, Actor]:
    if actor.kind is not ActorKind.USER:
        reason = f"People decide, and {actor.id!r} is a {actor.kind.value}."
        return Unproven(reason=reason), replace(actor, verified=False)
    is_own = actor.id == world.identities.user()
    person = world.identities.people().person_of_user(actor.id) if is_own else None
    proven = replace(actor, verified=actor.verified and is_own)
    if claimed and (person is None or person.name != claimed):
        reason = f"Nothing proves that it is {claimed!r} who decides."
        return Unproven(reason=reason), proven
    return person, proven


def _signed_actor(who: Person | Unproven, sender: Actor) -> Actor:
    if isinstance(who, Unproven):
        return replace(sender, verified=False)
    return Actor(kind=ActorKind.USER, id=who.name, via=sender.via, verified=True)


def _signer(
    world: World, run: Run, command: Approve | Reject, proof: ArtifactHash
) -> Person | Unproven:
    """Check the signature again: what lies in the inbox may have been written by anybody."""
    found = _kept(world, proof)
    if isinstance(found, Unproven):
        return found
    meant = _meant(world, run, command)
    differing = None if meant is None else difference(found.document, meant)
    if meant is None or differing is not None:
        return Unproven(reason=differing or "The run does not wait for what was signed.")
    who = world.identities.verify(found.signed, found.signature)
    if isinstance(who, Person) and command.person not in {"", who.name}:
        return Unproven(reason=f"{who.name!r} signed it, not {command.person!r}.")
    return who


def _kept(world: World, proof: ArtifactHash) -> SignedDecision | Unproven:
    try:
        found = read_signed(world.artifacts.get(proof))
    except NotFound:
        return Unproven(reason="The signed decision is not kept any more.")
    return found or Unproven(reason="What should be a signed decision is none.")


def _meant(world: World, run: Run, command: Approve | Reject) -> DecisionDocument | None:
    """Write down what has to be signed for the command to count."""
    asked = run.approval
    if asked is None:
        return None
    word = DecisionWord.APPROVE if isinstance(command, Approve) else DecisionWord.REJECT
    return DecisionDocument(
        project=world.identities.project(),
        run=run.id,
        step=asked.step,
        visit=asked.visit,
        asked_at=_asked_at(world, run.id, asked),
        tree=asked.tree,
        shown=shown_of(asked),
        decision=word,
        note=command.note,
    )


def _asked_at(world: World, run: RunId, asked: ApprovalRequested) -> datetime:
    """Find when the open question was asked: one visit may ask twice about the same tree."""
    envelopes = world.log.read(run_stream(run))
    return [it.recorded_at for it in envelopes if it.event == asked][-1]
