"""The part of `config.yaml` that is about failures and costs."""

from pydantic import Field

from supervisor_ai.definitions.budget_shapes import BudgetsShape, lay_budgets
from supervisor_ai.definitions.price_table import PricesShape, lay_prices
from supervisor_ai.definitions.retry_shapes import (
    BreakerShape,
    LoopShape,
    ParkingShape,
    RetryPolicyShape,
    lay_breaker,
    lay_loops,
    lay_parking,
    lay_retries,
)
from supervisor_ai.definitions.shape import Name, Shape
from supervisor_ai.domain.run.policies import Policies


class StepPolicyShape(Shape):
    """`steps.NAME`: what holds for the steps of this name in all workflows that do not say so."""

    retry_policy: Name | None = None


class PolicyShape(Shape):
    """The keys of `config.yaml` that say what happens when workers fail and what they may cost."""

    retry_policies: dict[Name, RetryPolicyShape] = Field(default_factory=dict)
    steps: dict[Name, StepPolicyShape] = Field(default_factory=dict)
    parking: ParkingShape = Field(default_factory=ParkingShape)
    breaker: BreakerShape = Field(default_factory=BreakerShape)
    loops: LoopShape = Field(default_factory=LoopShape)
    budgets: BudgetsShape = Field(default_factory=BudgetsShape)
    prices: PricesShape = Field(default_factory=PricesShape)


def lay_policies(below: Policies, shape: PolicyShape, *, may_widen: bool) -> Policies:
    """Lay one file's policies over the others'; a project sets no prices and widens no budget."""
    return Policies(
        retries=lay_retries(below.retries, shape.retry_policies),
        parking=lay_parking(below.parking, shape.parking),
        breaker=lay_breaker(below.breaker, shape.breaker),
        loops=lay_loops(below.loops, shape.loops),
        budgets=lay_budgets(below.budgets, shape.budgets, may_widen=may_widen),
        prices=lay_prices(below.prices, shape.prices) if may_widen else below.prices,
    )
