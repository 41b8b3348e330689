"""Planning a feature: who is asked in which order, resolved into what the run pins."""

from typing import Final

from supervisor_ai.definitions.catalog.library import Library
from supervisor_ai.definitions.catalog.resolution import resolve
from supervisor_ai.definitions.roles.agents import Agents
from supervisor_ai.definitions.sources.files import Origin
from supervisor_ai.definitions.step_checks.workflow import ReadWorkflow
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Definition, Step, StepKind, Workflow
from supervisor_ai.drivers.feature.commands.plan_start import WantedPlan
from supervisor_ai.drivers.feature.kinds import OF_PLAN, PLANNER, TECH_LEAD

_NAME: Final = "feature_plan"
_PHASES: Final = StepName("phases")
_COMPONENTS: Final = StepName("components")
_CHECK: Final = StepName("check")
_REVISIONS: Final = 3


def resolve_plan(library: Library, agents: Agents, wanted: WantedPlan) -> Definition:
    """Gather what planning a feature needs."""
    steps = (
        Step(
            name=_PHASES,
            kind=StepKind.ROLE,
            role=PLANNER,
            next=_COMPONENTS,
            description="The feature is taken apart into phases",
        ),
        Step(
            name=_COMPONENTS,
            kind=StepKind.ROLE,
            role=TECH_LEAD,
            next=_CHECK,
            description="The phases are taken apart into components",
        ),
        Step(
            name=_CHECK,
            kind=OF_PLAN,
            on_reject=_COMPONENTS,
            max_retries=_REVISIONS,
            terminal=True,
            particulars=wanted.feature,
            description="The plan is put together and checked",
        ),
    )
    workflow = Workflow(
        name=_NAME,
        description="Plan a feature of many components",
        initial_step=_PHASES,
        steps={it.name: it for it in steps},
    )
    read = ReadWorkflow(workflow=workflow, gates={}, origin=Origin.BUILT_IN)
    return resolve(library, read, agents, cli=wanted.cli)
