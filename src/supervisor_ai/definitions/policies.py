"""What the config files say about failures and costs, as far as each may have a say in it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from supervisor_ai.definitions.layers import Written
from supervisor_ai.definitions.mistakes import Mistakes, unknown
from supervisor_ai.definitions.policy_shapes import lay_policies
from supervisor_ai.definitions.price_table import unknown_defaults
from supervisor_ai.definitions.shapes import ConfigShape, LimitsShape
from supervisor_ai.definitions.shelves import Origin
from supervisor_ai.domain.run.policies import Policies
from supervisor_ai.domain.run.retries import DEFAULT_RETRIES, RetryPolicy

_NO_PRICES: Final = (
    "says what tokens cost, and so how far your budgets reach; only your own config may do that"
)


def read_policies(below: Policies, config: Written[ConfigShape], mistakes: Mistakes) -> Policies:
    """Lay one file's policies over the others' and note what it must not say."""
    is_project = config.origin is Origin.PROJECT
    limited = replace(below, retries=_with_limits(below.retries, config.shape.limits))
    laid = lay_policies(limited, config.shape, may_widen=not is_project)
    if is_project and "prices" in config.shape.model_fields_set:
        mistakes.add(config.place("prices"), _NO_PRICES)
    if not is_project and not mistakes.any_below(config.document.file, "prices.families"):
        _check_defaults(laid, config, mistakes)
    return laid


def _with_limits(below: Mapping[str, RetryPolicy], limits: LimitsShape) -> dict[str, RetryPolicy]:
    """Lay what the limits say of retries over the policy `default`."""
    usual, base = below[DEFAULT_RETRIES.name], limits.retry_base_delay
    longest = limits.retry_max_delay
    laid = replace(
        usual,
        initial_delay=usual.initial_delay if base is None else base,
        max_delay=usual.max_delay if longest is None else longest,
        multiplier=limits.retry_exponential_base or usual.multiplier,
    )
    return {**below, usual.name: laid}


def _check_defaults(policies: Policies, config: Written[ConfigShape], mistakes: Mistakes) -> None:
    known = sorted(policies.prices.families)
    for adapter in unknown_defaults(policies.prices):
        family = policies.prices.defaults[adapter]
        place = config.place("prices", "defaults", adapter)
        mistakes.add(place, unknown("family of models", family, known))
