"""What goes wrong with a model, and what it is taken for."""

import json
import socket
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.integration.workers.api.attempt import NOW, Attempt, model
from tests.integration.workers.api.service import (
    Answering,
    Service,
    chunked,
    events,
    lines,
    raw,
    reset,
    whole,
)

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.status import FailureCategory as Category
from supervisor_ai.domain.run.values import Usage
from supervisor_ai.engine.ports.sandbox import SandboxEnd
from supervisor_ai.engine.ports.workers import WorkerFinished, WorkerReport, WorkerRetried

CHAT = "openai_compatible"


def fail(answer: Answering, provider: str = CHAT, **more: Any) -> tuple[Diagnosis, WorkerReport]:
    with Service(answer) as service:
        report = Attempt([model("m", service.url, provider, **more)]).run()
    assert report.diagnosis is not None
    assert (report.result.end, report.result.exit_code) == (SandboxEnd.EXITED, 1)
    return report.diagnosis, report


def error(status: int, kind: str, text: str = "no", **headers: str) -> Answering:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return whole({"error": {"type": kind, "message": text}}, status=status, headers=named)


@pytest.mark.parametrize(
    ("status", "body", "category", "action"),
    [
        (400, {"error": {"type": "invalid_request_error"}}, Category.CLI_ERROR, Action.ESCALATE),
        (401, {"error": {"type": "authentication_error"}}, Category.AUTH, Action.FAIL_OVER),
        (
            401,
            {"error": {"type": "invalid_request_error", "code": "invalid_api_key"}},
            Category.AUTH,
            Action.FAIL_OVER,
        ),
        (402, {"error": {"code": 402}}, Category.LIMIT, Action.FAIL_OVER),
        (403, {}, Category.AUTH, Action.FAIL_OVER),
        (404, {"error": "model 'x' not found"}, Category.CLI_ERROR, Action.ESCALATE),
        (408, {}, Category.NETWORK, Action.RETRY_SAME),
        (413, {"error": {"type": "request_too_large"}}, Category.CLI_ERROR, Action.ESCALATE),
        (422, {"detail": [1]}, Category.CLI_ERROR, Action.ESCALATE),
        (429, {"error": {"type": "rate_limit_error"}}, Category.LIMIT, Action.PARK),
        (429, {"error": {"code": "insufficient_quota"}}, Category.LIMIT, Action.FAIL_OVER),
        (
            400,
            {"error": {"type": "x", "message": "Your CREDIT BALANCE is too low"}},
            Category.LIMIT,
            Action.FAIL_OVER,
        ),
        (500, {"error": {"type": "api_error"}}, Category.NETWORK, Action.RETRY_SAME),
        (502, b"<html>Bad gateway</html>", Category.NETWORK, Action.RETRY_SAME),
        (503, b"", Category.NETWORK, Action.RETRY_SAME),
        (529, {"error": {"type": "overloaded_error"}}, Category.NETWORK, Action.RETRY_SAME),
        (302, {}, Category.CLI_ERROR, Action.ESCALATE),
        (204, b"", Category.CLI_ERROR, Action.ESCALATE),
    ],
)
def test_a_status_says_what_is_to_be_done(
    status: int, body: object, category: Category, action: Action
) -> None:
    diagnosis, report = fail(whole(body, status=status, headers={"Location": "http://127.0.0.1:9"}))
    assert (diagnosis.category, diagnosis.action) == (category, action)
    assert f"HTTP {status}" in diagnosis.message
    assert report.result.reason == report.output == diagnosis.message


@pytest.mark.parametrize(
    ("headers", "reset_at"),
    [
        ({"Retry-After": "90"}, NOW + timedelta(seconds=90)),
        ({"retry-after-ms": "1500", "Retry-After": "2"}, NOW + timedelta(seconds=1.5)),
        ({"Retry-After": "Tue, 01 Jan 2030 13:00:00 GMT"}, NOW + timedelta(hours=1)),
        (
            {
                "anthropic-ratelimit-requests-remaining": "4",
                "anthropic-ratelimit-requests-reset": "2030-01-01T18:00:00Z",
                "anthropic-ratelimit-tokens-remaining": "0",
                "anthropic-ratelimit-tokens-reset": "2030-01-01T12:05:00Z",
            },
            datetime(2030, 1, 1, 12, 5, tzinfo=UTC),
        ),
        ({"x-ratelimit-reset-requests": "6m0s"}, NOW + timedelta(minutes=6)),
        (
            {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1893502800000"},
            NOW + timedelta(hours=1),
        ),
        ({"Retry-After": "soon"}, None),
        ({}, None),
    ],
)
def test_a_limit_ends_when_the_service_says(
    headers: Mapping[str, str], reset_at: datetime | None
) -> None:
    body = {"error": {"type": "rate_limit_error", "message": "Slow down."}}
    diagnosis, _ = fail(whole(body, status=429, headers=headers))
    assert (diagnosis.category, diagnosis.action) == (Category.LIMIT, Action.PARK)
    assert diagnosis.reset_at == reset_at
    assert diagnosis.message == (
        "No model is available. m (openai_compatible, m-1): HTTP 429: Slow down."
    )


def test_only_a_limit_has_an_end() -> None:
    diagnosis, _ = fail(error(503, "server_error", retry_after="30"))
    assert (diagnosis.category, diagnosis.reset_at) == (Category.NETWORK, None)


def nothing_but(text: str) -> dict[str, Any]:
    return {"choices": [{"delta": {"content": text}}], "usage": {"prompt_tokens": 3}}


def stopped(reason: str) -> dict[str, Any]:
    return {"choices": [{"delta": {"content": "{"}, "finish_reason": reason}]}


MESSAGE_START = {"type": "message_start", "message": {"usage": {"input_tokens": 3}}}


@pytest.mark.parametrize(
    ("provider", "answer", "category", "message"),
    [
        (CHAT, raw(b"SSH-2.0-OpenSSH\r\n\r\n"), Category.PARSING, "illegal status line"),
        (CHAT, raw(b"HTTP/1.1 200 OK\r\nx: y"), Category.PARSING, "closed connection"),
        (
            CHAT,
            raw(b"HTTP/1.1 200 OK\r\nx: " + b"y" * 200_000),
            Category.PARSING,
            "too long",
        ),
        (CHAT, raw(b"HTTP/1.1 100 Continue\r\n\r\n" * 9), Category.PARSING, "too often"),
        (
            CHAT,
            raw(b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\nxx"),
            Category.PARSING,
            "compressed",
        ),
        (
            CHAT,
            raw(b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n"),
            Category.PARSING,
            "bad Content-Length",
        ),
        (
            CHAT,
            raw(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"),
            Category.PARSING,
            "illegal chunk header",
        ),
        (
            CHAT,
            raw(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + b"0" * 200_000),
            Category.PARSING,
            "buffer too long",
        ),
        (CHAT, whole(b"<html>"), Category.PARSING, "not JSON"),
        (CHAT, whole(b"[" * 100_000), Category.PARSING, "not JSON"),
        (CHAT, whole([1]), Category.PARSING, "no object"),
        (CHAT, whole({}), Category.PARSING, "said nothing"),
        (CHAT, events("{broken"), Category.PARSING, "not JSON"),
        (CHAT, events(stopped("length")), Category.PARSING, "cut off at max_tokens"),
        (CHAT, events(stopped("content_filter")), Category.LOGIC, "refused"),
        (CHAT, whole({"choices": [{"message": {"refusal": "No."}}]}), Category.LOGIC, "refused"),
        (CHAT, events(nothing_but("half")), Category.NETWORK, "before it was complete"),
        (CHAT, events(nothing_but("half"), is_complete=False), Category.NETWORK, "cut off"),
        (
            CHAT,
            raw(b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\ndata: "),
            Category.NETWORK,
            "cut off",
        ),
        (CHAT, events({"error": {"code": 429, "message": "x"}}), Category.LIMIT, "mid-answer: x"),
        (CHAT, events({"error": {"code": 400}}), Category.CLI_ERROR, "mid-answer"),
        (CHAT, whole({"error": {"message": "odd"}}), Category.NETWORK, "mid-answer: odd"),
        (
            "anthropic",
            events(MESSAGE_START, {"type": "error", "error": {"type": "overloaded_error"}}),
            Category.NETWORK,
            "mid-answer",
        ),
        (
            "anthropic",
            events({"type": "error", "error": {"type": "authentication_error"}}),
            Category.AUTH,
            "mid-answer",
        ),
        (
            "anthropic",
            whole({"type": "error", "error": {"type": "rate_limit_error"}}),
            Category.LIMIT,
            "mid-answer",
        ),
        ("anthropic", events(MESSAGE_START), Category.NETWORK, "before it was complete"),
        (
            "anthropic",
            whole({"content": [], "stop_reason": "refusal"}),
            Category.LOGIC,
            "refused",
        ),
        (
            "anthropic",
            whole({"content": [{"type": "text", "text": "x"}], "stop_reason": "max_tokens"}),
            Category.PARSING,
            "max_tokens",
        ),
        ("ollama", lines({"error": "out of memory"}), Category.NETWORK, "out of memory"),
        ("ollama", lines({"message": {"content": "a"}}), Category.NETWORK, "before it was"),
        ("ollama", lines({"done": True, "done_reason": "length"}), Category.PARSING, "max_tokens"),
        ("ollama", lines("nonsense"), Category.PARSING, "not JSON"),
    ],
)
def test_half_an_answer_is_none(
    provider: str, answer: Answering, category: Category, message: str
) -> None:
    diagnosis, report = fail(answer, provider)
    assert diagnosis.category is category
    assert message in diagnosis.message
    assert json.dumps(report.output)


def test_nonsense_of_a_service_is_not_told_to_the_model() -> None:
    diagnosis, _ = fail(whole(b"<html>"))
    assert diagnosis.action is Action.RETRY_SAME


@pytest.mark.parametrize(
    ("provider", "answer"),
    [
        (CHAT, events(stopped("content_filter"))),
        (CHAT, whole({"choices": [{"message": {"refusal": "No."}}]})),
        ("anthropic", whole({"content": [], "stop_reason": "refusal"})),
    ],
)
def test_a_refusal_is_for_a_person(provider: str, answer: Answering) -> None:
    diagnosis, _ = fail(answer, provider)
    assert diagnosis.action is Action.ESCALATE


def test_what_a_failed_answer_consumed_is_counted() -> None:
    _, report = fail(events(nothing_but("half")))
    assert report.usage == Usage(tokens_in=3, tokens_out=1, estimated=True)


def test_nobody_at_home() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        report = Attempt([model("m", f"http://127.0.0.1:{taken.getsockname()[1]}")]).run()
    assert report.diagnosis is not None
    assert report.diagnosis.category is Category.NETWORK
    assert report.diagnosis.action is Action.RETRY_SAME
    assert "cannot be reached" in report.diagnosis.message


GOOD = events({"choices": [{"delta": {"content": "{}"}, "finish_reason": "stop"}]})


@pytest.mark.parametrize("first", [reset, raw(b"")])
def test_a_connection_that_breaks_before_the_first_byte_is_made_once_more(
    first: Answering,
) -> None:
    with Service(first, GOOD) as service:
        one = Attempt([model("m", service.url)])
        report = one.run()
    assert report.result.exit_code == 0
    assert len(service.asked) == 2
    [retried] = [seen for seen in one.seen if isinstance(seen, WorkerRetried)]
    assert (retried.attempt, retried.after) == (1, None)


def test_a_connection_is_made_twice_and_never_three_times() -> None:
    with Service(reset, reset, GOOD) as service:
        one = Attempt([model("m", service.url)])
        report = one.run()
    assert report.diagnosis is not None
    assert report.diagnosis.category is Category.NETWORK
    assert "without a word, twice" in report.diagnosis.message
    assert len(service.asked) == 2


@pytest.mark.parametrize(
    "answer",
    [error(500, "api_error"), error(429, "x"), whole(b"?"), chunked("text/event-stream", [b"x"])],
)
def test_nothing_else_is_tried_again(answer: Answering) -> None:
    with Service(answer, GOOD) as service:
        one = Attempt([model("m", service.url)])
        report = one.run()
    assert report.result.exit_code == 1
    assert len(service.asked) == 1
    assert one.seen[-1] == WorkerFinished(message=report.result.reason)


def test_words_of_a_service_cannot_paint_the_terminal() -> None:
    diagnosis, _ = fail(error(400, "x", "\x1b[31mred\x1b[0m\nline\x07 " + "long " * 500))
    assert diagnosis.message.isprintable()
    assert "\x1b" not in diagnosis.message
    assert len(diagnosis.message) < 400


def test_a_long_error_is_read_in_part() -> None:
    diagnosis, _ = fail(whole(b"x" * 3_000_000, status=500))
    assert diagnosis.category is Category.NETWORK


@pytest.mark.parametrize("script", ["[]", "", "{", '[{"name": "m"}]', '[{"provider": "gemini"}]'])
def test_models_that_cannot_be_read_are_refused(script: str) -> None:
    one = Attempt(json.loads(script) if script == "[]" else [])
    with pytest.raises(InvalidInput, match=r"cannot be read|has no model"):
        one.run() if script == "[]" else one.run_pinned(script)


def test_plain_http_stays_on_this_machine() -> None:
    report = Attempt([model("m", "http://127.0.0.2:9/v1")]).run()
    assert report.diagnosis is not None
    assert report.diagnosis.category is Category.CLI_ERROR
    assert report.diagnosis.action is Action.ESCALATE
    assert "no https address" in report.diagnosis.message
    allowed = Attempt([model("m", "http://127.0.0.2:9/v1", plain_http=True)]).run()
    assert allowed.diagnosis is not None
    assert allowed.diagnosis.category is Category.NETWORK


@pytest.mark.parametrize("path", ["a b", "\u00e9"])
def test_an_address_that_http_cannot_carry_is_not_asked(path: str) -> None:
    report = Attempt([model("m", f"http://127.0.0.1:9/{path}")]).run()
    assert report.diagnosis is not None
    assert report.diagnosis.category is Category.CLI_ERROR
    assert report.diagnosis.action is Action.ESCALATE
    assert "a character that HTTP does not allow" in report.diagnosis.message
