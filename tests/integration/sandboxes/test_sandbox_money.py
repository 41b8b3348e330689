"""A model that talks for ever is stopped by money, in a real sandbox, with all who listen."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import Final

import pytest
from tests.support.known_tools import known_tools
from tests.support.plain_machine import plain_environment

from supervisor_ai.domain.run.spending.prices import CostCap, Price
from supervisor_ai.domain.run.values import Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import BrokerRoute, Egress, SandboxEnd, SandboxSpec
from supervisor_ai.lab.server import LabServer
from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox
from supervisor_ai.testing.sandbox_suite import OnSandbox

LIMIT: Final = Decimal("0.02")
PRICE: Final = Price(
    input=Decimal(3), output=Decimal(15), cache_read=Decimal("0.3"), cache_write=Decimal("3.75")
)
ASK: Final = """
import json, os, sys, threading, urllib.error, urllib.request
body = json.dumps({
    "model": "m", "max_tokens": 9, "stream": True, "tools": [{"name": "t"}],
    "messages": [{"role": "user", "content": "x"}],
}).encode()
def ask():
    url = os.environ["MODEL_URL"] + "/v1/messages"
    asked = urllib.request.Request(url, data=body, headers={"content-type": "application/json"})
    try:
        with urllib.request.urlopen(asked, timeout=60) as answer:
            while answer.read1(4096):
                pass
    except urllib.error.HTTPError as error:
        print(error.code, flush=True)
for thread in [threading.Thread(target=ask) for _ in range(int(sys.argv[1]))]:
    thread.start()
"""
_WORDS: Final = b'data: {"choices": [{"delta": {"content": "Once upon a time there was. "}}]}\n\n'
_HEAD: Final = b"HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"


class _Talk(StreamRequestHandler):
    """Talks until nobody listens any more, and never says what that costs."""

    def handle(self) -> None:  # type: ignore[explicit-override]
        while self.rfile.readline().strip():
            pass
        with suppress(OSError):
            self.wfile.write(_HEAD)
            while True:
                self.wfile.write(_WORDS)


class _Talker(ThreadingTCPServer):
    daemon_threads = True


@contextmanager
def talker() -> Iterator[str]:
    with _Talker(("127.0.0.1", 0), _Talk) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


class TestMoney(OnSandbox):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path) -> None:
        self.ground = tmp_path
        self.sandbox = BubblewrapSandbox(
            state=known_tools(tmp_path / "state"), environment=plain_environment()
        )

    def asking(self, url: str, times: int, limit: Decimal | None = LIMIT) -> SandboxSpec:
        route = BrokerRoute(
            upstream=url,
            paths=("POST /v1/messages",),
            header="x-api-key",
            secret="the-real-key",
            is_local=True,
        )
        egress = Egress(
            on_refusal=print,
            broker=route,
            broker_variables=("MODEL_URL",),
            cost_cap=None if limit is None else CostCap(limit=limit, price=PRICE),
        )
        spec = self.spec("python3", "-c", ASK, str(times))
        return replace(spec, egress=egress, timeout=timedelta(minutes=2))

    @pytest.mark.parametrize("times", [1, 4])
    def test_a_model_that_never_ends_is_cut_off_by_money(self, times: int) -> None:
        with talker() as url:
            result, _ = self.run(self.asking(url, times))
        assert (result.end, result.exit_code) == (SandboxEnd.CUT_OFF, None), result
        spent = PRICE.of(result.usage)
        # No more than what one reading of each socket brings: 64 KiB with their envelopes.
        assert LIMIT <= spent <= LIMIT + times * PRICE.of(Usage(tokens_out=(1 << 16) // 10))
        assert result.usage.estimated
        told = "$" + f"{spent:.6f}".rstrip("0")
        assert result.reason == (
            f"The command was cut off when it had spent {told} of the $0.02 that were reserved "
            "for it."
        )
        assert asyncio.run(self.sandbox.reap("", before=1)) == 0

    def test_the_end_of_a_limit_is_reported(self) -> None:
        with LabServer([{"status": 429, "reset": 7200, "times": -1}]) as lab:
            result, ear = self.run(self.asking(lab.url, 1, None))
        assert (result.exit_code, ear.output) == (0, b"429\n"), result
        assert result.reset_at is not None
        away = result.reset_at - datetime.now(UTC)
        assert timedelta(minutes=118) < away <= timedelta(minutes=121)

    def test_without_a_limit_there_is_no_end_of_one(self) -> None:
        with LabServer([{"text": "Hello."}]) as lab:
            result, _ = self.run(self.asking(lab.url, 1))
        assert (result.exit_code, result.reset_at) == (0, None)
        assert not result.usage.estimated
