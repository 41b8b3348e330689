"""The budget of a sandbox for models (tokens, money), and what it has spent."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from supervisor_ai.domain.run.spending.prices import CostCap
from supervisor_ai.domain.run.values import NO_USAGE, Usage
from supervisor_ai.sandboxes.egress.model_access.token_meter import Meter
from supervisor_ai.sandboxes.egress.refusal import Refused


class ModelExchange:
    """One request and its answer, as far as they cost something."""

    def __init__(self) -> None:
        self.request_bytes = 0
        self.is_sent = False
        self.is_free = False
        self.meter: Meter | None = None

    def final(self) -> Usage:
        """Return what was spent; a request that was sent costs something even if nobody listens."""
        if self.is_free or not self.is_sent:
            return NO_USAGE
        return (self.meter or Meter("")).usage(self.request_bytes)


class SpendBudget:
    """Adds up every exchange of one door, and ends them all when too much is spent."""

    def __init__(
        self,
        tokens: int | None,
        cut_off: Callable[[], None],
        *,
        cost_cap: CostCap | None = None,
    ) -> None:
        self._tokens = tokens
        self._cost_cap = cost_cap
        self._cut_off = cut_off
        self._is_spent = False
        self._ended = NO_USAGE
        self._running: list[ModelExchange] = []

    @property
    def usage(self) -> Usage:
        """What was spent so far; an estimate as long as an answer runs that does not say."""
        total = self._ended
        for exchange in self._running:
            total = total.plus(exchange.final())
        return total

    @contextmanager
    def exchange(self) -> Iterator[ModelExchange]:
        """Count one exchange, however it ends."""
        self.check()
        exchange = ModelExchange()
        self._running.append(exchange)
        try:
            yield exchange
        finally:
            self._running.remove(exchange)
            self._ended = self._ended.plus(exchange.final())
        self.check()

    def check(self) -> None:
        """Refuse to go on if everything is spent."""
        if not self._is_over(self.usage):
            return
        if not self._is_spent:
            self._is_spent = True
            self._cut_off()
        self.refuse_if_spent()

    def refuse_if_spent(self) -> None:
        """Refuse what begins after the end of the budget."""
        if self._is_spent:
            raise Refused("budget-spent")

    def _is_over(self, usage: Usage) -> bool:
        tokens, cap = self._tokens, self._cost_cap
        if tokens is not None and usage.tokens_in + usage.tokens_out >= tokens:
            return True
        return cap is not None and cap.price.of(usage) >= cap.limit
