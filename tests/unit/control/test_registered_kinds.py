"""Kinds of steps, answers and questions are found by their registered words."""

from collections.abc import Callable, Iterator

import pytest

from supervisor_ai.control.registered_kinds import (
    answer_meanings,
    approval_phrases,
    asks,
    is_approving,
    step_phrases,
)
from supervisor_ai.control.slice_names import (
    SliceAnswer,
    SliceName,
    SliceRoles,
    SliceStep,
    registered,
)
from supervisor_ai.definitions.sources.slice_words import (
    answer_words,
    roles_of_slice,
    slice_directories,
    step_words,
)
from supervisor_ai.definitions.worker_answers.forms import answer_form
from supervisor_ai.domain.errors import InternalError, Unavailable
from supervisor_ai.domain.run.answers import AnswerKind, AnswerWord
from supervisor_ai.domain.run.definition import StepWord
from supervisor_ai.domain.run.values import ReasonWord
from supervisor_ai.drivers.kanban.kinds import OF_MANAGER, READ_FILES, UNREADABLE
from supervisor_ai.drivers.workflow.driver import find_decider

NOTHING = "supervisor_ai.domain.run.definition:MIB"
ODD = SliceName(
    "odd",
    "supervisor_ai.domain.errors",
    steps=(SliceStep("fry", phrases=NOTHING, decider=NOTHING),),
    roles=SliceRoles(
        works_on="pans", answers={"taste": SliceAnswer(form=NOTHING, meanings=NOTHING, noun="")}
    ),
    reasons={"smoke": NOTHING},
    definitions="supervisor_ai.domain.errors",
)


@pytest.fixture
def _odd() -> Iterator[None]:
    with registered(ODD):
        yield


def test_a_slice_says_what_its_own_kinds_are() -> None:
    assert step_phrases(READ_FILES).preview == "read the kanban's files"
    assert asks(UNREADABLE) == "cannot read the kanban and asks a person"
    assert answer_form(OF_MANAGER).keeps_null
    assert not is_approving(OF_MANAGER)
    assert is_approving(AnswerKind.REVIEW)


@pytest.mark.usefixtures("_odd")
def test_only_what_a_workflow_can_decide_stands_in_its_file() -> None:
    assert "kanban" not in step_words()
    assert step_words()[-1] == "fry"
    assert answer_words()[-1] == "taste"
    own = roles_of_slice("taste")
    assert own is not None
    assert own.works_on == "pans"


LOOKUPS: list[Callable[[], object]] = [
    lambda: step_phrases(StepWord("fry")),
    lambda: approval_phrases(ReasonWord("smoke")),
    lambda: answer_form(AnswerWord("taste")),
    lambda: answer_meanings(AnswerWord("taste")),
    lambda: find_decider(StepWord("fry")),
]


@pytest.mark.parametrize("look_up", LOOKUPS)
def test_a_word_that_nobody_has_registered_was_written_by_a_newer_version(
    look_up: Callable[[], object],
) -> None:
    with pytest.raises(Unavailable, match="is unknown here"):
        look_up()


@pytest.mark.parametrize("look_up", [*LOOKUPS, lambda: find_decider(READ_FILES), slice_directories])
@pytest.mark.usefixtures("_odd")
def test_a_place_without_what_it_is_named_for_is_a_fault_of_ours(
    look_up: Callable[[], object],
) -> None:
    with pytest.raises(InternalError):
        look_up()
