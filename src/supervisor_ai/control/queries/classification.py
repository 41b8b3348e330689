"""Classification of a recorded run of an agent's command, explained."""

from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from msgspec import Struct

from supervisor_ai.control.ports.classification import Classifier, RecordedRun
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.failures.diagnosis import Action
from supervisor_ai.domain.run.status import FailureCategory


class RunResult(StrEnum):
    """Whether the command did what it was asked."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"


class ClassifiedUsage(Struct, frozen=True, kw_only=True):
    """What the run took; tokens from a cache are among those that went in."""

    tokens_in: int
    tokens_out: int


class Explanation(Struct, frozen=True, kw_only=True):
    """What a recorded run means."""

    cli: str
    outcome: RunResult
    category: FailureCategory | None
    action: Action | None
    message: str
    because: str
    """Which record or which words decided."""
    usage: ClassifiedUsage
    cost: Decimal | None
    """In US dollars; None where the command does not say."""
    session: str | None
    model: str | None
    reset_at: datetime | None


def explain_run(classifier: Classifier, run: RecordedRun) -> Explanation:
    """Say what a recorded run means, and what would be done about it."""
    if run.cli not in classifier.names:
        known = ", ".join(classifier.names)
        raise InvalidInput(f"There is no CLI {run.cli!r} to classify.", hint=f"Known: {known}.")
    if run.has_schema and run.cli not in classifier.schema_names:
        known = ", ".join(classifier.schema_names)
        raise InvalidInput(
            f"{run.cli!r} gives no structured answer apart from its words.",
            hint=f"Leave --schema out. Those that do: {known}.",
        )
    found = classifier.classify(run)
    diagnosis, usage = found.diagnosis, found.usage
    return Explanation(
        cli=run.cli,
        outcome=RunResult.SUCCEEDED if diagnosis.has_succeeded else RunResult.FAILED,
        category=diagnosis.category,
        action=diagnosis.action,
        message=diagnosis.message,
        because=found.because,
        usage=ClassifiedUsage(tokens_in=usage.tokens_in, tokens_out=usage.tokens_out),
        cost=None if not usage.cost and (usage.tokens_in or usage.tokens_out) else usage.cost,
        session=diagnosis.session,
        model=diagnosis.model,
        reset_at=diagnosis.reset_at,
    )
