"""The words for where a run, a step, an attempt and a gate stand."""

from enum import StrEnum
from typing import Final

from msgspec import Struct


class RunStatus(StrEnum):
    """Where a run stands."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED = frozenset({RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED})


class StepStatus(StrEnum):
    """Where a step stands."""

    PENDING = "pending"
    RUNNING = "running"
    WAITING = "waiting"
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"


class AttemptStatus(StrEnum):
    """Where an attempt stands."""

    STARTED = "started"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    LOST = "lost"
    PARKED = "parked"
    CANCELLED = "cancelled"


class Verdict(StrEnum):
    """What a gate says; `not_run` when the sandbox or the command itself did not work."""

    PASSED = "passed"
    FAILED = "failed"
    WARNED = "warned"
    NOT_RUN = "not_run"


WORST_FIRST: Final = (Verdict.FAILED, Verdict.NOT_RUN, Verdict.WARNED, Verdict.PASSED)
"""Of several verdicts, the first of these stands for all."""


class OutcomeKind(StrEnum):
    """How a run ended."""

    DONE = "done"
    GATE_FAILED = "gate_failed"
    REJECTED = "rejected"
    BLOCKED = "blocked"
    LOOP_DETECTED = "loop_detected"
    BUDGET_EXHAUSTED = "budget_exhausted"
    LIMITS_EXCEEDED = "limits_exceeded"
    CIRCUIT_OPEN = "circuit_open"
    WORKER_FAILED = "worker_failed"
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"
    INTERNAL = "internal"


class FailureCategory(StrEnum):
    """Why an attempt failed."""

    NETWORK = "network"
    CLI_ERROR = "cli_error"
    VALIDATION = "validation"
    PARSING = "parsing"
    LOGIC = "logic"
    RESOURCE = "resource"
    AUTH = "auth"
    LIMIT = "limit"
    SETUP = "setup"
    """The workspace could not be set up: what the user wrote for that did not work."""


SETUP_REASON: Final = "setup: "
BASELINE_REASON: Final = "baseline: "
"""How the reason of a run begins that ended because no workspace could be set up."""


class Outcome(Struct, frozen=True, kw_only=True):
    """How a run ended and why, in one sentence of our own."""

    kind: OutcomeKind
    reason: str
