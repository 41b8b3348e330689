"""Observations of a process while it runs."""

import json
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.workers.clis.recorded_lines import RECORDS

from supervisor_ai.domain.run.values import Usage
from supervisor_ai.engine.ports.sandbox import Channel
from supervisor_ai.engine.ports.workers import (
    Observation,
    ToolCalled,
    UsageSeen,
    WorkerFinished,
    WorkerRetried,
    WorkerSaid,
    WorkerStarted,
)
from supervisor_ai.workers.agents import DIALECTS
from supervisor_ai.workers.output.streams import LineBuffer

RUNS: Final = Path(__file__).parents[3] / "fixtures" / "clis"
ANSWER: Final = 'Done.\n```json\n{"status":"ok","files":["hello.py"]}\n```'
CHECK: Final = "python3 -c 'import hello; print(hello.greet())'"


def observed(cli: str, case: str, *, size: int = 1 << 20) -> list[Observation]:
    reader = DIALECTS[cli].reader()
    found: list[Observation] = []
    for channel in Channel:
        output = (RUNS / cli / f"{case}.{channel}").read_bytes()
        for start in range(0, len(output), size):
            found += reader.feed(channel, output[start : start + size])
    return found


def test_claude_is_followed_from_its_start_to_its_end() -> None:
    assert observed("claude", "success_edit_stream") == [
        WorkerStarted(session="1accbab4-f5a8-442f-903d-2df87e0af081", model="claude-opus-5-5"),
        WorkerSaid(text="Reading first."),
        ToolCalled(name="Read", detail="/workspace/hello.py"),
        ToolCalled(name="Edit", detail="/workspace/hello.py"),
        ToolCalled(name="Write", detail="/workspace/new.txt"),
        ToolCalled(name="Bash", detail=CHECK),
        WorkerSaid(text=ANSWER),
        UsageSeen(
            usage=Usage(
                tokens_in=1650,
                tokens_out=90,
                cost=Decimal("0.0048"),
                cache_read=1000,
                cache_write=200,
            )
        ),
        WorkerFinished(message="success"),
    ]


def test_codex_is_followed_from_its_start_to_its_end() -> None:
    assert observed("codex", "success_edit_json") == [
        WorkerStarted(session="01a1e074-77bc-7102-b684-9a7da4320c10"),
        WorkerSaid(text="Patching."),
        ToolCalled(name="file_change", detail="/workspace/hello.py, /workspace/new.txt"),
        ToolCalled(name="command_execution", detail=f'/bin/bash -lc "{CHECK}"'),
        WorkerSaid(text=ANSWER),
        UsageSeen(usage=Usage(tokens_in=250, tokens_out=50, cache_read=30)),
        WorkerFinished(message="turn.completed"),
    ]


def test_gemini_is_followed_from_its_start_to_its_end() -> None:
    assert observed("gemini", "success_edit_stream") == [
        WorkerStarted(session="ab85eef9-5673-4bed-ae02-d67341dcdad0", model="gemini-2.5-flash"),
        WorkerSaid(text="Reading first."),
        ToolCalled(name="read_file", detail="hello.py"),
        ToolCalled(name="replace", detail="hello.py"),
        ToolCalled(name="write_file", detail="new.txt"),
        ToolCalled(name="run_shell_command", detail=CHECK),
        WorkerSaid(text=ANSWER),
        UsageSeen(usage=Usage(tokens_in=450, tokens_out=90, cache_read=30)),
        WorkerFinished(message="success"),
    ]


def test_the_steps_of_opencode_are_added_up_and_it_starts_once() -> None:
    found = observed("opencode", "success_edit_json")
    starts = [it for it in found if isinstance(it, WorkerStarted)]
    usages = [it.usage for it in found if isinstance(it, UsageSeen)]
    assert [start.session for start in starts] == ["ses_e1f729b40ffetxiPkAJ5Jpjd6V"]
    assert usages == [
        Usage(tokens_in=100, tokens_out=20),
        Usage(tokens_in=200, tokens_out=40),
    ]
    assert ToolCalled(name="write", detail="/workspace/new.txt") in found
    assert found[-1] == WorkerFinished(message="stop")


def test_qwen_counts_its_own_way() -> None:
    assert observed("qwen", "structured_stream")[-2:] == [
        UsageSeen(usage=Usage(tokens_in=100, tokens_out=20)),
        WorkerFinished(message="success"),
    ]


RETRIES: Final = [
    (
        *("claude", "http_429_twice_then_ok"),
        WorkerRetried(attempt=2, reason="rate_limit (429)", after=timedelta(seconds=2)),
    ),
    (
        *("codex", "http_429_twice_then_ok"),
        WorkerRetried(
            attempt=2,
            reason="Reconnecting... 2/5 (exceeded retry limit, last status: 429 Too Many Requests)",
        ),
    ),
    (
        *("codex", "conn_refused"),
        WorkerRetried(
            attempt=0,
            reason="Reconnecting... waiting for network (Connection failed: error sending request)",
        ),
    ),
]


@pytest.mark.parametrize(("cli", "case", "last"), RETRIES)
def test_a_retry_of_its_own_is_seen(cli: str, case: str, last: WorkerRetried) -> None:
    retries = [it for it in observed(cli, case) if isinstance(it, WorkerRetried)]
    assert len(retries) >= 2
    assert retries[-1] == last


def test_gemini_tells_of_its_retries_on_stderr() -> None:
    retries = [
        it for it in observed("gemini", "http_429_twice_then_ok") if isinstance(it, WorkerRetried)
    ]
    assert [it.attempt for it in retries] == [1, 2]
    assert retries[0].reason.startswith("with status 429")


@pytest.mark.parametrize(
    ("cli", "case", "message"),
    [
        ("claude", "max_turns_stream", "Reached maximum number of turns (3)"),
        ("codex", "conn_refused_bounded", "Connection failed: error sending request"),
        ("opencode", "http_401", "Incorrect API key provided: test-key."),
    ],
)
def test_a_bad_end_says_why(cli: str, case: str, message: str) -> None:
    assert observed(cli, case)[-1] == WorkerFinished(message=message)


@pytest.mark.parametrize("size", [1, 7, 4096])
@pytest.mark.parametrize(
    ("cli", "case"),
    [
        ("claude", "success_edit_stream"),
        ("codex", "success_edit_json"),
        ("gemini", "http_429_twice_then_ok"),
    ],
)
def test_it_does_not_matter_where_pieces_are_cut(cli: str, case: str, size: int) -> None:
    assert observed(cli, case, size=size) == observed(cli, case)


def test_a_piece_is_taken_in_even_if_nobody_looks() -> None:
    reader = DIALECTS["codex"].reader()
    reader.feed(Channel.STDOUT, b'{"type":"thread.started",')
    assert list(reader.feed(Channel.STDOUT, b'"thread_id":"t"}\n')) == [WorkerStarted(session="t")]


def test_the_channels_are_kept_apart() -> None:
    reader = DIALECTS["codex"].reader()
    reader.feed(Channel.STDOUT, b'{"type":"thread.started",')
    assert list(reader.feed(Channel.STDERR, b"ERROR\n")) == []
    assert list(reader.feed(Channel.STDOUT, b'"thread_id":"t"}\n')) == [WorkerStarted(session="t")]


GARBAGE: Final = [
    b"\n\n",
    b"Warning: nonsense\n",
    b"{broken\n",
    b'{"type":}\n',
    b"[1,2]\n",
    b'"text"\n',
    b"\xff\xfe\x00\n",
    b'{"type":"assistant","message":7}\n',
    b'{"type":"item.completed","item":[]}\n',
    b'{"type":"system","subtype":"init","session_id":5}\n',
    b"[" * 100_000 + b"\n",
    b'{"a":' * 100_000 + b"\n",
    b'{"type":"result","usage":{"input_tokens":1e999}}\n',
    b'{"type":"result","usage":{"input_tokens":' + b"9" * 5000 + b"}}\n",
]


@pytest.mark.parametrize("cli", DIALECTS)
def test_garbage_is_passed_over(cli: str) -> None:
    reader = DIALECTS[cli].reader()
    for piece in GARBAGE:
        for channel in Channel:
            list(reader.feed(channel, piece))
    text = b'{"type":"text","part":{"text":"still here"}}\n'
    text += b'{"type":"message","role":"assistant","content":"still here"}\n'
    text += b'{"type":"assistant","message":{"content":[{"type":"text","text":"still here"}]}}\n'
    text += b'{"type":"item.completed","item":{"type":"agent_message","text":"still here"}}\n'
    assert list(reader.feed(Channel.STDOUT, text)) == [WorkerSaid(text="still here")]


def test_a_line_without_end_is_not_kept() -> None:
    lines = LineBuffer(limit=10)
    assert list(lines.feed(b"x" * 8)) == []
    assert list(lines.feed(b"x" * 8)) == []
    assert len(lines._open) <= 10
    assert list(lines.feed(b"xx\nshort\n")) == ["short"]


def test_what_is_shown_is_harmless_and_short() -> None:
    message = {"content": [{"type": "text", "text": "\x1b[2Jhello\nyou"}]}
    record = {"type": "assistant", "message": message}
    call = {"type": "tool_use", "name": "B\x1b[0mash", "input": {"command": "a\nb " * 500}}
    message["content"].append(call)  # type: ignore[arg-type]
    reader = DIALECTS["claude"].reader()
    said, called = reader.feed(Channel.STDOUT, json.dumps(record).encode() + b"\n")
    assert said == WorkerSaid(text="hello\nyou")
    assert isinstance(called, ToolCalled)
    assert called.name == "Bash"
    assert called.detail.startswith("a b a b")
    assert len(called.detail) <= 240


@given(st.lists(RECORDS | st.text(max_size=20), max_size=6), st.sampled_from(sorted(DIALECTS)))
def test_no_output_can_break_a_reader(lines: list[str], cli: str) -> None:
    reader = DIALECTS[cli].reader()
    chunk = "\n".join([*lines, ""]).encode(errors="surrogatepass")
    for channel in Channel:
        list(reader.feed(channel, chunk))
