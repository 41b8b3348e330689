"""Urgency: signals that pull the next look of the supervisors forward."""

from enum import StrEnum
from typing import Final


class UrgencySignal(StrEnum):
    """What makes the next look of the supervisors more urgent."""

    QA_FAILURE = "qa_failure"
    TASK_ABORT = "task_abort"
    CHURN = "carry_forward_churn"
    MINOR_DRIFT = "minor_drift"


CALM: Final = 0
WEIGHTS: Final = {
    UrgencySignal.QA_FAILURE: 3,
    UrgencySignal.TASK_ABORT: 10,
    UrgencySignal.CHURN: 2,
    UrgencySignal.MINOR_DRIFT: 5,
}
"""In tenths, so that no rounding decides."""
PULL_FORWARD: Final = 10
_TENTHS: Final = 10
_LEAST_CARRIED: Final = 3


def is_pulled_forward(urgency: int) -> bool:
    """Tell whether supervisors look now, whatever their counters say."""
    return urgency >= PULL_FORWARD


def shown(urgency: int) -> float:
    """Return the urgency as people are shown it: 1.0 pulls the next look forward."""
    return urgency / _TENTHS


def is_churn(before: tuple[str, ...], after: tuple[str, ...]) -> bool:
    """Tell whether most of what was planned is no longer; the next task leaves the plan anyway."""
    if len(before) < _LEAST_CARRIED:
        return False
    kept = sum(it in after for it in before)
    return 2 * (kept + 1) < len(before)
