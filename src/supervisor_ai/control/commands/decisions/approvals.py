"""Approve or reject: a person's answer to a question of a run."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.control.commands.decisions.open_questions import pending_question
from supervisor_ai.control.ports.queries import ApprovalRow, RunRow
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.registered_kinds import approval_phrases
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.errors import Conflict, Denied, InvalidInput
from supervisor_ai.domain.ids import ArtifactHash, LetterKey, RunId, run_stream
from supervisor_ai.domain.people import Person
from supervisor_ai.domain.run.approvals.decision_document import DecisionDocument, DecisionWord
from supervisor_ai.domain.run.approvals.policy import Assessment
from supervisor_ai.domain.run.approvals.votes import why_not_counted
from supervisor_ai.domain.run.events import CommandRefused
from supervisor_ai.domain.run.inbox_commands import Approve, InboxCommand, Reject
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.structs import replace

PAST: Final[Mapping[DecisionWord, str]] = {
    DecisionWord.APPROVE: "approved",
    DecisionWord.REJECT: "rejected",
}
"""Names what was done."""


class PersonsDecision(Struct, frozen=True, kw_only=True):
    """A yes or a no, bound to a tree if the person names one."""

    is_approval: bool
    words: str | None = None
    tree: str | None = None
    claimed: str | None = None
    """Who the person says to be."""

    @property
    def word(self) -> DecisionWord:
        """Name the decision."""
        return DecisionWord.APPROVE if self.is_approval else DecisionWord.REJECT

    completes: bool = False
    """Whether the person says that the task is complete."""

    @property
    def verb(self) -> str:
        """Name what the person does."""
        return self.word.value


class Sender(Struct, frozen=True, kw_only=True):
    """Who decides, where that is not just the user of this machine."""

    person: str = ""
    proof: ArtifactHash | None = None
    completes: bool = False


def judge(
    project: OpenProject, name: str, judgement: PersonsDecision, *, dry_run: bool = False
) -> MutationView:
    """Answer the question that a run waits with; the run's owner takes the answer in."""
    row, asked = open_question(project, name, judgement)
    person = _require_self(project, row.id, judgement)
    sender = Sender(person=person, completes=judgement.completes)
    if judgement.is_approval:
        require_vote(project, asked, _this_person(project))
    refuse_contradiction(project, row.id, asked, judgement.word, sender)
    if dry_run:
        detail = f"Would {judgement.verb} step {asked.step!r}, tree {asked.tree}."
        return MutationView(target=row.id, applied=False, dry_run=True, detail=detail)
    document = document_about(project, row.id, asked, judgement)
    return send_decision(project, document, sender)


def open_question(
    project: OpenProject, name: str, judgement: PersonsDecision
) -> tuple[RunRow, ApprovalRow]:
    """Find the question that a decision is about; refuse a decision that cannot be given."""
    if not judgement.is_approval and not (judgement.words or "").strip():
        raise InvalidInput("A rejection needs a reason.", hint='Say why: --reason "…"')
    row = project.records.find(name)
    asked = pending_question(project, row)
    _require_tree(asked, judgement)
    _require_reason(asked, judgement)
    _require_completion(row.id, asked, judgement)
    return row, asked


def require_vote(project: OpenProject, asked: ApprovalRow, person: Person | None) -> None:
    """Refuse a yes that would not count, before anybody waits for it."""
    people = project.world.identities.people()
    why_not = why_not_counted(_demand(asked), asked.votes, person, people)
    if why_not is not None:
        raise Denied(
            f"This approval would not count: {why_not}",
            hint="`people:` in your own config says who is who; somebody at another machine signs:"
            " supervisor approve RUN --export FILE",
        )


def _demand(asked: ApprovalRow) -> Assessment | None:
    if asked.level is None or asked.action is None:
        return None
    return Assessment(
        level=asked.level,
        action=asked.action,
        because=asked.because,
        approvers=asked.approvers,
        needs=asked.needs,
    )


def document_about(
    project: OpenProject, run: RunId, asked: ApprovalRow, judgement: PersonsDecision
) -> DecisionDocument:
    """Write down a decision with all that it is bound to, and keep the words that go with it."""
    words = judgement.words or ""
    return DecisionDocument(
        project=project.world.identities.project(),
        run=run,
        step=asked.step,
        visit=asked.visit,
        asked_at=asked.asked_at,
        tree=asked.tree,
        shown=asked.question,
        decision=judgement.word,
        note=project.keep(words) if words.strip() else None,
    )


def send_decision(project: OpenProject, document: DecisionDocument, sender: Sender) -> MutationView:
    """Put a decision into the run's inbox, once for each question and person."""
    is_new = _put(project, document, sender)
    already = "" if is_new else " already"
    done = PAST[document.decision]
    asked = project.records.queries.approvals(document.run)
    needs = max((it.needs for it in asked if it.answered_at is None), default=1)
    yes = document.decision is DecisionWord.APPROVE and needs > 1
    rest = f" by you; {needs} people have to agree" if yes else ""
    detail = f"Step {document.step!r} is {done}{already}{rest}, tree {document.tree}."
    return MutationView(target=document.run, applied=is_new, dry_run=False, detail=detail)


def _this_person(project: OpenProject) -> Person | None:
    """Return who of the user's people the user of this machine is."""
    identities = project.world.identities
    return identities.people().person_of_user(identities.user())


def _require_self(project: OpenProject, run: RunId, judgement: PersonsDecision) -> str:
    """Refuse a name that is not the one of this machine's user: nobody else is proven here."""
    if judgement.claimed is None:
        return ""
    user, person = project.world.identities.user(), _this_person(project)
    if person is not None and person.name == judgement.claimed:
        return person.name
    found = "nobody of your `people:`" if person is None else repr(person.name)
    verb, file = f"supervisor {judgement.verb}", "decision.txt"
    raise Denied(
        f"Nothing proves that it is {judgement.claimed!r} who decides: the user {user!r} of this"
        f" machine is {found}.",
        hint=f"Write the decision down, let it be signed, and bring it back: {verb} {run} --export"
        f" {file}, then {verb} --import {file}",
    )


def _require_tree(asked: ApprovalRow, judgement: PersonsDecision) -> None:
    if judgement.tree is not None and judgement.tree != asked.tree:
        raise Conflict(
            f"Step {asked.step!r} asks about tree {asked.tree!r}, not about {judgement.tree!r}.",
            hint="Look at the change again before you decide.",
        )


def _require_reason(asked: ApprovalRow, judgement: PersonsDecision) -> None:
    """Refuse a yes without a word on why, where one is needed."""
    explained = approval_phrases(asked.reason).explained
    if not judgement.is_approval or explained is None:
        return
    if not (judgement.words or "").strip():
        raise InvalidInput(
            f"{explained} is accepted with a reason.", hint='Say why it is all right: --note "…"'
        )


def _require_completion(run: RunId, asked: ApprovalRow, judgement: PersonsDecision) -> None:
    """Refuse a yes that is not meant for the question."""
    is_asked = asked.reason == ApprovalReason.COMPLETION
    if not judgement.is_approval or is_asked is judgement.completes:
        return
    if is_asked:
        raise Conflict(
            f"Run {run!r} waits until the task is completed, not for an approval.",
            hint=f"See what would land, and let it: supervisor complete-task {run}",
        )
    raise Conflict(
        f"Run {run!r} cannot be completed: step {asked.step!r} asks something else first.",
        hint=f"See what it asks: supervisor status {run}",
    )


def refuse_contradiction(
    project: OpenProject, run: RunId, asked: ApprovalRow, word: DecisionWord, sender: Sender
) -> None:
    """Refuse a second thought: an answer that waits for the run's owner cannot be taken back.

    What somebody else said is no reason: one of several people may always say no.
    """
    for letter in project.world.inbox.pending(run):
        command = letter.command
        if not isinstance(command, Approve | Reject):
            continue
        said = DecisionWord.APPROVE if isinstance(command, Approve) else DecisionWord.REJECT
        is_same = (command.step, command.visit) == (asked.step, asked.visit)
        signer = None if command.proof is None else command.person
        is_same &= signer == (None if sender.proof is None else sender.person)
        if said is not word and is_same:
            who = signer or letter.actor.id
            raise Conflict(f"Step {asked.step!r} was {PAST[said]} by {who!r} before.")


def _put(project: OpenProject, document: DecisionDocument, sender: Sender) -> bool:
    """Send the letter; one that was refused before may be sent again under another key."""
    letter = InboxCommand(
        key=_key(document, sender),
        run=document.run,
        command=_command(document, sender),
        actor=_actor(project, sender),
        sent_at=project.world.clock.now(),
    )
    if project.world.inbox.put(letter):
        return True
    facts = (it.event for it in project.world.log.read(run_stream(document.run)))
    refused = {fact.letter for fact in facts if isinstance(fact, CommandRefused)}
    number = 2
    while letter.key in refused:
        letter = replace(letter, key=LetterKey(f"{_key(document, sender)}#{number}"))
        if project.world.inbox.put(letter):
            return True
        number += 1
    return False


def _actor(project: OpenProject, sender: Sender) -> Actor:
    """Say whose word it is: of a signed decision the signer's, whoever brings it."""
    if sender.proof is None:
        return project.actor
    return replace(project.actor, id=sender.person, via=f"{project.actor.via}+ssh")


def _key(document: DecisionDocument, sender: Sender) -> LetterKey:
    """Name the answer to this question: a visit may ask twice about the same tree."""
    place = f"{document.step}:{document.visit}:{document.tree}:{document.asked_at.isoformat()}"
    signer = "" if sender.proof is None else f":{sender.person}"
    return LetterKey(f"{document.decision}:{document.run}:{place}{signer}")


def _command(document: DecisionDocument, sender: Sender) -> Approve | Reject:
    if document.decision is DecisionWord.APPROVE:
        return Approve(
            step=document.step,
            visit=document.visit,
            tree=document.tree,
            note=document.note,
            person=sender.person,
            proof=sender.proof,
            shown=document.shown,
            completes=sender.completes,
        )
    if document.note is None:
        raise InvalidInput("A rejection needs a reason.", hint='Say why: --reason "…"')
    return Reject(
        step=document.step,
        visit=document.visit,
        tree=document.tree,
        note=document.note,
        person=sender.person,
        proof=sender.proof,
        shown=document.shown,
    )
