"""The kinds of steps that only runs of features have, and the names of some of them."""

from typing import Final

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.answers import AnswerWord, Meaning
from supervisor_ai.domain.run.definition import StepWord
from supervisor_ai.domain.run.values import ReasonWord

FEATURE: Final = StepName("feature")
"""The step in which a run of a feature is as a whole; it waits here for a person's word."""
INTERFACES: Final = StepName("interfaces")
"""The step in which the interfaces are put on the branch, before anybody builds."""
PROJECTS: Final = StepName("projects")
"""The step in which the files of other repositories are brought in, before anything else."""
SUPERVISORS: Final = StepName("supervisors")
"""The step in which quality supervisors look at what was merged, in runs of their own."""
OF_FEATURE: Final = StepWord("feature")
OF_COMPONENT: Final = StepWord("component")
OF_PLAN: Final = StepWord("feature_plan")
"""What a planner and a tech lead have answered is put together and checked."""

PLANNER: Final = "feature_planner"
TECH_LEAD: Final = "feature_tech_lead"
OF_PHASES: Final = AnswerWord("feature_phases")
OF_COMPONENTS: Final = AnswerWord("feature_components")
PLAN_MEANINGS: Final[dict[str, Meaning]] = {"PLANNED": Meaning.PASS, "BLOCKED": Meaning.BLOCK}
PLAN_RISK: Final = ReasonWord("feature_plan")
"""The approval policy wants somebody to agree before a plan is built."""
