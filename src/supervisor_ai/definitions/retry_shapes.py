"""The shapes of what is done about failures, laid over what was said below."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Annotated, Literal

from pydantic import AliasChoices, BeforeValidator, Field

from supervisor_ai.definitions.shape import Duration, Shape
from supervisor_ai.domain.run.breaker import BreakerPolicy
from supervisor_ai.domain.run.loops import LoopPolicy
from supervisor_ai.domain.run.retries import (
    DEFAULT_RETRIES,
    ParkingPolicy,
    RetryMode,
    RetryPolicy,
)
from supervisor_ai.tools.durations import duration


def delay(value: object) -> timedelta:
    """Read a duration that may also be none at all."""
    is_none = value in (0, "0", "0s", "0ms") and not isinstance(value, bool)
    return timedelta() if is_none else duration(value)


Delay = Annotated[timedelta, BeforeValidator(delay)]
Multiplier = Annotated[float, Field(ge=1, le=10, strict=False)]
DegradeTo = Annotated[list[Literal["simplified", "minimal"]], Field(max_length=2)]
"""`degrade` of a step: the simpler ways in which it may be done when all of it fails."""


class RetryPolicyShape(Shape):
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


class ParkingShape(Shape):
    """`parking`: whether and how long a usage limit is waited for."""

    enabled: bool | None = None
    longest: Duration | None = None
    unknown: Duration | None = None
    spread: Delay | None = None
    max_parks: Annotated[int, Field(ge=0, le=1000)] | None = None
    soon: Delay | None = None


class BreakerShape(Shape):
    """`breaker`: how many failures in which time leave a step alone, and how long."""

    failures: Annotated[int, Field(ge=1, le=1000)] | None = None
    window: Duration | None = None
    rest: Duration | None = None


class LoopShape(Shape):
    """`loops`: when a step is going round in circles."""

    repeats: Annotated[int, Field(ge=2, le=64)] | None = None
    patience: Annotated[int, Field(ge=2, le=64)] | None = None
    rounds: Annotated[int, Field(ge=2, le=16)] | None = None
    review_rounds: Annotated[int, Field(ge=2, le=16)] | None = None
    churn_rounds: Annotated[int, Field(ge=2, le=16)] | None = None


def lay_retries(
    below: Mapping[str, RetryPolicy], shapes: Mapping[str, RetryPolicyShape]
) -> dict[str, RetryPolicy]:
    """Lay one file's policies over the others'; a new one begins as the default."""
    laid = {name: _laid(below, name, shape) for name, shape in shapes.items()}
    return {**below, **laid}


def lay_parking(below: ParkingPolicy, shape: ParkingShape) -> ParkingPolicy:
    """Lay one file's word on waiting over the others'."""
    return ParkingPolicy(
        is_allowed=below.is_allowed if shape.enabled is None else shape.enabled,
        longest=shape.longest or below.longest,
        unknown=shape.unknown or below.unknown,
        spread=below.spread if shape.spread is None else shape.spread,
        max_parks=below.max_parks if shape.max_parks is None else shape.max_parks,
        soon=below.soon if shape.soon is None else shape.soon,
    )


def lay_breaker(below: BreakerPolicy, shape: BreakerShape) -> BreakerPolicy:
    """Lay one file's word on the breaker over the others'."""
    return BreakerPolicy(
        failures=shape.failures or below.failures,
        window=shape.window or below.window,
        rest=shape.rest or below.rest,
    )


def lay_loops(below: LoopPolicy, shape: LoopShape) -> LoopPolicy:
    """Lay one file's word on loops over the others'."""
    return LoopPolicy(
        repeats=shape.repeats or below.repeats,
        patience=shape.patience or below.patience,
        rounds=shape.rounds or below.rounds,
        review_rounds=shape.review_rounds or below.review_rounds,
        churn_rounds=shape.churn_rounds or below.churn_rounds,
    )


def _laid(below: Mapping[str, RetryPolicy], name: str, shape: RetryPolicyShape) -> RetryPolicy:
    policy = below.get(name, replace(DEFAULT_RETRIES, name=name))
    return RetryPolicy(
        name=name,
        max_attempts=shape.max_attempts or policy.max_attempts,
        initial_delay=_or(shape.initial_delay, policy.initial_delay),
        multiplier=shape.multiplier or policy.multiplier,
        max_delay=_or(shape.max_delay, policy.max_delay),
        jitter=policy.jitter if shape.jitter is None else shape.jitter,
        mode=policy.mode if shape.mode is None else RetryMode(shape.mode),
    )


def _or(said: timedelta | None, below: timedelta) -> timedelta:
    return below if said is None else said
