"""Every fault of a script, as a client sees it that looks at the bytes."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.integration.lab.client import (
    SPEECHES,
    ask,
    open_line,
    raw_request,
    until_end,
    until_mark,
)
from tests.support.processes import PATIENCE

from supervisor_ai.lab.server import LabServer

DIALECTS = list(SPEECHES)
ENDS = {
    "anthropic": b"message_stop",
    "responses": b"response.completed",
    "chat": b"[DONE]",
    "gemini": b"finishReason",
}


def received(turn: object, dialect: str, *, streamed: bool = True) -> bytes:
    with LabServer([turn]) as lab, open_line(lab.url) as line:
        line.sendall(raw_request(dialect, streamed=streamed))
        if not streamed:
            line.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        return until_end(line)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_truncated_stream_begins_well_and_has_no_end(dialect: str) -> None:
    told = received({"fault": "truncated_sse", "text": "so far " * 40}, dialect)
    assert told.startswith(b"HTTP/1.1 200 ")
    assert b"so far" in told
    assert told.endswith(b"\n\n")
    assert ENDS[dialect] not in told


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_malformed_stream_ends_in_garbage(dialect: str) -> None:
    told = received({"fault": "malformed_sse"}, dialect)
    assert told.endswith(b"data: {not json at all\n\n\x00\xff garbage\n\n")
    assert ENDS[dialect] not in told


@pytest.mark.parametrize(
    ("dialect", "mark"),
    [
        ("anthropic", b'event: error\ndata: {"type": "error", "error": {"type": "overloaded'),
        ("responses", b'event: response.failed\ndata: {"type": "response.failed"'),
        ("chat", b'data: {"error": {"message": "Overloaded", "code": 503}}'),
        ("gemini", b'data: {"error": {"code": 503, "message": "The model is overloaded.'),
    ],
)
def test_an_error_comes_in_the_middle_of_a_stream(dialect: str, mark: bytes) -> None:
    told = received({"fault": "sse_error"}, dialect)
    assert told.count(mark) == 1
    assert ENDS[dialect] not in told


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_client_without_streams_gets_half_an_answer(dialect: str) -> None:
    with LabServer([{"fault": "truncated_sse"}]) as lab:
        reply = ask(lab.url, dialect)
    assert reply.status == 200
    with pytest.raises(ValueError, match="char"):
        _ = reply.json


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_client_without_streams_is_told_of_the_overload_by_status(dialect: str) -> None:
    with LabServer([{"fault": "sse_error"}]) as lab:
        assert ask(lab.url, dialect).status == 503


@pytest.mark.parametrize("streamed", [True, False])
def test_an_empty_answer(streamed: bool) -> None:  # noqa: FBT001
    with LabServer([{"fault": "empty_200"}]) as lab:
        reply = ask(lab.url, "anthropic", streamed=streamed)
    assert (reply.status, reply.body) == (200, b"")


def test_a_page_instead_of_an_answer() -> None:
    with LabServer([{"fault": "html_200"}]) as lab:
        reply = ask(lab.url, "gemini", streamed=True)
    assert (reply.status, reply.headers["content-type"]) == (200, "text/html")
    assert reply.body.startswith(b"<html>")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_reset_is_no_end_of_file(dialect: str) -> None:
    with pytest.raises(ConnectionResetError):
        received({"fault": "reset"}, dialect)


def test_a_stall_begins_to_answer_and_ends_when_its_time_is_over() -> None:
    began = time.monotonic()
    told = received({"hang": 0.3, "text": "well"}, "anthropic")
    assert time.monotonic() - began >= 0.3
    assert b"message_start" in told
    assert ENDS["anthropic"] not in told


def test_a_stall_lasts_while_the_client_waits_and_ends_with_the_server() -> None:
    with (
        LabServer([{"hang": 600}]) as lab,
        open_line(lab.url) as line,
        ThreadPoolExecutor(1) as pool,
    ):
        line.sendall(raw_request("anthropic", streamed=True))
        until_mark(line, b"content_block_start")
        line.settimeout(0.3)
        with pytest.raises(TimeoutError):
            until_end(line)
        line.settimeout(PATIENCE)
        rest = pool.submit(until_end, line)
        lab.close()
        assert rest.result() == b""


def test_a_client_that_leaves_a_stall_frees_its_line() -> None:
    with LabServer([{"hang": 600}]) as lab:
        with open_line(lab.url) as line:
            line.sendall(raw_request("anthropic", streamed=True))
            until_mark(line, b"content_block_start")
        deadline = time.monotonic() + PATIENCE
        while lab._room.lines:
            assert time.monotonic() < deadline, "the line is still held"
            time.sleep(0.05)


@pytest.mark.parametrize("streamed", [True, False])
def test_a_delay_comes_before_the_answer(streamed: bool) -> None:  # noqa: FBT001
    began = time.monotonic()
    with LabServer([{"text": "late", "delay": 0.3}]) as lab:
        assert ask(lab.url, "chat", streamed=streamed).status == 200
    assert time.monotonic() - began >= 0.3


def test_a_stream_can_drip() -> None:
    began = time.monotonic()
    with LabServer([{"text": "a", "drip": 0.05}]) as lab:
        events = ask(lab.url, "chat", streamed=True).events
    assert time.monotonic() - began >= 0.05 * len(events)
    assert events[-1] == (None, "[DONE]")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500, 503, 529])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_status_comes_with_an_error_of_the_dialect(dialect: str, status: int) -> None:
    with LabServer([{"status": status}]) as lab:
        reply = ask(lab.url, dialect, streamed=True)
    assert reply.status == status
    assert reply.json["error"]["message"]
    assert "retry-after" not in reply.headers


def test_a_status_can_have_words_and_headers_of_its_own() -> None:
    turn = {"status": 429, "headers": {"retry-after": 7}, "body": {"mine": True}, "times": 2}
    with LabServer([turn, {"text": "ok"}]) as lab:
        replies = [ask(lab.url, "anthropic") for _ in range(3)]
    assert [reply.status for reply in replies] == [429, 429, 200]
    assert (replies[0].headers["retry-after"], replies[0].json) == ("7", {"mine": True})


def test_headers_of_an_answer_tell_of_limits_too() -> None:
    left = {"anthropic-ratelimit-requests-remaining": 3}
    with LabServer([{"text": "a", "headers": left}]) as lab:
        for streamed in (True, False):
            reply = ask(lab.url, "anthropic", streamed=streamed)
            assert reply.headers["anthropic-ratelimit-requests-remaining"] == "3"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_limit_tells_its_end(dialect: str) -> None:
    with LabServer([{"status": 429, "reset": 60}]) as lab:
        reply = ask(lab.url, dialect)
    assert reply.status == 429
    assert 50 < int(reply.headers["retry-after"]) <= 60
    body = json.dumps(reply.json)
    assert {
        "anthropic": "rate_limit_error" in body,
        "responses": "usage_limit_reached" in body and "resets_at" in body,
        "chat": "rate_limit_exceeded" in body,
        "gemini": "RetryInfo" in body,
    }[dialect]
