"""The shape of a gate, alike in config, workflow and role files."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from supervisor_ai.definitions.schema import scalars
from supervisor_ai.definitions.schema.base import Command, Duration, FileShape, Name, Text, Variable
from supervisor_ai.definitions.schema.sandboxes import Pattern
from supervisor_ai.domain.run.gates import GatePolicy

MOST_GATES: Final = 16
"""How many gates one step may run."""
InnerPath = Annotated[str, AfterValidator(scalars.inner_path)]
InnerText = Annotated[Text, AfterValidator(scalars.inner_value)]
_SAME: Final[Mapping[str, GatePolicy]] = {
    "block": GatePolicy.BLOCK,
    "retry": GatePolicy.FEEDBACK,
    "warn": GatePolicy.WARN,
}
"""What older files call the policies."""


def policy_called(word: str) -> GatePolicy | None:
    """Return the policy that somebody means by a word, if any."""
    return _SAME.get(word) or next((policy for policy in GatePolicy if policy.value == word), None)


class GateShape(FileShape):
    """`gates.NAME`: what must hold, and what follows where it does not."""

    command: Command | None = None
    timeout: Duration | None = None
    policy: Literal["block", "feedback", "warn", "ask"] | None = None
    on_fail: Literal["block", "retry", "warn"] | None = None
    depends_on: Annotated[list[Name], Field(max_length=MOST_GATES)] | None = None
    env: dict[Variable, InnerText] = Field(default_factory=dict)
    allowed_writes: list[Pattern] | None = None
    cache: bool | None = None
    report: InnerPath | None = None
    min_tests: Annotated[int, Field(ge=0, le=100_000)] | None = None
    known_red: list[Text] | None = None
    enabled: bool | None = None

    @model_validator(mode="after")
    def _says_it_once(self) -> Self:
        if self.policy is not None and self.on_fail is not None:
            raise ValueError("has both `policy` and `on_fail`, which mean the same; give one")
        return self

    @property
    def said_policy(self) -> GatePolicy | None:
        """Return what follows from a failure, under whichever name it is written."""
        if self.policy is not None:
            return GatePolicy(self.policy)
        return None if self.on_fail is None else _SAME[self.on_fail]


class RoleGateShape(GateShape):
    """One of a role's `gates`: a check that follows the role's step."""

    name: Name
