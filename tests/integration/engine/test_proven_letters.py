"""Who decides is proven to the run's owner, whatever a letter in its inbox says."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from tests.integration.engine.conftest import OpenKernel
from tests.support.kernel import PERSON, Kernel, flow, stop, work
from typing_extensions import override

from supervisor_ai.domain.envelope import Actor, ActorKind
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import ArtifactHash, LetterKey, RunId, StepName, TreeSha
from supervisor_ai.domain.people import People, Person
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.approvals.decision_document import DecisionDocument, DecisionWord
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.run.inbox_commands import Approve, InboxCommand, Reject
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.testing.fake_identities import FakeIdentities, fake_signature

ADA = Person(name="ada-l", user="ada", ssh="ada@example.com")
BOB = Person(name="bob", ssh="bob@example.com")
CAROL = Person(name="carol", user="carol")
PEOPLE = People(groups={"leads": (ADA, BOB), "security": (CAROL,)})
ASKING = flow(
    work("build"),
    replace(stop("ask", StepKind.HUMAN), on_reject=StepName("build")),
    stop("commit", StepKind.COMMIT),
)


class Scene:
    """A run that waits for a decision, in a world that knows people."""

    def __init__(self, kernel: Kernel) -> None:
        kernel.fakes.identities.known = PEOPLE
        self.kernel = kernel
        self.run, self.document = self.ask()

    def ask(self) -> tuple[RunId, DecisionDocument]:
        run = self.kernel.submit(ASKING)
        assert self.kernel.drive(run).status is RunStatus.WAITING
        return run, self.question(run)

    def question(self, run: RunId) -> DecisionDocument:
        """Write the document about what a run asks last."""
        asked = [it for it in self.kernel.envelopes(run) if it.type == "ApprovalRequested"][-1]
        assert isinstance(asked.event, e.ApprovalRequested)
        return DecisionDocument(
            project="0" * 32,
            run=run,
            step=asked.event.step,
            visit=asked.event.visit,
            asked_at=asked.recorded_at,
            tree=asked.event.tree,
            shown=asked.event.question,
            decision=DecisionWord.APPROVE,
            note=None,
        )

    def proof(self, document: DecisionDocument, principal: str = "bob@example.com") -> ArtifactHash:
        signature = fake_signature(principal, document.text.encode())
        return self.kernel.world.artifacts.put(document.text + signature.decode())

    def yes(self, *, person: str = "", proof: ArtifactHash | None = None) -> Approve:
        at = self.document
        return Approve(step=at.step, visit=at.visit, tree=at.tree, person=person, proof=proof)

    def send(self, command: Approve | Reject, *, actor: Actor = PERSON, key: str = "it") -> None:
        now = self.kernel.world.clock.now()
        letter = InboxCommand(
            key=LetterKey(key), run=self.run, command=command, actor=actor, sent_at=now
        )
        assert self.kernel.world.inbox.put(letter)

    def given(self) -> tuple[e.ApprovalGiven, Actor]:
        assert self.kernel.drive(self.run).status is RunStatus.COMPLETED
        [found] = [it for it in self.kernel.envelopes(self.run) if it.type == "ApprovalGiven"]
        assert isinstance(found.event, e.ApprovalGiven)
        return found.event, found.actor

    def refused(self) -> tuple[str, Actor]:
        """Drive; the run must go on waiting, and say why."""
        assert self.kernel.drive(self.run).status is RunStatus.WAITING
        [found] = [it for it in self.kernel.envelopes(self.run) if it.type == "CommandRefused"]
        assert isinstance(found.event, e.CommandRefused)
        assert self.kernel.world.inbox.pending(self.run) == []
        return found.event.reason, found.actor


@pytest.fixture
def scene(open_kernel: OpenKernel) -> Scene:
    return Scene(open_kernel())


def test_the_user_of_the_process_needs_no_other_proof(scene: Scene) -> None:
    scene.send(scene.yes())
    given, actor = scene.given()
    assert (given.person, given.proof, actor) == ("ada-l", None, PERSON)


def test_a_user_who_is_in_no_group_is_nobody_of_the_people(scene: Scene) -> None:
    scene.kernel.fakes.identities.known = People(groups={"leads": (BOB,)})
    scene.send(scene.yes())
    given, actor = scene.given()
    assert (given.person, actor.verified) == ("", True)


def test_a_signature_proves_who_decides(scene: Scene) -> None:
    proof = scene.proof(scene.document)
    scene.send(scene.yes(person="bob", proof=proof))
    given, actor = scene.given()
    assert (given.person, given.proof) == ("bob", proof)
    assert actor == Actor(kind=ActorKind.USER, id="bob", via="test", verified=True)


def test_a_signed_rejection_comes_with_its_note(scene: Scene) -> None:
    note = scene.kernel.world.artifacts.put("Not like that.")
    document = replace(scene.document, decision=DecisionWord.REJECT, note=note)
    at = scene.document
    proof = scene.proof(document)
    scene.send(Reject(step=at.step, visit=at.visit, tree=at.tree, note=note, proof=proof))
    assert scene.kernel.drive(scene.run).status is RunStatus.WAITING
    [refused] = scene.kernel.events(scene.run, e.ApprovalRefused)
    assert (refused.person, refused.proof, refused.note) == ("bob", proof, note)


def test_another_users_name_in_a_letter_proves_nothing(scene: Scene) -> None:
    carol = Actor(kind=ActorKind.USER, id="carol", via="cli", verified=True)
    scene.send(scene.yes(), actor=carol)
    given, actor = scene.given()
    assert (given.person, actor) == ("", replace(carol, verified=False))


@pytest.mark.parametrize(
    "actor",
    [
        PERSON,
        Actor(kind=ActorKind.USER, id="carol", via="cli", verified=True),
    ],
)
def test_who_claims_to_be_a_person_without_a_proof_is_refused(scene: Scene, actor: Actor) -> None:
    scene.send(scene.yes(person="carol"), actor=actor)
    reason, recorded = scene.refused()
    assert reason == "Nothing proves that it is 'carol' who decides."
    assert recorded.id == actor.id


@pytest.mark.parametrize("kind", [it for it in ActorKind if it is not ActorKind.USER])
@pytest.mark.parametrize("person", ["", "ada-l"])
def test_only_people_decide_whatever_others_are_called(
    scene: Scene, kind: ActorKind, person: str
) -> None:
    actor = Actor(kind=kind, id="ada", via="cli", verified=True)
    scene.send(scene.yes(person=person), actor=actor)
    reason, recorded = scene.refused()
    assert reason == f"People decide, and 'ada' is a {kind.value}."
    assert not recorded.verified


CHANGES: dict[str, Callable[[DecisionDocument], DecisionDocument]] = {
    "project": lambda it: replace(it, project="f" * 32),
    "run": lambda it: replace(it, run=RunId("rother")),
    "step": lambda it: replace(it, step=StepName("commit")),
    "visit": lambda it: replace(it, visit=it.visit + 1),
    "asked": lambda it: replace(it, asked_at=it.asked_at + timedelta(microseconds=1)),
    "tree": lambda it: replace(it, tree=TreeSha("a" * 40)),
    "shown": lambda it: replace(it, shown=ArtifactHash("c" * 64)),
    "decision": lambda it: replace(it, decision=DecisionWord.REJECT),
    "note": lambda it: replace(it, note=ArtifactHash("d" * 64)),
}


@pytest.mark.parametrize("line", CHANGES)
def test_a_signature_for_something_else_is_refused(scene: Scene, line: str) -> None:
    scene.send(scene.yes(proof=scene.proof(CHANGES[line](scene.document))))
    reason, actor = scene.refused()
    assert reason.startswith(f"It is signed for {line} ")
    assert not actor.verified


def test_the_signature_of_one_run_is_not_good_for_the_next(scene: Scene) -> None:
    proof = scene.proof(scene.document)
    scene.run, scene.document = scene.ask()
    scene.send(scene.yes(proof=proof))
    assert scene.refused()[0].startswith("It is signed for run ")


def test_a_signature_is_void_when_the_question_comes_again(scene: Scene) -> None:
    proof = scene.proof(scene.document)
    note = scene.kernel.world.artifacts.put("Again.")
    at = scene.document
    scene.send(Reject(step=at.step, visit=at.visit, tree=at.tree, note=note), key="no")
    assert scene.kernel.drive(scene.run).status is RunStatus.WAITING
    scene.document = scene.question(scene.run)
    scene.send(scene.yes(proof=proof))
    assert scene.refused()[0].startswith("It is signed for visit ")


def test_a_proof_that_is_none_is_refused(scene: Scene) -> None:
    artifacts = scene.kernel.world.artifacts
    scene.send(scene.yes(proof=artifacts.put("bob says yes")))
    assert scene.refused()[0] == "What should be a signed decision is none."


def test_a_proof_that_was_erased_proves_nothing(scene: Scene) -> None:
    scene.send(scene.yes(proof=ArtifactHash("e" * 64)))
    assert scene.refused()[0] == "The signed decision is not kept any more."


@pytest.mark.parametrize("principal", ["mallory@example.com", ""])
def test_a_signature_of_a_stranger_is_refused(scene: Scene, principal: str) -> None:
    scene.send(scene.yes(proof=scene.proof(scene.document, principal)))
    assert scene.refused()[0] == "It is signed with a key that nobody lists."


def test_a_key_that_counted_when_the_letter_was_sent_must_count_still(scene: Scene) -> None:
    scene.send(scene.yes(proof=scene.proof(scene.document)))
    scene.kernel.fakes.identities.expired.add("bob@example.com")
    assert scene.refused()[0] == "It is signed with a key that nobody lists."


def test_nobody_takes_the_credit_for_the_signature_of_another(scene: Scene) -> None:
    scene.send(scene.yes(person="carol", proof=scene.proof(scene.document)))
    assert scene.refused()[0] == "'bob' signed it, not 'carol'."


def test_one_human_is_one_person_by_both_proofs(scene: Scene) -> None:
    """Whoever counts votes counts names: the user and the signer come out as the same one."""
    identities = scene.kernel.fakes.identities
    document = scene.document.text.encode()
    signed = identities.verify(document, fake_signature("ada@example.com", document))
    assert signed == identities.people().person_of_user("ada") == ADA
    scene.send(scene.yes(proof=scene.proof(scene.document, "ada@example.com")))
    given, actor = scene.given()
    assert (given.person, actor.id) == ("ada-l", "ada-l")


def test_a_decision_about_what_was_not_shown_is_refused(scene: Scene) -> None:
    scene.send(replace(scene.yes(), shown=ArtifactHash("c" * 64)))
    assert "is not what was decided about" in scene.refused()[0]


def test_a_signature_after_the_question_was_answered_changes_nothing(scene: Scene) -> None:
    proof = scene.proof(scene.document)
    scene.send(scene.yes(), key="first")
    scene.send(scene.yes(proof=proof), key="second")
    assert scene.kernel.drive(scene.run).status is RunStatus.COMPLETED
    [refused] = scene.kernel.events(scene.run, e.CommandRefused)
    assert (refused.letter, refused.reason) == (
        "second",
        "The run does not wait for what was signed.",
    )
    assert len(scene.kernel.events(scene.run, e.ApprovalGiven)) == 1


class BrokenConfig(FakeIdentities):
    """A user whose config has a mistake."""

    @override
    def people(self) -> People:
        raise InvalidInput("The definitions have a mistake.")


def test_where_nobody_can_tell_who_people_are_the_letter_waits(scene: Scene) -> None:
    scene.send(scene.yes())
    world = scene.kernel.world
    with pytest.raises(InvalidInput):
        scene.kernel.drive(scene.run, world=replace(world, identities=BrokenConfig()))
    assert len(world.inbox.pending(scene.run)) == 1
    given, _ = scene.given()
    assert given.person == "ada-l"
