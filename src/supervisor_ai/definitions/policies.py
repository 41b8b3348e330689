"""What the config files say about failures and costs, as far as each may have a say in it."""

from typing import Final

from supervisor_ai.definitions.layers import Written
from supervisor_ai.definitions.mistakes import Mistakes, unknown
from supervisor_ai.definitions.policy_shapes import lay_policies
from supervisor_ai.definitions.price_table import unknown_defaults
from supervisor_ai.definitions.shapes import ConfigShape
from supervisor_ai.definitions.shelves import Origin
from supervisor_ai.domain.run.policies import Policies

_NO_PRICES: Final = (
    "says what tokens cost, and so how far your budgets reach; only your own config may do that"
)


def read_policies(below: Policies, config: Written[ConfigShape], mistakes: Mistakes) -> Policies:
    """Lay one file's policies over the others' and note what it must not say."""
    is_project = config.origin is Origin.PROJECT
    laid = lay_policies(below, config.shape, may_widen=not is_project)
    if is_project and "prices" in config.shape.model_fields_set:
        mistakes.add(config.place("prices"), _NO_PRICES)
    if not is_project and not mistakes.any_below(config.document.file, "prices.families"):
        _check_defaults(laid, config, mistakes)
    return laid


def _check_defaults(policies: Policies, config: Written[ConfigShape], mistakes: Mistakes) -> None:
    known = sorted(policies.prices.families)
    for adapter in unknown_defaults(policies.prices):
        family = policies.prices.defaults[adapter]
        place = config.place("prices", "defaults", adapter)
        mistakes.add(place, unknown("family of models", family, known))
