"""The part of `config.yaml` that is about failures and costs."""

from pydantic import Field

from supervisor_ai.definitions.schema.base import FileShape, Name
from supervisor_ai.definitions.schema.budgets import BudgetsShape
from supervisor_ai.definitions.schema.prices import PricesShape
from supervisor_ai.definitions.schema.retries import (
    BreakerShape,
    LoopShape,
    ParkingShape,
    RetryPolicyShape,
)


class StepPolicyShape(FileShape):
    """`steps.NAME`: what holds for the steps of this name in all workflows that do not say so."""

    retry_policy: Name | None = None


class PolicyShape(FileShape):
    """The keys of `config.yaml` that say what happens when workers fail and what they may cost."""

    retry_policies: dict[Name, RetryPolicyShape] = Field(default_factory=dict)
    steps: dict[Name, StepPolicyShape] = Field(default_factory=dict)
    parking: ParkingShape = Field(default_factory=ParkingShape)
    breaker: BreakerShape = Field(default_factory=BreakerShape)
    loops: LoopShape = Field(default_factory=LoopShape)
    budgets: BudgetsShape = Field(default_factory=BudgetsShape)
    prices: PricesShape = Field(default_factory=PricesShape)
