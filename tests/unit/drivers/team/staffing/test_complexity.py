"""TeamComplexity, trigger by trigger."""

from collections.abc import Mapping

import pytest

from supervisor_ai.drivers.team.staffing.complexity import (
    COMPLEX_TRIGGERS,
    MEDIUM_TRIGGERS,
    ComplexTrigger,
    MediumTrigger,
    TeamComplexity,
    WorkTraits,
    complexity_of,
)

ONE_MEDIUM: Mapping[MediumTrigger, WorkTraits] = {
    MediumTrigger.TWO_LAYERS: WorkTraits(layers=2),
    MediumTrigger.BEHAVIOUR: WorkTraits(changes_behaviour=True),
    MediumTrigger.NEAR_SENSITIVE: WorkTraits(is_near_sensitive_code=True),
    MediumTrigger.THREE_TASKS: WorkTraits(tasks=3),
    MediumTrigger.DEPENDENCIES: WorkTraits(longest_chain=2),
    MediumTrigger.FIVE_FILES: WorkTraits(files=5),
}
ONE_COMPLEX: Mapping[ComplexTrigger, WorkTraits] = {
    ComplexTrigger.THREE_LAYERS: WorkTraits(layers=3),
    ComplexTrigger.SHARED_BEHAVIOUR: WorkTraits(changes_shared_behaviour=True),
    ComplexTrigger.SENSITIVE_CODE: WorkTraits(is_sensitive_code=True),
    ComplexTrigger.FIVE_TASKS: WorkTraits(tasks=5),
    ComplexTrigger.CHAIN: WorkTraits(longest_chain=3),
    ComplexTrigger.NO_GOLD_STANDARD: WorkTraits(has_gold_standard=False),
    ComplexTrigger.TEN_FILES: WorkTraits(files=10),
}


def test_there_are_six_medium_and_seven_complex_triggers() -> None:
    assert len(MEDIUM_TRIGGERS) == len(MediumTrigger) == 6
    assert len(COMPLEX_TRIGGERS) == len(ComplexTrigger) == 7


@pytest.mark.parametrize("trigger", MediumTrigger)
def test_one_medium_trigger_leaves_work_simple(trigger: MediumTrigger) -> None:
    found = complexity_of(ONE_MEDIUM[trigger])
    assert (found.complexity, found.medium, found.complex) == (
        TeamComplexity.SIMPLE,
        (trigger,),
        (),
    )


@pytest.mark.parametrize("trigger", ComplexTrigger)
def test_one_complex_trigger_is_enough(trigger: ComplexTrigger) -> None:
    found = complexity_of(ONE_COMPLEX[trigger])
    assert found.complexity is TeamComplexity.COMPLEX
    assert found.complex == (trigger,)
    assert trigger.value in found.reasons


@pytest.mark.parametrize(
    ("traits", "complexity"),
    [
        (WorkTraits(), TeamComplexity.SIMPLE),
        (WorkTraits(layers=2, tasks=3), TeamComplexity.MEDIUM),
        (WorkTraits(layers=2, tasks=4, files=9), TeamComplexity.MEDIUM),
        (WorkTraits(layers=2, tasks=4, files=9, changes_behaviour=True), TeamComplexity.COMPLEX),
    ],
)
def test_the_number_of_medium_triggers_counts(
    traits: WorkTraits, complexity: TeamComplexity
) -> None:
    assert complexity_of(traits).complexity is complexity
