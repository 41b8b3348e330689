"""The shape of budgets: what one attempt, step, run, feature and day may cost."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Annotated, Final

from pydantic import PlainValidator

from supervisor_ai.definitions.schema.base import FileShape
from supervisor_ai.definitions.sources.yaml_document import Value
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.spending.budget_words import parse_budget
from supervisor_ai.domain.run.spending.budgets import Amount, Scope

_EXAMPLE: Final = "must be a budget such as 5usd, 200k tokens, 2h or 10 attempts"


def budget(value: object) -> Amount:
    """Read `5usd, 200k tokens`, or a list of such texts."""
    words = value if isinstance(value, list) else [value]
    texts = [word for word in words if isinstance(word, str)]
    if not texts or len(texts) < len(words):
        raise ValueError(f"{_EXAMPLE}, found {str(value)[:60]!r}")
    try:
        return parse_budget(", ".join(texts))
    except InvalidInput as error:
        raise ValueError(f"{_EXAMPLE}: {error.message}") from error


Spendable = Annotated[Amount, PlainValidator(budget)]


class BudgetsShape(FileShape):
    """`budgets`: what one attempt, step, run, feature and day may cost."""

    attempt: Spendable | None = None
    step: Spendable | None = None
    run: Spendable | None = None
    feature: Spendable | None = None
    day: Spendable | None = None

    @property
    def limits(self) -> dict[Scope, Amount]:
        """Return what is said, by scope."""
        said = {
            Scope.ATTEMPT: self.attempt,
            Scope.STEP: self.step,
            Scope.RUN: self.run,
            Scope.FEATURE: self.feature,
            Scope.DAY: self.day,
        }
        return {scope: limit for scope, limit in said.items() if limit is not None}


def least_budget(mine: Value, other: Value) -> Value:
    """Return the smaller of two budgets in everything, as people would write it."""
    below, project = budget(mine), budget(other)
    least = below.least(project)
    if least in (below, project):
        return mine if least == below else other
    return list(_words(least))


def _words(amount: Amount) -> Iterator[str]:
    if amount.money is not None:
        yield f"{amount.money:f}usd"
    if amount.tokens is not None:
        yield f"{amount.tokens} tokens"
    if amount.time is not None:
        yield f"{amount.time // timedelta(seconds=1)}s"
    if amount.attempts is not None:
        yield f"{amount.attempts} attempts"
