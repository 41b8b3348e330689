"""The shapes of what is done about failures: retries, waiting, breakers, loops."""

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import AliasChoices, BeforeValidator, Field

from supervisor_ai.definitions.schema.base import Duration, FileShape
from supervisor_ai.tools.text import duration


def delay(value: object) -> timedelta:
    """Read a duration that may also be none at all."""
    is_none = value in (0, "0", "0s", "0ms") and not isinstance(value, bool)
    return timedelta() if is_none else duration(value)


Delay = Annotated[timedelta, BeforeValidator(delay)]
Multiplier = Annotated[float, Field(ge=1, le=10, strict=False)]
DegradeTo = Annotated[list[Literal["simplified", "minimal"]], Field(max_length=2)]
"""`degrade` of a step: the simpler ways in which it may be done when all of it fails."""


class RetryPolicyShape(FileShape):
    """`retry_policies.NAME`: how often and how patiently a step is tried."""

    max_attempts: Annotated[int, Field(ge=1, le=100)] | None = None
    initial_delay: Delay | None = Field(
        None, validation_alias=AliasChoices("initial_delay", "initial_delay_seconds")
    )
    multiplier: Multiplier | None = Field(
        None, validation_alias=AliasChoices("multiplier", "backoff_multiplier")
    )
    max_delay: Delay | None = Field(
        None, validation_alias=AliasChoices("max_delay", "max_delay_seconds")
    )
    jitter: Annotated[float, Field(ge=0, le=1, strict=False)] | None = None
    mode: Literal["feedback", "same"] | None = None


class ParkingShape(FileShape):
    """`parking`: whether and how long a usage limit is waited for."""

    enabled: bool | None = None
    longest: Duration | None = None
    unknown: Duration | None = None
    spread: Delay | None = None
    max_parks: Annotated[int, Field(ge=0, le=1000)] | None = None
    soon: Delay | None = None


class BreakerShape(FileShape):
    """`breaker`: how many failures in which time leave a step alone, and how long."""

    failures: Annotated[int, Field(ge=1, le=1000)] | None = None
    window: Duration | None = None
    rest: Duration | None = None


class LoopShape(FileShape):
    """`loops`: when a step is going round in circles."""

    repeats: Annotated[int, Field(ge=2, le=64)] | None = None
    patience: Annotated[int, Field(ge=2, le=64)] | None = None
    rounds: Annotated[int, Field(ge=2, le=16)] | None = None
    review_rounds: Annotated[int, Field(ge=2, le=16)] | None = None
    churn_rounds: Annotated[int, Field(ge=2, le=16)] | None = None
