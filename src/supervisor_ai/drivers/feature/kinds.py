"""The kinds of steps that only runs of features have, and the names of two of them."""

from typing import Final

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import StepWord

FEATURE: Final = StepName("feature")
"""The step in which a run of a feature is as a whole; it waits here for a person's word."""
INTERFACES: Final = StepName("interfaces")
"""The step in which the interfaces are put on the branch, before anybody builds."""
OF_FEATURE: Final = StepWord("feature")
OF_COMPONENT: Final = StepWord("component")
