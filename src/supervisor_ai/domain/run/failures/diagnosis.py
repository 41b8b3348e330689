"""What came of a worker's process, and what is to be done about it."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run.status import FailureCategory


class Action(StrEnum):
    """What a failure calls for."""

    RETRY_SAME = "retry_same"
    RETRY_ONCE = "retry_once"
    """The same again, but not more often: nobody knows what it was."""
    RETRY_WITH_FEEDBACK = "retry_with_feedback"
    PARK = "park"
    FAIL_OVER = "fail_over"
    ESCALATE = "escalate"


ACTIONS: Final[Mapping[FailureCategory, Action]] = {
    FailureCategory.NETWORK: Action.RETRY_SAME,
    FailureCategory.CLI_ERROR: Action.RETRY_ONCE,
    FailureCategory.VALIDATION: Action.RETRY_WITH_FEEDBACK,
    FailureCategory.PARSING: Action.RETRY_WITH_FEEDBACK,
    FailureCategory.LOGIC: Action.RETRY_WITH_FEEDBACK,
    FailureCategory.RESOURCE: Action.ESCALATE,
    FailureCategory.SETUP: Action.ESCALATE,
    FailureCategory.AUTH: Action.FAIL_OVER,
    FailureCategory.LIMIT: Action.PARK,
}
"""What a category calls for unless the evidence says otherwise."""


class Diagnosis(Struct, frozen=True, kw_only=True):
    """What the evidence that a process left behind says; no category where all is well."""

    message: str
    category: FailureCategory | None = None
    action: Action | None = None
    reset_at: datetime | None = None
    """When a usage limit ends, where that is said."""
    session: str | None = None
    model: str | None = None

    @property
    def has_succeeded(self) -> bool:
        """Tell whether the process did what it was asked, as far as it can be seen from outside."""
        return self.category is None
