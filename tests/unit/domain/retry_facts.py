"""Facts around an attempt that is made again."""

from datetime import UTC, datetime

from supervisor_ai.domain.run.failures.retries import (
    MoveKind,
)
from supervisor_ai.domain.run.failures.retry_notes import RetryEntry
from supervisor_ai.domain.run.status import FailureCategory

NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)
ENTRY = RetryEntry(
    at=NOW,
    role="implementer",
    task="tasks/7.md",
    attempt=1,
    max_retries=3,
    category=FailureCategory.PARSING,
    move=MoveKind.RETRY_SAME,
    expected='{"status": "ok"}',
    received="I am done.",
)
