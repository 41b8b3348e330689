"""What the config files say together about failures and costs."""

from collections.abc import Mapping

from supervisor_ai.definitions.config.approvals.policy import read_approvals
from supervisor_ai.definitions.config.merged import MergedConfig, over
from supervisor_ai.definitions.schema.retries import RetryPolicyShape
from supervisor_ai.definitions.schema.spending.prices import (
    builtin_prices,
    unknown_defaults,
    with_prices,
)
from supervisor_ai.definitions.sources.mistakes import FileMistakes, unknown
from supervisor_ai.domain.run.failures.breaker import BreakerPolicy
from supervisor_ai.domain.run.failures.loops import LoopPolicy
from supervisor_ai.domain.run.failures.retries import (
    DEFAULT_RETRIES,
    RETRY_POLICIES,
    ParkingPolicy,
    RetryMode,
    RetryPolicy,
)
from supervisor_ai.domain.run.gates import BaselinePolicy, HarnessRules
from supervisor_ai.domain.run.policies import Policies
from supervisor_ai.domain.run.spending.prices import PriceTable
from supervisor_ai.domain.structs import replace


def read_policies(config: MergedConfig, mistakes: FileMistakes) -> Policies:
    """Make the policies of a run, and note what in the prices leads nowhere."""
    shape = config.shape
    prices = with_prices(builtin_prices(), shape.prices)
    if not any(mistakes.any_below(file, "prices.families") for file in mistakes.files):
        _check_defaults(prices, config, mistakes)
    return Policies(
        retries=_retries(shape.retry_policies),
        parking=over(ParkingPolicy(), shape.parking, enabled="is_allowed"),
        breaker=over(BreakerPolicy(), shape.breaker),
        loops=over(LoopPolicy(), shape.loops),
        budgets=shape.budgets.limits,
        prices=prices,
        baseline=BaselinePolicy(shape.baseline),
        approvals=read_approvals(config, mistakes),
        harness=HarnessRules(
            harness=tuple(shape.harness.files), product=tuple(shape.harness.product)
        ),
    )


def _retries(shapes: Mapping[str, RetryPolicyShape]) -> dict[str, RetryPolicy]:
    """Make the policies; a new one begins as the default does in the package."""
    made = dict(RETRY_POLICIES)
    for name, shape in shapes.items():
        policy = over(RETRY_POLICIES.get(name, DEFAULT_RETRIES), shape)
        made[name] = replace(policy, name=name, mode=RetryMode(policy.mode))
    return made


def _check_defaults(prices: PriceTable, config: MergedConfig, mistakes: FileMistakes) -> None:
    known = sorted(prices.families)
    for adapter in unknown_defaults(prices):
        place = config.place("prices", "defaults", adapter)
        mistakes.add(place, unknown("family of models", prices.defaults[adapter], known))
