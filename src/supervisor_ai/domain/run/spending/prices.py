"""What tokens cost, for agents that do not say it themselves."""

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.run.values import Usage
from supervisor_ai.domain.structs import replace

_PER: Final = Decimal(1_000_000)
_END: Final = re.compile(r"(?![a-z0-9]|\.[0-9])")
_PROVIDER: Final = re.compile(r"^(?:[a-z0-9_.-]+/)+")


class Price(Struct, frozen=True, kw_only=True):
    """What a million tokens cost, in USD."""

    input: Decimal
    output: Decimal
    cache_read: Decimal
    cache_write: Decimal

    def of(self, usage: Usage) -> Decimal:
        """Return what an amount of tokens costs."""
        fresh = max(usage.tokens_in - usage.cache_read - usage.cache_write, 0)
        parts = (
            fresh * self.input,
            usage.tokens_out * self.output,
            usage.cache_read * self.cache_read,
            usage.cache_write * self.cache_write,
        )
        return sum(parts, Decimal(0)) / _PER


class PriceTable(Struct, frozen=True, kw_only=True):
    """Prices by family of models; the family is how the name of a model begins."""

    families: dict[str, Price] = field(default_factory=dict)
    defaults: dict[str, str] = field(default_factory=dict)
    """The family that is assumed where the model of an agent is not known, by its adapter."""


class CostCap(Struct, frozen=True, kw_only=True):
    """How much money an attempt may spend, and what its tokens cost."""

    limit: Decimal
    price: Price


def dollars(amount: Decimal) -> str:
    """Write an amount of money as people do; small ones matter too."""
    return "$" + f"{amount:.6f}".rstrip("0").rstrip(".")


def find_price(table: PriceTable, model: str | None, adapter: str) -> Price | None:
    """Find the price of a model, or of what its agent uses if nobody said otherwise."""
    name = _PROVIDER.sub("", (model or "").strip().lower())
    fitting = [family for family in table.families if _is_of(name, family)]
    family = max(fitting, key=len, default=table.defaults.get(adapter, ""))
    return table.families.get(family)


def dearest(table: PriceTable, models: Iterable[str], adapter: str) -> Price | None:
    """Find what an agent costs at most; None where one of its models has no price."""
    found = [find_price(table, model, adapter) for model in models]
    known = [price for price in found if price is not None]
    is_known = bool(found) and len(known) == len(found)
    return max(known, key=lambda price: (price.output, price.input)) if is_known else None


def cost(
    table: PriceTable,
    usage: Usage,
    *,
    model: str | None,
    adapter: str,
) -> Usage:
    """Return the usage with what it probably cost; what the agent said itself stays.

    Where its word on tokens is less than what was seen of it, its word on money is the least.
    """
    if usage.cost > 0 and not usage.estimated:
        return usage
    price = find_price(table, model, adapter)
    if price is None:
        return replace(usage, estimated=True)
    return replace(usage, cost=max(usage.cost, price.of(usage)), estimated=True)


def _is_of(name: str, family: str) -> bool:
    """Tell whether a name begins with the family; `gpt-5.5` is none of the family `gpt-5`."""
    return name.startswith(family) and _END.match(name, len(family)) is not None
