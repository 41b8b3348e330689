"""The models that stand in for each other, asked in their order until one answers."""

from collections.abc import Awaitable, Callable
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.run.values import Usage
from supervisor_ai.workers.api.failures import Failure
from supervisor_ai.workers.api.model import Model
from supervisor_ai.workers.api.model_request import Said

UNAVAILABLE: Final = frozenset(
    {FailureCategory.LIMIT, FailureCategory.NETWORK, FailureCategory.AUTH}
)
"""What says nothing about the question, so that another model may do better."""

_HOPE: Final = (Action.PARK, Action.RETRY_SAME, Action.FAIL_OVER)
"""What a chain that failed calls for: the way on that is surest to lead to an answer first."""


class Skipped(Struct, frozen=True, kw_only=True):
    """A model that was asked in vain."""

    model: Model
    failure: Failure

    @property
    def text(self) -> str:
        """Say which model it was and why it was passed over."""
        return f"{label(self.model)}: {self.failure.message}"


class ModelUnavailable(Struct, frozen=True, kw_only=True):
    """No model of a chain can be had now; a role that can be done without is skipped."""

    skipped: tuple[Skipped, ...]

    @property
    def diagnosis(self) -> Diagnosis:
        """Take the most hopeful way on: wait for the first limit to end, else try again."""
        failures = [skipped.failure for skipped in self.skipped]
        best = min(failures, key=lambda failed: _HOPE.index(failed.action))
        resets = [failed.reset_at for failed in failures if failed.reset_at is not None]
        return Diagnosis(
            message=f"No model is available. {listed(self.skipped)}",
            category=best.category,
            action=best.action,
            reset_at=min(resets, default=None),
            model=self.skipped[0].model.model,
        )


class Walk(Struct, frozen=True, kw_only=True):
    """How far the chain was followed: the last model, what came of it, and those before it."""

    model: Model
    outcome: Said | Failure
    skipped: tuple[Skipped, ...] = field(default=())

    @property
    def usage(self) -> Usage:
        """Add up what all of them consumed."""
        total = self.outcome.usage
        for skipped in self.skipped:
            total = total.plus(skipped.failure.usage)
        return total

    @property
    def diagnosis(self) -> Diagnosis:
        """Say what came of it."""
        if isinstance(self.outcome, Said):
            return Diagnosis(
                message=f"{label(self.model)} answered.{_besides(self.skipped)}",
                session=self.outcome.session,
                model=self.outcome.model,
            )
        last = Skipped(model=self.model, failure=self.outcome)
        if self.outcome.category in UNAVAILABLE:
            return ModelUnavailable(skipped=(*self.skipped, last)).diagnosis
        return Diagnosis(
            message=f"{last.text}{_besides(self.skipped)}",
            category=self.outcome.category,
            action=self.outcome.action,
            model=self.model.model,
        )


async def walk(
    models: tuple[Model, ...],
    ask: Callable[[Model], Awaitable[Said | Failure]],
    on_skip: Callable[[Skipped, Model], None],
) -> Walk:
    """Ask one after the other, until one answers or fails at the question itself."""
    skipped: list[Skipped] = []
    *before, last = models
    for model, following in zip(before, models[1:], strict=True):
        outcome = await ask(model)
        if isinstance(outcome, Said) or outcome.category not in UNAVAILABLE:
            return Walk(model=model, outcome=outcome, skipped=tuple(skipped))
        skipped.append(Skipped(model=model, failure=outcome))
        on_skip(skipped[-1], following)
    return Walk(model=last, outcome=await ask(last), skipped=tuple(skipped))


def label(model: Model) -> str:
    """Name a model as the user knows it."""
    return f"{model.name} ({model.provider}, {model.model})"


def listed(skipped: tuple[Skipped, ...]) -> str:
    """Say of each why it was passed over."""
    return " ".join(one.text for one in skipped)


def _besides(skipped: tuple[Skipped, ...]) -> str:
    return f" Skipped: {listed(skipped)}" if skipped else ""
