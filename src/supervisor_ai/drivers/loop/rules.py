"""Where a loop stops by itself, and how often who looks."""

from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.ids import StepName
from supervisor_ai.drivers.quality.directives import Backlog
from supervisor_ai.drivers.quality.supervisors import SupervisorSpec

MAX_TASKS: Final = 50
MAX_ATTEMPTS: Final = 3
REVIEW_INTERVAL: Final = 5
POLISH_TASKS: Final = 10


class LoopRules(Struct, frozen=True, kw_only=True):
    """What a run of the loop keeps to."""

    max_tasks: int = MAX_TASKS
    """How many tasks it may begin; a claim that a milestone is done and is not counts as one."""
    max_attempts: int = MAX_ATTEMPTS
    """How often a task may fail before it is given up."""
    review_interval: int = REVIEW_INTERVAL
    """After how many tasks the assessor looks."""
    polish_tasks: int = POLISH_TASKS
    """How many tasks of cleanup follow when the remit is complete."""
    backlog: Backlog = field(default_factory=Backlog)
    supervisors: tuple[SupervisorSpec, ...] = ()
    """Those that are switched on, in their order."""
    milestone_steps: tuple[StepName, ...] = ()
    """The steps of other slices through which a loop goes after each milestone, in their order."""
    is_research_offered: bool = False
    """Whether whoever scopes or plans may ask questions first."""
