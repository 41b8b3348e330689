"""What a service's errors mean: structured fields first, then the status, the text last."""

import re
from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run.failures.diagnosis import ACTIONS, Action
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.run.values import NO_USAGE, Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import END_ACTIONS, SandboxEnd
from supervisor_ai.tools.json_value import Json, JsonObject, inner
from supervisor_ai.tools.text import one_line
from supervisor_ai.workers.api.records import Garbage, read_object

_SHOWN: Final = 300
_ERRORS: Final = range(HTTPStatus.BAD_REQUEST, 600)
_TYPES: Final[Mapping[str, FailureCategory]] = {
    "authentication_error": FailureCategory.AUTH,
    "permission_error": FailureCategory.AUTH,
    "invalid_api_key": FailureCategory.AUTH,
    "rate_limit_error": FailureCategory.LIMIT,
    "rate_limit_exceeded": FailureCategory.LIMIT,
    "usage_limit_reached": FailureCategory.LIMIT,
    "insufficient_quota": FailureCategory.LIMIT,
    "billing_error": FailureCategory.LIMIT,
    "overloaded_error": FailureCategory.NETWORK,
    "api_error": FailureCategory.NETWORK,
    "timeout_error": FailureCategory.NETWORK,
    "server_error": FailureCategory.NETWORK,
}
_STATUSES: Final[Mapping[int, FailureCategory]] = {
    HTTPStatus.UNAUTHORIZED: FailureCategory.AUTH,
    HTTPStatus.FORBIDDEN: FailureCategory.AUTH,
    HTTPStatus.PAYMENT_REQUIRED: FailureCategory.LIMIT,
    HTTPStatus.TOO_MANY_REQUESTS: FailureCategory.LIMIT,
    HTTPStatus.REQUEST_TIMEOUT: FailureCategory.NETWORK,
    HTTPStatus.TOO_EARLY: FailureCategory.NETWORK,
}
_MONEY: Final = re.compile(
    r"insufficient_quota|billing_error|credit balance|insufficient (credit|balance|fund|quota)",
    re.IGNORECASE,
)


class Failure(Struct, frozen=True, kw_only=True):
    """Why a model gave no answer."""

    category: FailureCategory
    message: str
    action: Action
    reset_at: datetime | None = None
    usage: Usage = NO_USAGE
    end: SandboxEnd = SandboxEnd.EXITED
    """How a process would have ended that failed in this way."""


def failure(category: FailureCategory, message: str, action: Action | None = None) -> Failure:
    """Describe a failure that has no status of its own."""
    return Failure(category=category, message=message, action=action or ACTIONS[category])


def stopped(end: SandboxEnd, message: str) -> Failure:
    """Describe an answer that we did not let go on."""
    return replace(failure(FailureCategory.RESOURCE, message, END_ACTIONS[end]), end=end)


def refused(status: int, body: bytes, reset_at: datetime | None) -> Failure:
    """Describe an answer that is none, by its status and what its body says."""
    try:
        fault = read_object(body)
    except Garbage:
        fault = {"error": body.decode(errors="replace")}
    return _describe(status, fault, reset_at, said=f"HTTP {status}")


def interrupted(fault: JsonObject) -> Failure:
    """Describe an error that came in mid-answer."""
    return _describe(None, fault, None, said="error in mid-answer")


def _describe(
    status: int | None, fault: JsonObject, reset_at: datetime | None, *, said: str
) -> Failure:
    error = fault.get("error")
    code, kind, text = inner(error, "code"), inner(error, "type"), _text(error)
    if status is None and isinstance(code, int) and code in _ERRORS:
        status = code
    message = f"{said}: {text}" if text else said
    if status == HTTPStatus.PAYMENT_REQUIRED or _MONEY.search(f"{code} {kind} {text}"):
        # Waiting brings no money.
        return failure(FailureCategory.LIMIT, message, Action.FAIL_OVER)
    category = _known(code) or _known(kind) or _by_status(status)
    # The same request would be refused again.
    is_final = category is FailureCategory.CLI_ERROR
    return Failure(
        category=category,
        message=message,
        action=Action.ESCALATE if is_final else ACTIONS[category],
        reset_at=reset_at if category is FailureCategory.LIMIT else None,
    )


def _known(word: Json) -> FailureCategory | None:
    return _TYPES.get(word) if isinstance(word, str) else None


def _by_status(status: int | None) -> FailureCategory:
    if status is None or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return FailureCategory.NETWORK
    return _STATUSES.get(status, FailureCategory.CLI_ERROR)


def _text(error: Json) -> str:
    said = error if isinstance(error, str) else inner(error, "message")
    return plain(said) if isinstance(said, str) else ""


def plain(text: str) -> str:
    """Cut foreign words to one printable line of bearable length."""
    return one_line("".join(c if c.isprintable() else " " for c in text[: 4 * _SHOWN]), _SHOWN)
