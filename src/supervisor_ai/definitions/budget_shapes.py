"""The shape of budgets, laid over what was said below."""

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import PlainValidator

from supervisor_ai.definitions.shape import Shape
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.budget_words import parse_budget
from supervisor_ai.domain.run.budgets import NOTHING, Amount, Scope

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


class BudgetsShape(Shape):
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


def lay_budgets(
    below: Mapping[Scope, Amount], shape: BudgetsShape, *, may_widen: bool
) -> dict[Scope, Amount]:
    """Lay one file's budgets over the others'; a project can only make them smaller."""
    said = shape.limits
    if not may_widen:
        said = {scope: limit.least(below.get(scope, NOTHING)) for scope, limit in said.items()}
    return {**below, **said}
