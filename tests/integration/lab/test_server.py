"""The server: loopback only, orders, bad requests, and many clients at once."""

import gzip
import json
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.integration.lab.client import SPEECHES, ask, open_line, request, until_end

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.lab.body import MAX_BODY
from supervisor_ai.lab.server import LabServer

FIXTURES = Path("/work/shared/facts/cli-fixtures")
WORKERS = 6


def test_it_listens_on_loopback_only() -> None:
    with LabServer([{"text": "a"}]) as lab:
        assert lab._http.server_address[0] == "127.0.0.1"
        with (
            pytest.raises(OSError, match="refused"),
            socket.create_connection(("127.0.0.2", lab.port), timeout=5),
        ):
            pass


def test_a_port_that_is_taken_is_an_error() -> None:
    with LabServer([{"text": "a"}]) as lab, pytest.raises(Unavailable, match="cannot be taken"):
        LabServer([{"text": "b"}], port=lab.port)


def test_a_request_is_remembered_and_its_key_is_hidden_from_the_log() -> None:
    with LabServer([{"text": "a"}]) as lab:
        body = SPEECHES["gemini"].body
        path = "/v1beta/models/g:generateContent?key=sk-canary-2"
        request(lab.url, "POST", path, body, {"x-goog-api-key": "sk-canary-1"})
        (seen,) = lab.requests
        log = request(lab.url, "GET", "/_log")
    assert (seen.dialect, seen.model, seen.place) == ("gemini", "g", "scenarios[0].turns[0]")
    assert (seen.key, seen.body) == ("sk-canary-1", body)
    assert b"sk-canary" not in log.body
    assert log.json[0]["headers"]["x-goog-api-key"] == "[hidden]"


def test_orders_load_another_script_and_forget_the_requests() -> None:
    with LabServer([{"text": "a"}, {"text": "b"}]) as lab:
        ask(lab.url, "chat")
        assert request(lab.url, "POST", "/_reset").json == {"ok": True}
        assert lab.requests == ()
        assert "a" in ask(lab.url, "chat").body.decode()
        assert request(lab.url, "POST", "/_script", [{"text": "other"}]).status == 200
        assert b"other" in ask(lab.url, "chat").body
        assert request(lab.url, "GET", "/_stats").json == {"requests": 2}
        lab.load([{"text": "third"}])
        assert b"third" in ask(lab.url, "chat").body


def test_a_bad_script_is_refused_and_the_old_one_goes_on() -> None:
    with LabServer([{"text": "a"}]) as lab:
        bad = request(lab.url, "POST", "/_script", [{"txt": "b"}])
        assert bad.status == 400
        assert bad.json["error"]["flaws"] == ["[0].txt: unknown key; did you mean 'text'?"]
        assert request(lab.url, "POST", "/_script", b"{").status == 400
        assert ask(lab.url, "chat").status == 200


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("POST", "/_script", {"Origin": "https://example.com"}),
        ("GET", "/_log", {"Origin": "https://example.com"}),
        ("GET", "/_log", {"Host": "rebound.example.com"}),
        ("POST", "/v1/messages", {"Host": "rebound.example.com:80"}),
    ],
)
def test_web_pages_are_refused(method: str, path: str, headers: dict[str, str]) -> None:
    with LabServer([{"text": "a"}]) as lab:
        assert request(lab.url, method, path, [{"text": "b"}], headers).status == 403
        assert b'"a"' in ask(lab.url, "chat").body


ERRORS = {
    "anthropic": lambda body: (body["type"], body["error"]["type"]),
    "responses": lambda body: (body["error"]["type"], body["error"]["param"]),
    "chat": lambda body: (body["error"]["type"], body["error"]["param"]),
    "gemini": lambda body: (body["error"]["code"], body["error"]["status"]),
}
REFUSALS = {
    "anthropic": ("error", "invalid_request_error"),
    "responses": ("invalid_request_error", None),
    "chat": ("invalid_request_error", None),
    "gemini": (400, "INVALID_ARGUMENT"),
}


@pytest.mark.parametrize("dialect", SPEECHES)
@pytest.mark.parametrize("body", [b"{not json", b"[]", b"{}", b"\xff", b"[" * 100_000])
def test_a_bad_request_gets_the_error_of_its_dialect(dialect: str, body: bytes) -> None:
    with LabServer([{"text": "a"}]) as lab:
        reply = request(lab.url, "POST", SPEECHES[dialect].whole, body)
        assert ask(lab.url, dialect).status == 200
    assert reply.status == 400
    assert ERRORS[dialect](reply.json) == REFUSALS[dialect]


@pytest.mark.parametrize("dialect", SPEECHES)
def test_a_body_that_is_too_large_is_not_read(dialect: str) -> None:
    head = f"POST {SPEECHES[dialect].whole} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    with LabServer([{"text": "a"}]) as lab, open_line(lab.url) as line:
        line.sendall(f"{head}Content-Length: {MAX_BODY + 1}\r\n\r\n".encode())
        told = until_end(line)
    assert told.startswith(b"HTTP/1.1 413 ")
    assert json.loads(told.partition(b"\r\n\r\n")[2])["error"]["message"]


def test_chunks_and_compression_are_understood() -> None:
    speech = SPEECHES["anthropic"]
    packed = gzip.compress(json.dumps(speech.body).encode())
    head = f"POST {speech.whole} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    head += "Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"
    chunk = f"{len(packed):x}\r\n".encode() + packed + b"\r\n0\r\n\r\n"
    with LabServer([{"text": "a"}]) as lab, open_line(lab.url) as line:
        line.sendall(head.encode() + chunk)
        assert until_end(line).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    "noise", [b"\x16\x03\x01 hello\r\n\r\n", b"GET\r\n\r\n", b"BREW / HTTP/1.1\r\n\r\n"]
)
def test_what_is_no_request_gets_an_answer_and_harms_nobody(noise: bytes) -> None:
    with LabServer([{"text": "a"}]) as lab:
        with open_line(lab.url) as line:
            line.sendall(noise)
            line.shutdown(socket.SHUT_WR)
            assert b"message" in until_end(line)
        assert ask(lab.url, "chat").status == 200


def test_other_paths_and_methods() -> None:
    with LabServer([{"text": "a"}]) as lab:
        assert request(lab.url, "GET", "/v1/models").json["data"][0]["id"] == "scripted"
        assert request(lab.url, "HEAD", "/").status == 200
        assert request(lab.url, "GET", "/nowhere").status == 404
        assert request(lab.url, "POST", "/nowhere", {}).status == 404
        assert request(lab.url, "GET", "/v1/messages").json["type"] == "error"
        count = request(lab.url, "POST", "/v1/messages/count_tokens", {"a": "b" * 400})
        assert count.json["input_tokens"] > 100
        path = "/v1beta/models/m:countTokens"
        assert request(lab.url, "POST", path, {"a": "b" * 400}).json["totalTokens"] > 100
        assert [seen.place for seen in lab.requests] == [None] * 7


def test_connections_are_kept_for_the_next_request() -> None:
    speech = SPEECHES["anthropic"]
    body = json.dumps(speech.body).encode()
    head = f"POST {speech.whole} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n"
    with LabServer([{"text": "first"}, {"text": "second"}]) as lab, open_line(lab.url) as line:
        line.sendall(f"{head}\r\n".encode() + body)
        line.sendall(f"{head}Connection: close\r\n\r\n".encode() + body)
        told = until_end(line)
    assert told.index(b"first") < told.index(b"second")


def conversation(url: str, number: int) -> list[str]:
    """Hold a conversation of four turns, and try again whenever something goes wrong."""
    messages: list[dict[str, str]] = [{"role": "user", "content": f"worker {number}"}]
    heard: list[str] = []
    while len(heard) < 8:
        reply = ask(url, "anthropic", more={"messages": messages})
        if reply.status != 200:
            heard.append(str(reply.status))
            continue
        text = reply.json["content"][0]["text"]
        heard.append(text)
        messages += [{"role": "assistant", "content": text}, {"role": "user", "content": "go on"}]
    return heard


def test_six_workers_at_once_do_not_disturb_each_other() -> None:
    scenarios = [
        {
            "match": f"worker {number}\\b",
            "turns": [
                {"text": f"{number}-a"},
                {"status": 500, "times": 2},
                {"text": f"{number}-b"},
                {"status": 503},
                {"text": f"{number}-c"},
            ],
        }
        for number in range(WORKERS)
    ]
    script = {"cursor": "history", "scenarios": scenarios}
    with LabServer(script) as lab, ThreadPoolExecutor(WORKERS) as pool:
        heard = list(pool.map(conversation, [lab.url] * WORKERS, range(WORKERS)))
        assert len(lab.requests) == 8 * WORKERS
    for number, told in enumerate(heard):
        a, b, c = (f"{number}-{letter}" for letter in "abc")
        assert told == [a, "500", "500", b, "503", c, c, c]


def test_workers_with_the_same_script_each_meet_the_same_trouble() -> None:
    turns = [{"text": "a"}, {"status": 500, "times": 2}, {"text": "b"}]
    script = {"cursor": "history", "scenarios": [{"turns": turns}]}
    with LabServer(script) as lab, ThreadPoolExecutor(WORKERS) as pool:
        heard = list(pool.map(conversation, [lab.url] * WORKERS, range(WORKERS)))
    assert heard == [["a", "500", "500", "b", "b", "b", "b", "b"]] * WORKERS


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the recorded runs are not on this machine")
def test_every_path_that_a_real_cli_asked_for_is_known() -> None:
    recorded = [json.loads(file.read_text()) for file in FIXTURES.glob("*/*.meta.json")]
    asked = {one[0] for it in recorded for one in it.get("requests", []) if one[1] == 200}
    posts = sorted(one.removeprefix("POST ") for one in asked if one.startswith("POST "))
    assert len(posts) >= 3
    with LabServer([{"text": "a"}]) as lab:
        statuses = {path: request(lab.url, "POST", path, {}).status for path in posts}
    assert set(statuses.values()) <= {200, 400}
