"""The shapes of what a role is told and given besides its prompt, and of who may go on talking."""

import re
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from supervisor_ai.definitions.schema import scalars
from supervisor_ai.definitions.schema.base import (
    AgentName,
    Command,
    Duration,
    FileShape,
    Name,
    Retries,
    Text,
    Variable,
    one_of,
)
from supervisor_ai.definitions.schema.cli_flags import role_flags
from supervisor_ai.definitions.schema.context import ContextShape, Excluded
from supervisor_ai.definitions.schema.gates import InnerText, RoleGateShape
from supervisor_ai.definitions.schema.models import service_url
from supervisor_ai.definitions.schema.sandboxes import Destination
from supervisor_ai.definitions.schema.tool_names import ToolName
from supervisor_ai.definitions.sources.slice_words import answer_words
from supervisor_ai.domain.knowledge.selection import USUAL_BUDGET

MOST_CONTINUATIONS: Final = 3
_SERVER: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}")
_TEMPLATE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}\.j2")
_LONGEST_PROMPT: Final = 20_000


def server_name(value: str) -> str:
    """Accept what every CLI can make a part of its tools' names."""
    if not _SERVER.fullmatch(value):
        problem = "is no usable name: letters, digits and '_', beginning with a letter"
        raise ValueError(f"{value!r} {problem}")
    return value


def system_words(value: str) -> str:
    """Accept text that every CLI can be started with."""
    if len(value) > _LONGEST_PROMPT:
        raise ValueError(f"has {len(value)} characters; at most {_LONGEST_PROMPT} are allowed")
    return scalars.text(value)


def template_name(value: str) -> str:
    """Accept the name of a template, which is no path."""
    if not _TEMPLATE.fullmatch(value):
        raise ValueError(f"must be the name of a template such as implement.j2, found {value!r}")
    return value


def known_answer(value: object) -> str:
    """Accept a kind of answer."""
    return one_of(value, answer_words())


WrittenAnswer = Annotated[str, BeforeValidator(known_answer)]


class McpShape(FileShape):
    """`mcp_servers.NAME`: a program that the agent starts, or an address in its sandbox."""

    command: Command | None = None
    env: dict[Variable, InnerText] = Field(default_factory=dict)
    url: Annotated[str, AfterValidator(service_url)] | None = None

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        if (self.command is None) == (self.url is None):
            raise ValueError("needs either a `command` or a `url`")
        if self.url is not None and self.env:
            raise ValueError("has an `env`, but a server with a `url` is not started by us")
        return self


def _knows(value: object) -> object:
    """Read one word as a wish for everything, or for nothing."""
    return {"use": value} if isinstance(value, bool) else value


class KnowledgeShape(FileShape):
    """`knowledge`: what a role is told of the knowledge store."""

    use: bool = True
    budget: Annotated[int, Field(ge=100, le=20_000)] = USUAL_BUDGET
    areas: list[Name] = Field(default_factory=list)


class TermsShape(FileShape):
    """What a role file and `roles.NAME` say alike."""

    system_prompt: Annotated[str, AfterValidator(system_words)] | None = None
    mcp_servers: dict[Annotated[str, AfterValidator(server_name)], McpShape] = Field(
        default_factory=dict
    )
    max_turns: Annotated[int, Field(ge=1, le=1000)] | None = None
    optional: bool | None = None
    may_change: list[Literal["tests", "coverage", "gates", "ci", "snapshots"]] | None = None
    knowledge: Annotated[KnowledgeShape, BeforeValidator(_knows)] | None = None


class ContinuityShape(FileShape):
    """`continuity`: which roles find their earlier answers when they try a step again."""

    default_mode: Literal["fresh"] | None = None
    allow_continuation: bool | None = None
    max_continuation_turns: Annotated[int, Field(ge=1, le=MOST_CONTINUATIONS)] | None = None
    continuation_roles: list[Name] | None = None


class RoleConfigShape(FileShape):
    """`config`: how the role tests what it makes."""

    tdd: bool | None = None
    coverage: Annotated[int, Field(ge=0, le=100)] | None = None
    test_types: list[Text] = Field(default_factory=list)
    min_tests_per_component: Annotated[int, Field(ge=1, le=10_000)] | None = None


class RoleFileShape(TermsShape):
    """A role file; what it leaves out, the role that it extends says."""

    name: Name | None = None
    extends: Name | None = None
    description: Text | None = None
    answer: WrittenAnswer | None = None
    writes: bool | None = None
    cli: AgentName | None = None
    flags: Annotated[list[str], AfterValidator(role_flags)] = Field(default_factory=list)
    template: Annotated[str, AfterValidator(template_name)] | None = None
    system_prompt_additions: Annotated[str, AfterValidator(system_words)] | None = None
    instructions: Annotated[str, AfterValidator(system_words)] | None = None
    context: ContextShape = Field(default_factory=ContextShape)
    allowed_tools: list[ToolName] | None = None
    gates: list[RoleGateShape] = Field(default_factory=list)
    config: RoleConfigShape = Field(default_factory=RoleConfigShape)
    strengths: list[Text] = Field(default_factory=list)
    timeout: Duration | None = None
    max_retries: Retries | None = None
    egress: list[Destination] = Field(default_factory=list)
    hides: list[Excluded] = Field(default_factory=list)
    fallback: list[AgentName] = Field(default_factory=list)
