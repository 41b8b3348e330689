"""The shape of an approval policy in `config.yaml` or `approval_policy.yaml`."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from supervisor_ai.definitions.schema.base import FileShape, Name, Text
from supervisor_ai.definitions.schema.sandboxes import Pattern


def _listed(value: object) -> object:
    """Take one word for a list of one."""
    return [value] if isinstance(value, str) else value


Action = Literal["auto_approve", "notify_and_timeout", "require_approval", "require_multi_approval"]
_MOST_MINUTES = 60 * 24 * 365


class LevelShape(FileShape):
    """`approval_gates.LEVEL`: when a change has this risk, and what it needs then."""

    conditions: Annotated[list[Text], Field(min_length=1, max_length=50)]
    action: Action
    match: Literal["any", "all"] | None = None
    timeout_minutes: Annotated[int, Field(ge=1, le=_MOST_MINUTES)] | None = None
    notification: Annotated[list[Name], BeforeValidator(_listed)] = Field(default_factory=list)
    approvers: Annotated[list[Name], BeforeValidator(_listed)] = Field(default_factory=list)
    min_approvers: Annotated[int, Field(ge=1, le=20)] | None = None


class ApprovalGatesShape(FileShape):
    """`approval_gates`: what a change of which risk needs before it lands."""

    low_risk: LevelShape | None = None
    medium_risk: LevelShape | None = None
    high_risk: LevelShape | None = None
    critical: LevelShape | None = None


class OwnFactShape(FileShape):
    """`approval_facts.NAME`: a fact of one's own, for the conditions of the policy."""

    paths: list[Pattern] = Field(default_factory=list)
    gate: Name | None = None
    verdict: Annotated[
        list[Literal["passed", "failed", "warned", "not_run"]], BeforeValidator(_listed)
    ] = Field(default_factory=list)
