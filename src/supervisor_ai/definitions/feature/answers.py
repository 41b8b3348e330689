"""What a planner and a tech lead answer with when they plan a feature."""

from typing import Annotated, Final, Literal

from msgspec import Meta, field

from supervisor_ai.definitions.worker_answers.forms import AnswerForm
from supervisor_ai.definitions.worker_answers.models import AnswerModel, SummedOutput
from supervisor_ai.drivers.feature.plan.flaws import MOST_COMPONENTS

_MOST_PHASES: Final = 100

Word = Annotated[str, Meta(max_length=200)]
Line = Annotated[str, Meta(max_length=300)]
Text = Annotated[str, Meta(max_length=20_000)]


class PlannedFeaturePhase(AnswerModel, frozen=True, kw_only=True):
    """A phase, as the planner sees it."""

    id: Annotated[Word, Meta(description="A short name: letters, digits, '-' and '_'.")]
    title: Line
    description: Text = ""
    start_when: Annotated[
        Literal["phases_completed", "interfaces_locked"],
        Meta(description="interfaces_locked: it need not wait for earlier phases as a whole."),
    ] = "phases_completed"


class PhasesOutput(SummedOutput, frozen=True, kw_only=True):
    """The answer of the planner: phases, in the order in which they are built."""

    status: Literal["PLANNED", "BLOCKED"]
    phases: Annotated[list[PlannedFeaturePhase], Meta(max_length=_MOST_PHASES)]
    blockers: list[Line] | None = None


class PlannedFeatureComponent(AnswerModel, frozen=True, kw_only=True):
    """A component that one worker builds."""

    id: Annotated[Word, Meta(description="A short name: letters, digits, '-' and '_'.")]
    title: Line = ""
    description: Annotated[Text, Meta(description="What its worker has to know and to do.")] = ""
    files: Annotated[
        list[Line],
        Meta(
            min_length=1,
            max_length=500,
            description="What it may write: paths, directories (src/auth/) and patterns "
            "(src/**/*.py).",
        ),
    ]
    depends_on: Annotated[
        list[Line],
        Meta(
            max_length=MOST_COMPONENTS,
            description="Components of the same phase by id, of another one as phase.component.",
        ),
    ] = field(default_factory=list)
    estimate: Annotated[float, Meta(gt=0, le=1e9)] | None = None


class PlannedInterface(AnswerModel, frozen=True, kw_only=True):
    """An interface that is locked before anybody builds."""

    name: Word
    type: Literal[
        "typescript_interface", "openapi", "python_stub", "json_schema", "protobuf", "sql"
    ]
    definition: Annotated[str, Meta(min_length=1, max_length=100_000)]


class PlannedPhaseContents(AnswerModel, frozen=True, kw_only=True):
    """What one of the planner's phases consists of."""

    phase: Annotated[
        Word,
        Meta(
            description="The id of one of the planner's phases; where there is only one, it is "
            "that."
        ),
    ] = ""
    components: Annotated[
        list[PlannedFeatureComponent], Meta(min_length=1, max_length=MOST_COMPONENTS)
    ]
    interfaces: Annotated[list[PlannedInterface], Meta(max_length=200)] = field(
        default_factory=list
    )


class ComponentsOutput(SummedOutput, frozen=True, kw_only=True):
    """The answer of the tech lead: components, dependencies and interfaces of every phase."""

    status: Literal["PLANNED", "BLOCKED"]
    phases: Annotated[list[PlannedPhaseContents], Meta(max_length=_MOST_PHASES)]
    blockers: list[Line] | None = None


PHASES: Final = AnswerForm(model=PhasesOutput)
COMPONENTS: Final = AnswerForm(model=ComponentsOutput)
