"""A person's answer to a question of a run, before it is sent."""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import pytest
from tests.unit.control.asked_run import ASKED
from tests.unit.control.gate_facts import RUN, WHEN
from tests.unit.control.run_rows import FakeQueries, run_row

from supervisor_ai.control.commands.decisions.approvals import PersonsDecision, judge
from supervisor_ai.control.ports.queries import ApprovalRow
from supervisor_ai.control.records import Records
from supervisor_ai.control.registered_kinds import SHARED_PHRASES
from supervisor_ai.domain.envelope import Actor, ActorKind
from supervisor_ai.domain.errors import Conflict, InvalidInput
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run.inbox_commands import Approve
from supervisor_ai.domain.run.values import ApprovalReason, ReasonWord
from supervisor_ai.domain.structs import replace
from supervisor_ai.testing.world import fake_world

if TYPE_CHECKING:
    from supervisor_ai.control.project import OpenProject

YES: Final = PersonsDecision(is_approval=True)


class Place:
    """As much of a project as an answer needs."""

    def __init__(self, asked: ApprovalRow) -> None:
        self.world = fake_world()
        self.queries = FakeQueries(
            rows=[run_row(RUN, self.world.artifacts.put("Do it"))], asked=[asked]
        )
        self.records = Records(
            ledger=Path("state.db"),
            queries=self.queries,
            log=self.world.log,
            artifacts=self.world.artifacts,
            documents=self.world.documents,
        )
        self.actor = Actor(kind=ActorKind.USER, id="ada", via="cli")

    def keep(self, text: str) -> ArtifactHash:
        return self.world.artifacts.put(text)

    def answer(self, judgement: PersonsDecision, *, dry_run: bool = False) -> bool:
        return judge(cast("OpenProject", self), RUN, judgement, dry_run=dry_run).applied


@pytest.mark.parametrize("words", [None, "", "  \n"])
@pytest.mark.parametrize("dry_run", [False, True])
def test_a_finding_is_not_accepted_without_a_reason(words: str | None, *, dry_run: bool) -> None:
    place = Place(ASKED)
    with pytest.raises(InvalidInput, match="A finding is accepted with a reason") as error:
        place.answer(replace(YES, words=words), dry_run=dry_run)
    assert error.value.hint == 'Say why it is all right: --note "…"'
    assert not place.world.inbox.pending(RUN)


def test_a_finding_is_accepted_with_a_reason() -> None:
    place = Place(ASKED)
    assert place.answer(replace(YES, words="The endpoint is gone, and so is its test."))
    [letter] = place.world.inbox.pending(RUN)
    assert isinstance(letter.command, Approve)
    assert letter.command.note is not None
    assert place.world.artifacts.get(letter.command.note).startswith("The endpoint is gone")


@pytest.mark.parametrize(
    "reason", [it for it in SHARED_PHRASES if it not in {"findings", "completion"}]
)
def test_other_questions_are_answered_without_words(reason: ReasonWord) -> None:
    assert Place(replace(ASKED, reason=reason)).answer(YES)


def test_a_second_question_about_the_same_tree_can_be_answered() -> None:
    place = Place(replace(ASKED, reason=ApprovalReason.HUMAN_GATE))
    assert place.answer(YES)
    assert not place.answer(YES)
    later = replace(ASKED, reason=ApprovalReason.BLOCKED, asked_at=WHEN + timedelta(seconds=1))
    place.queries.asked[:] = [later]
    assert place.answer(YES)


def test_a_no_needs_a_reason_and_does_not_take_back_a_yes() -> None:
    place = Place(replace(ASKED, reason=ApprovalReason.REVIEW_LOOP))
    with pytest.raises(InvalidInput, match="A rejection needs a reason"):
        place.answer(PersonsDecision(is_approval=False, words=" "))
    assert place.answer(YES)
    with pytest.raises(Conflict, match="was approved by 'ada' before"):
        place.answer(PersonsDecision(is_approval=False, words="No."))


def test_a_task_is_completed_and_not_approved() -> None:
    place = Place(replace(ASKED, reason=ApprovalReason.COMPLETION))
    with pytest.raises(Conflict, match="waits until the task is completed") as error:
        place.answer(YES)
    assert error.value.hint == f"See what would land, and let it: supervisor complete-task {RUN}"
    assert place.answer(replace(YES, completes=True))
    [letter] = place.world.inbox.pending(RUN)
    assert isinstance(letter.command, Approve)
    assert letter.command.completes


def test_another_question_is_not_answered_by_completing() -> None:
    place = Place(replace(ASKED, reason=ApprovalReason.HUMAN_GATE))
    with pytest.raises(Conflict, match="asks something else first"):
        place.answer(replace(YES, completes=True))


def test_work_that_waits_to_be_completed_can_be_sent_back() -> None:
    place = Place(replace(ASKED, reason=ApprovalReason.COMPLETION))
    assert place.answer(PersonsDecision(is_approval=False, words="Not so."))
