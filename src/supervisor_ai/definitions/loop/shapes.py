"""The shapes of what the config says about loops and about quality supervisors."""

from typing import Annotated, Final, Literal

from pydantic import (
    AfterValidator,
    Field,
)

from supervisor_ai.definitions.schema.base import FileShape, Name, SwitchShape, Text
from supervisor_ai.definitions.schema.gates import MOST_GATES

MOST_TASKS: Final = 1_000
_MOST_ATTEMPTS: Final = 10
_MOST_SUPERVISORS: Final = 10

Count = Annotated[int, Field(ge=1, le=MOST_TASKS)]


def folder_name(value: str) -> str:
    """Accept the name of a folder right in the knowledge store."""
    is_plain = value.replace("_", "").replace("-", "").isalnum() and value.isascii()
    if not is_plain:
        raise ValueError(f"must be a folder of the knowledge store such as api, found {value!r}")
    return value


class LoopConfigShape(FileShape):
    """`loop`: where loops stop by themselves, and what work has to pass in them."""

    max_tasks: Count | None = None
    max_attempts: Annotated[int, Field(ge=1, le=_MOST_ATTEMPTS)] | None = None
    review_interval: Count | None = None
    polish_tasks: Annotated[int, Field(ge=0, le=MOST_TASKS)] | None = None
    directive_age: Count | None = None
    cleanup_cap: Count | None = None
    gates: Annotated[list[Name], Field(max_length=MOST_GATES)] | None = None


class SupervisorRowShape(FileShape):
    """`quality.supervisors.NAME`: when a supervisor looks, and what it may write."""

    enabled: bool | None = None
    title: Text | None = None
    role: Name | None = None
    every: Count | None = None
    moments: list[Literal["milestone", "rescope", "abort"]] | None = None
    owns: list[Annotated[str, AfterValidator(folder_name)]] | None = None


class QualityShape(SwitchShape):
    """`quality`: which supervisors look after the work; `false` switches all of them off."""

    enabled: bool | None = None
    attach: list[Name] | None = None
    supervisors: Annotated[dict[Name, SupervisorRowShape], Field(max_length=_MOST_SUPERVISORS)] = (
        Field(default_factory=dict)
    )
