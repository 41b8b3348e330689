"""What a planner and a tech lead answer with when they plan a feature."""

from typing import Annotated, Final, Literal

from pydantic import Field

from supervisor_ai.definitions.worker_answers.forms import AnswerForm
from supervisor_ai.definitions.worker_answers.models import AnswerModel, SummedOutput
from supervisor_ai.drivers.feature.plan.flaws import MOST_COMPONENTS

_MOST_PHASES: Final = 100

Word = Annotated[str, Field(max_length=200)]
Line = Annotated[str, Field(max_length=300)]
Text = Annotated[str, Field(max_length=20_000)]


class PlannedFeaturePhase(AnswerModel):
    """A phase, as the planner sees it."""

    id: Word = Field(description="A short name: letters, digits, '-' and '_'.")
    title: Line
    description: Text = ""
    start_when: Literal["phases_completed", "interfaces_locked"] = Field(
        default="phases_completed",
        description="interfaces_locked: it need not wait for earlier phases as a whole.",
    )


class PhasesOutput(SummedOutput):
    """The answer of the planner: phases, in the order in which they are built."""

    status: Literal["PLANNED", "BLOCKED"]
    phases: Annotated[list[PlannedFeaturePhase], Field(max_length=_MOST_PHASES)]
    blockers: list[Line] | None = None


class PlannedFeatureComponent(AnswerModel):
    """A component that one worker builds."""

    id: Word = Field(description="A short name: letters, digits, '-' and '_'.")
    title: Line = ""
    description: Text = Field(default="", description="What its worker has to know and to do.")
    files: Annotated[list[Line], Field(min_length=1, max_length=500)] = Field(
        description="What it may write: paths, directories (src/auth/) and patterns (src/**/*.py)."
    )
    depends_on: Annotated[list[Line], Field(max_length=MOST_COMPONENTS)] = Field(
        default_factory=list,
        description="Components of the same phase by id, of another one as phase.component.",
    )
    estimate: Annotated[float, Field(gt=0, le=1e9, strict=False)] | None = None


class PlannedInterface(AnswerModel):
    """An interface that is locked before anybody builds."""

    name: Word
    type: Literal[
        "typescript_interface", "openapi", "python_stub", "json_schema", "protobuf", "sql"
    ]
    definition: Annotated[str, Field(min_length=1, max_length=100_000)]


class PlannedPhaseContents(AnswerModel):
    """What one of the planner's phases consists of."""

    phase: Word = Field(
        default="",
        description="The id of one of the planner's phases; where there is only one, it is that.",
    )
    components: Annotated[
        list[PlannedFeatureComponent], Field(min_length=1, max_length=MOST_COMPONENTS)
    ]
    interfaces: Annotated[list[PlannedInterface], Field(max_length=200)] = Field(
        default_factory=list
    )


class ComponentsOutput(SummedOutput):
    """The answer of the tech lead: components, dependencies and interfaces of every phase."""

    status: Literal["PLANNED", "BLOCKED"]
    phases: Annotated[list[PlannedPhaseContents], Field(max_length=_MOST_PHASES)]
    blockers: list[Line] | None = None


PHASES: Final = AnswerForm(model=PhasesOutput)
COMPONENTS: Final = AnswerForm(model=ComponentsOutput)
