"""The shapes of files that hold one part of the config each."""

from collections.abc import Mapping
from typing import ClassVar, Final

from pydantic import Field

from supervisor_ai.definitions.schema.base import FileShape, Name
from supervisor_ai.definitions.schema.config import ConfigShape, LimitsShape
from supervisor_ai.definitions.schema.people.approvals import ApprovalGatesShape, OwnFactShape
from supervisor_ai.definitions.schema.policies import StepPolicyShape
from supervisor_ai.definitions.schema.retries import RetryPolicyShape
from supervisor_ai.definitions.schema.roles import ContinuityShape


class SectionShape(FileShape):
    """A file that says what `config.yaml` could say as well."""

    CALLED: ClassVar[Mapping[str, str]] = {}
    """What keys of the config are called in the file."""

    @property
    def config(self) -> ConfigShape:
        """Say the same as `config.yaml` would."""
        keys = {own: key for key, own in self.CALLED.items()}
        said = {keys.get(own, own): getattr(self, own) for own in self.model_fields_set}
        return ConfigShape.model_validate(said)


class LimitsFileShape(SectionShape):
    """`limits.yaml`."""

    limits: LimitsShape = Field(default_factory=LimitsShape)
    continuity: ContinuityShape = Field(default_factory=ContinuityShape)


class RetryFileShape(SectionShape):
    """`retry_policies.yaml`."""

    CALLED: ClassVar[Mapping[str, str]] = {"retry_policies": "policies"}
    policies: dict[Name, RetryPolicyShape] = Field(default_factory=dict)
    steps: dict[Name, StepPolicyShape] = Field(default_factory=dict)


class ApprovalFileShape(SectionShape):
    """`approval_policy.yaml`."""

    approval_gates: ApprovalGatesShape | None = None
    approval_facts: dict[Name, OwnFactShape] = Field(default_factory=dict)


SECTION_FILES: Final[Mapping[str, type[SectionShape]]] = {
    "approval_policy.yaml": ApprovalFileShape,
    "limits.yaml": LimitsFileShape,
    "retry_policies.yaml": RetryFileShape,
}
