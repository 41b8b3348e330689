"""Two approvals are two humans, by whichever proof, and a replayed signature is no second one."""

import pytest
from tests.integration.engine.conftest import OpenKernel
from tests.support.kernel import PERSON, Kernel, flow, stop, work

from supervisor_ai.domain.envelope import Actor, ActorKind
from supervisor_ai.domain.ids import ArtifactHash, LetterKey
from supervisor_ai.domain.people import People, Person
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.approvals.conditions import RiskCondition, read_condition
from supervisor_ai.domain.run.approvals.decision_document import DecisionDocument, DecisionWord
from supervisor_ai.domain.run.approvals.facts import Fact
from supervisor_ai.domain.run.approvals.policy import (
    ApprovalAction,
    ApprovalLevel,
    ApprovalPolicy,
    ConditionMatch,
    RiskLevel,
)
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.run.inbox_commands import Approve, InboxCommand
from supervisor_ai.domain.run.inbox_replies import shown_of
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import ChangeFacts
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_identities import fake_signature
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.world import says

ADA = Person(name="ada-l", user="ada", ssh="ada@example.com")
BOB = Person(name="bob", ssh="bob@example.com")
CAROL = Person(name="carol", ssh="carol@example.com")
PEOPLE = People(groups={"leads": (ADA, BOB), "others": (CAROL,)})


def build(request: WorkerRequest) -> FakeReply:
    files = {"built.txt": f"visit {request.visit}"}
    return FakeReply(output=says(AnswerKind.IMPLEMENTATION), files=files)


def policy() -> ApprovalPolicy:
    condition = read_condition("file_count > 0", frozenset())
    assert isinstance(condition, RiskCondition)
    level = ApprovalLevel(
        level=RiskLevel.CRITICAL,
        conditions=(condition,),
        action=ApprovalAction.REQUIRE_MULTI_APPROVAL,
        approvers=("leads",),
        match=ConditionMatch.ANY,
        needs=2,
    )
    return ApprovalPolicy(levels=(level,))


class Desk:
    """A change that waits for two of the leads."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        kernel.fakes.identities.known = PEOPLE
        kernel.fakes.examiner.known = ChangeFacts(facts=(Fact(name="file_count", value=1),))
        definition = replace(
            flow(work("build"), stop("commit", StepKind.COMMIT)), approvals=policy()
        )
        self.run = kernel.submit(definition)
        assert kernel.drive(self.run).status is RunStatus.WAITING
        self.letters = 0

    def document(self) -> DecisionDocument:
        asked = [it for it in self.kernel.envelopes(self.run) if it.type == "ApprovalRequested"][-1]
        assert isinstance(asked.event, e.ApprovalRequested)
        return DecisionDocument(
            project="0" * 32,
            run=self.run,
            step=asked.event.step,
            visit=asked.event.visit,
            asked_at=asked.recorded_at,
            tree=asked.event.tree,
            shown=shown_of(asked.event),
            decision=DecisionWord.APPROVE,
            note=None,
        )

    def approve(self, *, actor: Actor = PERSON, proof: ArtifactHash | None = None) -> RunStatus:
        at = self.document()
        command = Approve(step=at.step, visit=at.visit, tree=at.tree, proof=proof)
        self.letters += 1
        letter = InboxCommand(
            key=LetterKey(str(self.letters)),
            run=self.run,
            command=command,
            actor=actor,
            sent_at=self.kernel.world.clock.now(),
        )
        assert self.kernel.world.inbox.put(letter)
        return self.kernel.drive(self.run, world=self.kernel.process()).status

    def signed(self, person: Person) -> ArtifactHash:
        text = self.document().text
        signature = fake_signature(str(person.ssh), text.encode())
        return self.kernel.world.artifacts.put(text + signature.decode())

    def refusals(self) -> list[str]:
        return [it.reason for it in self.kernel.events(self.run, e.CommandRefused)]

    def voters(self) -> list[str]:
        kinds = ("ApprovalCounted", "ApprovalGiven")
        events = [it.event for it in self.kernel.envelopes(self.run) if it.type in kinds]
        return [it.person for it in events if isinstance(it, e.ApprovalCounted | e.ApprovalGiven)]


@pytest.fixture
def desk(open_kernel: OpenKernel) -> Desk:
    return Desk(open_kernel(build))


def test_two_proven_people_are_enough(desk: Desk) -> None:
    assert desk.approve() is RunStatus.WAITING
    assert desk.approve(proof=desk.signed(BOB)) is RunStatus.COMPLETED
    assert desk.voters() == ["ada-l", "bob"]
    assert desk.kernel.events(desk.run, e.IntegrationLanded)


def test_one_human_as_user_and_as_signer_counts_once(desk: Desk) -> None:
    assert desk.approve() is RunStatus.WAITING
    assert desk.approve(proof=desk.signed(ADA)) is RunStatus.WAITING
    assert desk.refusals() == ["'ada-l' has agreed already, and counts once."]
    assert desk.voters() == ["ada-l"]
    assert desk.approve(proof=desk.signed(BOB)) is RunStatus.COMPLETED


def test_a_signature_that_comes_again_counts_once(desk: Desk) -> None:
    proof = desk.signed(BOB)
    assert desk.approve(proof=proof) is RunStatus.WAITING
    assert desk.approve(proof=proof) is RunStatus.WAITING
    assert desk.voters() == ["bob"]


def test_whoever_is_no_lead_counts_for_nothing(desk: Desk) -> None:
    forged = Actor(kind=ActorKind.USER, id="bob", via="cli", verified=True)
    worker = Actor(kind=ActorKind.WORKER, id="ada", via="cli", verified=True)
    assert desk.approve() is RunStatus.WAITING
    assert desk.approve(proof=desk.signed(CAROL)) is RunStatus.WAITING
    assert desk.approve(actor=forged) is RunStatus.WAITING
    assert desk.approve(actor=worker) is RunStatus.WAITING
    assert desk.voters() == ["ada-l"]
    assert len(desk.refusals()) == 3
    assert desk.kernel.events(desk.run, e.IntegrationLanded) == []


def test_who_left_the_group_before_the_letter_was_taken_does_not_count(desk: Desk) -> None:
    proof = desk.signed(BOB)
    assert desk.approve() is RunStatus.WAITING
    desk.kernel.fakes.identities.known = People(groups={"leads": (ADA,), "others": (BOB,)})
    assert desk.approve(proof=proof) is RunStatus.WAITING
    assert desk.voters() == ["ada-l"]
