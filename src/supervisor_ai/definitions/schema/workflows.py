"""The shapes of workflow files; a key that is not listed here is a mistake."""

import re
from datetime import timedelta
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from supervisor_ai.definitions.schema import scalars
from supervisor_ai.definitions.schema.base import (
    Command,
    Duration,
    FileShape,
    Name,
    Retries,
    SwitchShape,
    one_of,
)
from supervisor_ai.definitions.schema.gates import MOST_GATES, GateShape
from supervisor_ai.definitions.schema.retries import DegradeTo
from supervisor_ai.definitions.sources.findings import found
from supervisor_ai.definitions.sources.slice_words import step_words

_POSITION: Final = re.compile(r"(after|before) ([A-Za-z][A-Za-z0-9_-]{0,63})")
_RULE: Final = re.compile(r"all|any|majority|BOTH_APPROVED|[1-9][0-9]?_of(_[1-9][0-9]?)?")
_MARK: Final = "_"
_SHORTEST_PAUSE: Final = timedelta(seconds=10)
MOST_ROLES: Final = 16
"""How many roles one step may have."""


def template_name(value: str) -> str:
    """Accept the name of a workflow; one that is only inherited from begins with `_`."""
    scalars.name(value.removeprefix(_MARK))
    return value


def is_hidden(name: str) -> bool:
    """Tell whether a template is there to be inherited from and not to be run."""
    return name.startswith(_MARK)


def position(value: str) -> str:
    """Accept `after STEP` or `before STEP`."""
    if not _POSITION.fullmatch(value):
        raise ValueError(f"must be 'after STEP' or 'before STEP', found {value!r}")
    return value


def agreement(value: str) -> str:
    """Accept a rule by which roles agree."""
    if not _RULE.fullmatch(value):
        raise ValueError(f"must be all, any, majority or N_of such as 2_of, found {value!r}")
    return value


def known_step(value: object) -> str:
    """Accept a kind of step that a workflow may have."""
    return one_of(value, step_words())


Percentage = Annotated[int, Field(ge=1, le=100)]
Count = Annotated[int, Field(ge=1, le=1000)]
Rule = Annotated[
    str,
    AfterValidator(agreement),
    WithJsonSchema({"type": "string", "pattern": f"^({_RULE.pattern})$"}),
]
Crew = Annotated[list[str], Field(min_length=1, max_length=MOST_ROLES)]
Position = Annotated[str, AfterValidator(position)]
TemplateName = Annotated[str, AfterValidator(template_name)]


class WordOrMapping(FileShape):
    """A mapping that may also be written as one word, the value of its key `WORD`."""

    WORD: ClassVar[str]

    @model_validator(mode="before")
    @classmethod
    def _from_word(cls, value: object) -> object:
        if isinstance(value, dict):
            return value
        if not isinstance(value, str):
            raise ValueError(f"must be text, found {found(value)}")  # noqa: TRY004 - pydantic's way
        return {cls.WORD: value}

    @classmethod
    def __get_pydantic_json_schema__(  # type: ignore[explicit-override]
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Tell editors that the word alone will do."""
        mapping = handler.resolve_ref_schema(handler(core_schema))
        return {"anyOf": [{"type": "string"}, mapping]}


class AggregateShape(WordOrMapping):
    """`aggregate`: how many of several roles must agree."""

    WORD = "rule"
    rule: Rule | None = None
    at_least: Annotated[int, Field(ge=1, le=MOST_ROLES)] | None = None


class ApproversShape(WordOrMapping):
    """`approvers`: who must agree to a change, by how complex it is; `matrix` is our own table."""

    WORD = "table"
    table: Literal["matrix"] | None = None
    simple: Crew | None = None
    medium: Crew | None = None
    complex: Crew | None = None


class RetryChoiceShape(WordOrMapping):
    """`retry_policy` of a step: the name of one, or how often it is tried."""

    WORD = "name"
    name: Name | None = None
    max_attempts: Annotated[int, Field(ge=1, le=100)] | None = None
    on_failure: Literal["ask_human"] | None = None


def _not_hasty(value: timedelta) -> timedelta:
    if value < _SHORTEST_PAUSE:
        raise ValueError(
            f"must be at least {_SHORTEST_PAUSE.seconds}s: a forge is not to be pestered"
        )
    return value


class FollowShape(SwitchShape):
    """`follow` of a step that opens a pull request: what others say about it comes back."""

    enabled: bool = True
    ci: bool | None = None
    reviews: bool | None = None
    max_rounds: Annotated[int, Field(ge=0, le=20)] | None = None
    every: Annotated[Duration, AfterValidator(_not_hasty)] | None = None
    timeout: Annotated[Duration, AfterValidator(_not_hasty)] | None = None


class StepConfigShape(FileShape):
    """`config` of a step: what it asks of its role, and what is measured afterwards."""

    tdd: bool | None = None
    coverage: Percentage | None = None
    unit_test_coverage: Percentage | None = None
    test_types: list[Name] | None = None
    min_tests_per_component: Count | None = None
    add_docstrings: bool | None = None
    skip_edge_cases: bool | None = None


class StepShape(FileShape):
    """`steps.NAME` of a workflow."""

    type: Annotated[str, BeforeValidator(known_step)] | None = None
    gate_type: Literal["orchestrator", "human"] | None = None
    role: str | None = None
    roles: Crew | None = None
    approvers: ApproversShape | None = None
    parallel: bool | None = None
    aggregate: AggregateShape | None = None
    gate: str | None = None
    gates: Annotated[list[str], Field(min_length=1, max_length=MOST_GATES)] | None = None
    command: Command | None = None
    position: Position | None = None
    next: str | None = None
    on_fail: str | None = None
    on_reject: str | None = None
    max_retries: Retries | None = None
    retry_policy: RetryChoiceShape | None = None
    degrade: DegradeTo | None = None
    config: StepConfigShape | None = None
    context_scope: Literal["component_only", "project"] | None = None
    outputs: Annotated[list[str], Field(max_length=32)] | None = None
    human_approval: bool | None = None
    required: bool = False
    terminal: bool = False
    timeout: Duration | None = None
    follow: FollowShape | None = None
    options: Annotated[dict[str, Any], Field(max_length=32)] | None = None
    description: str = ""


class SettingsShape(FileShape):
    """`settings` of a workflow: what holds for all of its steps."""

    parallel_reviews: bool | None = None
    require_tests: bool | None = None
    human_approval: bool | None = None
    security_review: bool | None = None
    dual_review: bool | None = None
    auto_pr: bool | None = None
    follow_pull_request: bool | None = None
    require_changelog: bool | None = None
    audit_trail: bool | None = None
    supervision: bool | None = None


class HooksShape(FileShape):
    """`hooks` of a workflow: gates that run at a certain moment."""

    pre_commit: list[Name] | None = None


class LaidOverShape(FileShape):
    """What a template and the project's config may say about the template below them."""

    overrides: dict[Name, StepShape] = Field(default_factory=dict)
    disable: list[Name] = Field(default_factory=list)
    settings: SettingsShape = Field(default_factory=SettingsShape)
    hooks: HooksShape = Field(default_factory=HooksShape)


class WorkflowShape(LaidOverShape):
    """A workflow: a state machine over steps, or what is different from another one."""

    name: TemplateName | None = None
    description: str = ""
    extends: TemplateName | None = None
    initial_step: str | None = None
    steps: dict[Name, StepShape] = Field(default_factory=dict)
    gates: dict[Name, GateShape] = Field(default_factory=dict)


class WrappedWorkflowShape(FileShape):
    """A workflow under the key `workflow`."""

    workflow: WorkflowShape


class CompositionShape(WordOrMapping, LaidOverShape):
    """`workflow` of the config: the name of a template, and what this project does differently."""

    WORD = "template"
    template: TemplateName

    @property
    def is_plain(self) -> bool:
        """Tell whether nothing is different from the template."""
        return self.model_fields_set <= {self.WORD}

    @property
    def written_out(self) -> WorkflowShape:
        """Say the same as a workflow file would."""
        return WorkflowShape(
            extends=self.template,
            overrides=self.overrides,
            disable=self.disable,
            settings=self.settings,
            hooks=self.hooks,
        )
