"""The part of `config.yaml` that is about failures and costs."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from supervisor_ai.definitions.schema.base import FileShape, Name
from supervisor_ai.definitions.schema.retries import (
    BreakerShape,
    LoopShape,
    ParkingShape,
    RetryPolicyShape,
)
from supervisor_ai.definitions.schema.sandboxes import Pattern
from supervisor_ai.definitions.schema.spending.budgets import BudgetsShape
from supervisor_ai.definitions.schema.spending.prices import PricesShape


def _off(value: object) -> object:
    """Take `off` for the word that it is meant as; YAML takes it for a no."""
    return "off" if value is False else value


BaselineWord = Annotated[Literal["ask", "note", "stop", "off"], BeforeValidator(_off)]


class StepPolicyShape(FileShape):
    """`steps.NAME`: what holds for the steps of this name in all workflows that do not say so."""

    retry_policy: Name | None = None


class HarnessShape(FileShape):
    """`harness`: which files judge, where the conventions of a language are wrong about it."""

    files: list[Pattern] = Field(default_factory=list)
    product: list[Pattern] = Field(default_factory=list)


class PolicyShape(FileShape):
    """The keys of `config.yaml` that say what happens when workers fail and what they may cost."""

    retry_policies: dict[Name, RetryPolicyShape] = Field(default_factory=dict)
    steps: dict[Name, StepPolicyShape] = Field(default_factory=dict)
    parking: ParkingShape = Field(default_factory=ParkingShape)
    breaker: BreakerShape = Field(default_factory=BreakerShape)
    loops: LoopShape = Field(default_factory=LoopShape)
    budgets: BudgetsShape = Field(default_factory=BudgetsShape)
    prices: PricesShape = Field(default_factory=PricesShape)
    baseline: Annotated[
        Literal["ask", "note", "stop", "off"],
        BeforeValidator(lambda it: "off" if it is False else it),
    ] = "ask"
    harness: HarnessShape = Field(default_factory=HarnessShape)
