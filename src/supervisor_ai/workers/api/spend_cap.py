"""What an attempt may pay for its models, and what it has paid."""

from supervisor_ai.domain.run.spending.prices import CostCap, dollars
from supervisor_ai.domain.run.values import NO_USAGE, Usage


class Spent(Exception):
    """The money that was reserved is gone."""


class SpendCap:
    """Watches what all models of one attempt cost together."""

    def __init__(self, cap: CostCap | None) -> None:
        self._cap = cap
        self.paid: Usage = NO_USAGE
        """What the answers consumed that are over."""

    def check(self, current: Usage = NO_USAGE) -> None:
        """Refuse to go on if what was paid before and what runs now take all of it."""
        cap, total = self._cap, self.paid.plus(current)
        if cap is None or (cost := max(cap.price.of(total), total.cost)) < cap.limit:
            return
        spent = f"{dollars(cost)} of the {dollars(cap.limit)}"
        raise Spent(f"{spent} that were reserved for it are spent.")

    def pay(self, usage: Usage) -> None:
        """Remember what an answer cost, whole or not."""
        self.paid = self.paid.plus(usage)

    def most_tokens(self, asked: Usage) -> int | None:
        """Return how long an answer may become that cannot be stopped; None where nobody counts."""
        if self._cap is None or self._cap.price.output <= 0:
            return None
        price = self._cap.price
        left = self._cap.limit - price.of(self.paid.plus(asked))
        return max(1, int(left / price.of(Usage(tokens_out=1))))
