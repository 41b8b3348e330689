"""The shapes of definition files; a key that is not listed here is a mistake."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field

from supervisor_ai.control.slice_names import SliceRoles
from supervisor_ai.definitions.schema import scalars
from supervisor_ai.definitions.schema.base import (
    AgentName,
    Command,
    Duration,
    FileShape,
    HostPath,
    Name,
    Retries,
    Text,
    Variable,
)
from supervisor_ai.definitions.schema.context import Tokens
from supervisor_ai.definitions.schema.gates import GateShape
from supervisor_ai.definitions.schema.git import GitShape
from supervisor_ai.definitions.schema.models import ModelShape
from supervisor_ai.definitions.schema.people.approvals import ApprovalGatesShape, OwnFactShape
from supervisor_ai.definitions.schema.people.notifications import NotificationsShape
from supervisor_ai.definitions.schema.policies import PolicyShape
from supervisor_ai.definitions.schema.retries import Delay, Multiplier
from supervisor_ai.definitions.schema.roles import (
    ContinuityShape,
    RoleFileShape,
    TermsShape,
    WrittenAnswer,
)
from supervisor_ai.definitions.schema.sandboxes import (
    BrokerShape,
    Destination,
    Pattern,
    SandboxShape,
    WorkspaceShape,
)
from supervisor_ai.definitions.schema.tool_names import ToolName
from supervisor_ai.definitions.schema.workflows import CompositionShape
from supervisor_ai.definitions.sources.slice_words import answers_of_slices, roles_of_slice


class CliShape(FileShape):
    """`clis.NAME`: an agent that can be started."""

    adapter: Name
    command: Command | None = None
    env: dict[Variable, Text] = Field(default_factory=dict)
    script: Text | None = None
    model: Name | None = None
    egress: list[Destination] = Field(default_factory=list)
    broker: BrokerShape | None = None


class TrackerShape(FileShape):
    """`trackers.NAME`: a program that prints an issue as JSON."""

    command: Command
    url: Annotated[str, Field(pattern=r"^https://[^\s]{1,500}$")] | None = None


class LimitsShape(FileShape):
    """`limits`: where a run stops by itself."""

    step_timeout: Duration | None = Field(
        default=None, validation_alias=AliasChoices("step_timeout", "step_timeout_seconds")
    )
    step_max_retries: Retries | None = None
    workflow_max_steps: Annotated[int, Field(ge=1, le=10_000)] | None = None
    workflow_timeout: Duration | None = None
    output_bytes: Annotated[int, Field(ge=1024, le=1024**3)] | None = None
    attempt_tokens: Annotated[int, Field(ge=1)] | None = None
    default_token_budget: Tokens | None = None
    max_token_budget: Tokens | None = None
    retry_base_delay: Delay | None = Field(
        default=None, validation_alias=AliasChoices("retry_base_delay", "retry_base_delay_seconds")
    )
    retry_max_delay: Delay | None = Field(
        default=None, validation_alias=AliasChoices("retry_max_delay", "retry_max_delay_seconds")
    )
    retry_exponential_base: Multiplier | None = None


class OverrideShape(TermsShape):
    """`roles.NAME`: what this project or user does differently for a role."""

    cli: AgentName | None = None
    timeout: Duration | None = None
    max_retries: Retries | None = None
    allowed_tools: list[ToolName] | None = None
    egress: list[Destination] | None = None
    hides: list[Pattern] | None = None
    fallback: list[AgentName] | None = None


class PersonShape(FileShape):
    """A member of `people.GROUP`: who it is, and by what they are known."""

    name: Annotated[str, AfterValidator(scalars.person)]
    user: Annotated[str, AfterValidator(scalars.person)] | None = None
    ssh: Annotated[str, AfterValidator(scalars.principal)] | None = None


def _of_user(value: object) -> object:
    """Take a bare word for the operating-system user of that name."""
    return {"name": value, "user": value} if isinstance(value, str) else value


Member = Annotated[PersonShape, BeforeValidator(_of_user)]


class ConfigShape(PolicyShape):
    """`config.yaml`."""

    cli: AgentName | None = None
    workflow: CompositionShape | None = None
    clis: dict[Name, CliShape] = Field(default_factory=dict)
    models: dict[Name, ModelShape] = Field(default_factory=dict)
    gates: dict[Name, GateShape] = Field(default_factory=dict)
    limits: LimitsShape = Field(default_factory=LimitsShape)
    roles: dict[Name, OverrideShape] = Field(default_factory=dict)
    sandbox: SandboxShape = Field(default_factory=SandboxShape)
    workspace: WorkspaceShape = Field(default_factory=WorkspaceShape)
    git: GitShape = Field(default_factory=GitShape)
    fallback: list[AgentName] = Field(default_factory=list)
    continuity: ContinuityShape = Field(default_factory=ContinuityShape)
    packs: list[Name] = Field(default_factory=list)
    approval_gates: ApprovalGatesShape | None = None
    approval_facts: dict[Name, OwnFactShape] = Field(default_factory=dict)
    people: dict[Name, list[Member]] = Field(default_factory=dict)
    allowed_signers: HostPath | None = None
    notifications: NotificationsShape = Field(default_factory=NotificationsShape)
    forge: Literal["auto", "github", "gitlab", "none"] | None = None
    trackers: dict[Name, TrackerShape] = Field(default_factory=dict)


class RoleShape(RoleFileShape):
    """A role with everything that its file, its parents and the shelves below say."""

    description: Text
    answer: WrittenAnswer
    writes: bool
    template: str

    @property
    def of_slice(self) -> SliceRoles | None:
        """Return what holds for the roles of one driver; None: steps of workflows can have it."""
        return roles_of_slice(self.answer)

    @property
    def cannot_be_optional(self) -> str | None:
        """Say why a run must not go on without this role."""
        if self.writes:
            return "must not be true for a role that writes: work that nobody did would pass"
        if self.answer == "review":
            return "must not be true for a role that reviews: a review that nobody made would pass"
        return None


_OTHER_SPELLINGS: Final = {"implementor": "implementer"}


def meant_role(roles: Mapping[str, RoleShape], name: str) -> str:
    """Return the role of a step that somebody means who spells its name another way."""
    meant = _OTHER_SPELLINGS.get(name.lower(), name)
    is_own = name in roles and roles[name].of_slice is None
    return name if is_own or meant not in roles else meant


def step_roles(roles: Mapping[str, RoleShape]) -> list[str]:
    """Name the roles that steps of a workflow can have."""
    others = answers_of_slices()
    return sorted(name for name, role in roles.items() if role.answer not in others)
