"""What every sandbox must do about ways out, as tests for a subclass.

The only servers here are those of a test, on the loopback interface.
"""
# ruff: noqa: D102, PLR2004, S101 - a test's name is its sentence; it asserts and states numbers

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import ClassVar, Final

from msgspec import Struct, field

from supervisor_ai.domain.run.values import NO_USAGE, EgressRefusal, Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import (
    BrokerRoute,
    Channel,
    Egress,
    SandboxEnd,
    SandboxSpec,
)
from supervisor_ai.testing.sandbox_suite import OnSandbox

SECRET: Final = "the-real-key"  # noqa: S105 - of nothing
TOKENS: Final = 30

ASK: Final = """
import os, sys, urllib.error, urllib.request
url = os.environ["MODEL_URL"] + sys.argv[1]
asked = urllib.request.Request(url, data=b"{}", headers={"x-api-key": "placeholder"})
for _ in range(int(sys.argv[2])):
    try:
        with urllib.request.urlopen(asked, timeout=20) as answer:
            print(answer.status, answer.read().decode(), flush=True)
    except urllib.error.HTTPError as error:
        print(error.code, flush=True)
"""
"""Asks the model as often as it is told to."""

CONNECT: Final = """
import socket, sys
with socket.create_connection(("127.0.0.1", 3128), 20) as way:
    way.sendall(f"CONNECT {sys.argv[1]} HTTP/1.1\\r\\nHost: {sys.argv[1]}\\r\\n\\r\\n".encode())
    print(way.recv(64).decode().splitlines()[0])
"""
"""Asks the proxy for a way to a host."""

WANDER: Final = """
import socket, sys
for address in ("127.0.0.1", int(sys.argv[1])), ("localhost", int(sys.argv[1])):
    try:
        socket.create_connection(address, 2).close()
        print("reached", address)
    except OSError:
        pass
try:
    print("resolved", socket.getaddrinfo("allowed.test", 443))
except OSError:
    pass
print(sorted(name for _, name in socket.if_nameindex()))
"""
"""Tries every way that is not the door."""


class Upstream(Struct, frozen=True, kw_only=True):
    """A model's server on this machine, and the keys that it was shown."""

    port: int
    keys: list[str] = field(default_factory=list)


@contextmanager
def upstream() -> Iterator[Upstream]:
    """Answer every request with how many tokens it cost."""
    keys: list[str] = []

    class Answer(BaseHTTPRequestHandler):
        said: ClassVar = {"text": "hello", "usage": {"input_tokens": 10, "output_tokens": 20}}

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            keys.append(self.headers["x-api-key"])
            body = json.dumps(self.said).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        # The ignored code asks for typing.override, which Python 3.11 does not have.
        def log_message(self, *_: object) -> None:  # type: ignore[explicit-override]
            """Keep quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield Upstream(port=server.server_port, keys=keys)
        finally:
            server.shutdown()
            thread.join()


class EgressSuite(OnSandbox):
    """A command gets out by the given ways, and by no other."""

    def leaving(
        self,
        *argv: str,
        port: int = 1,
        tokens: int | None = None,
        refusals: list[EgressRefusal] | None = None,
    ) -> SandboxSpec:
        """Describe a command that may ask the model and reach one host."""
        route = BrokerRoute(
            upstream=f"http://127.0.0.1:{port}",
            paths=("POST /v1/messages",),
            header="x-api-key",
            secret=SECRET,
            is_local=True,
        )
        egress = Egress(
            on_refusal=(refusals if refusals is not None else []).append,
            allow=("allowed.test:443",),
            broker=route,
            broker_variables=("MODEL_URL",),
            tokens=tokens,
        )
        return replace(self.spec(*argv), egress=egress)

    def test_the_model_is_asked_with_a_key_that_the_command_never_sees(self) -> None:
        refusals: list[EgressRefusal] = []
        with upstream() as model:
            argv = ("python3", "-c", ASK, "/v1/messages", "1")
            result, ear = self.run(self.leaving(*argv, port=model.port, refusals=refusals))
        assert ear.output.startswith(b"200 "), (result, ear.heard)
        assert (result.exit_code, model.keys, refusals) == (0, [SECRET], [])
        assert result.usage == Usage(tokens_in=10, tokens_out=20)
        _, seen = self.run(self.leaving("sh", "-c", "env; cat /proc/[0-9]*/cmdline"))
        assert SECRET.encode() not in seen.output

    def test_a_request_that_is_not_listed_is_refused_and_told(self) -> None:
        refusals: list[EgressRefusal] = []
        with upstream() as model:
            argv = ("python3", "-c", ASK, "/v1/files", "1")
            _, ear = self.run(self.leaving(*argv, port=model.port, refusals=refusals))
        assert ear.output == b"403\n"
        assert model.keys == []
        assert [(each.host, each.port) for each in refusals] == [("127.0.0.1", model.port)]

    def test_a_host_that_is_not_listed_is_refused_and_told(self) -> None:
        for target in ("evil.test:443", "allowed.test:80", "127.0.0.1:443"):
            refusals: list[EgressRefusal] = []
            spec = self.leaving("python3", "-c", CONNECT, target, refusals=refusals)
            _, ear = self.run(spec)
            assert b" 403 " in ear.output, ear.heard
            [told] = refusals
            assert f"{told.host}:{told.port}" == target

    def test_there_is_no_way_but_the_door(self) -> None:
        with upstream() as model:
            _, ear = self.run(self.leaving("python3", "-c", WANDER, str(model.port)))
        assert ear.output == b"['lo']\n", ear.heard
        assert model.keys == []

    def test_without_egress_there_is_no_door(self) -> None:
        result, ear = self.run(self.spec("python3", "-c", CONNECT, "allowed.test:443"))
        assert result.exit_code == 1
        assert b"ConnectionRefusedError" in ear.heard[Channel.STDERR]
        assert result.usage == NO_USAGE

    def test_who_has_spent_its_tokens_is_cut_off(self) -> None:
        with upstream() as model:
            argv = ("python3", "-c", ASK, "/v1/messages", "1000")
            spec = self.leaving(*argv, port=model.port, tokens=3 * TOKENS)
            result, _ = self.run(replace(spec, timeout=timedelta(minutes=2)))
        assert (result.end, result.exit_code) == (SandboxEnd.CUT_OFF, None), result
        assert f"{3 * TOKENS} tokens" in result.reason
        assert 3 <= len(model.keys) <= 4
        assert asyncio.run(self.sandbox.reap("", before=1)) == 0

    def test_a_command_behind_a_door_is_like_any_other(self) -> None:
        result, ear = self.run(self.leaving("sh", "-c", "printf out; printf err >&2; exit 7"))
        assert ear.heard == {Channel.STDOUT: b"out", Channel.STDERR: b"err"}
        assert (result.end, result.exit_code) == (SandboxEnd.EXITED, 7)
        result, ear = self.run(replace(self.leaving("cat"), stdin=b"\x00\xff" * 300_000))
        assert (result.exit_code, ear.output) == (0, b"\x00\xff" * 300_000)
        _, ear = self.run(self.leaving("sh", "-c", "ls /proc/self/fd"))
        assert ear.output == b"0\n1\n2\n3\n"

    def test_a_missing_command_behind_a_door_is_named_too(self) -> None:
        result, ear = self.run(self.leaving("no-such-command", "--help"))
        assert (result.end, result.exit_code) == (SandboxEnd.COMMAND_MISSING, None), result
        assert "'no-such-command' cannot be started: No such file" in result.reason
        assert ear.heard == {Channel.STDOUT: b"", Channel.STDERR: b""}

    def test_nothing_leads_a_command_past_the_door(self) -> None:
        given = {"MODEL_URL": "http://evil.test", "https_proxy": "http://evil.test"}
        spec = self.leaving("sh", "-c", "echo $MODEL_URL $https_proxy")
        _, ear = self.run(replace(spec, environment=given))
        assert ear.output == b"http://127.0.0.1:3128 http://127.0.0.1:3128\n"

    def test_time_runs_out_behind_a_door_as_well(self) -> None:
        spec = replace(self.leaving("sleep", "600"), timeout=timedelta(milliseconds=300))
        result, _ = self.run(spec)
        assert result.end is SandboxEnd.TIMED_OUT
        assert asyncio.run(self.sandbox.reap("", before=1)) == 0
