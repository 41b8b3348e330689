"""What is particular to containers: who dies with whom, what the engine learns, what it keeps."""

import asyncio
import errno
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from tests.integration.sandboxes.busy_program import BUSY
from tests.integration.sandboxes.containers.engines import TestEngine

from supervisor_ai.domain.run.definition import EXECUTOR_LIMITS, MIB
from supervisor_ai.domain.run.values import EgressRefusal, Hardness
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import (
    BrokerRoute,
    Egress,
    Profile,
    SandboxEnd,
    SandboxSpec,
)
from supervisor_ai.sandboxes.containers.sandbox import ContainerSandbox
from supervisor_ai.sandboxes.processes.live_process import parent_of
from supervisor_ai.testing.sandbox_suite import LINGER, Ear, OnSandbox

HOARD = "import time; x = [bytearray(1 << 20) for _ in range(100)]; time.sleep(60)"
IMAGES = ("images", "--quiet", "--filter", "reference=*/*hostroot*")
OWNER = """
import asyncio, os, sys
from pathlib import Path
from supervisor_ai.sandboxes.containers import sandbox
from supervisor_ai.testing.sandbox_suite import LINGER, OnSandbox

class Owner(OnSandbox):
    ground = Path(sys.argv[2])
    sandbox = getattr(sandbox, sys.argv[1])(
        state=Path(sys.argv[2], "state"), environment=os.environ, options=sys.argv[3:]
    )

owner = Owner()
asyncio.run(owner.sandbox.run(owner.spec(*LINGER), lambda _, piece: print("ready", flush=True)))
"""
FORBIDDEN = """
import ctypes, json, os, signal
libc = ctypes.CDLL(None, use_errno=True)
def attempt(*numbers):
    result = libc.syscall(*[ctypes.c_long(number) for number in numbers])
    return ctypes.get_errno() if result == -1 else 0
calls = {
    "clone": (56, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0),
    "clone, high half": (56, 1 << 32 | 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0),
    "clone3": (435, 0, 0),
    "TIOCSTI": (16, 0, 0x5412, 0),
    "TIOCSTI, high half": (16, 0, 1 << 32 | 0x5412, 0),
    "vsock": (41, 40, 1, 0),
    "vsock, high half": (41, 1 << 32 | 40, 1, 0),
    "packet": (41, 17, 3, 0),
    "ptrace": (101, 0, 0, 0, 0),
    "keyctl": (250, 0, 0, 0, 0, 0),
    "bpf": (321, 0, 0, 0),
    "io_uring": (425, 1, 0),
    "mount": (165, 0, 0, 0, 0, 0),
}
found = {name: attempt(*numbers) for name, numbers in calls.items()}
child = os.fork()
if child == 0:
    attempt(0x40000000 | 39)
    os._exit(0)
found["x32"] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(json.dumps(found))
"""


@contextmanager
def upstream() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Serve on the loopback interface what a broker may ask for."""
    asked: list[tuple[str, str]] = []

    class Service(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            asked.append((self.path, self.headers["x-api-key"]))
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", "12")
            self.end_headers()
            self.wfile.write(b'{"ok": true}')

        def log_message(self, *_: object) -> None:  # type: ignore[explicit-override]
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Service) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


def commands() -> dict[bytes, int]:
    """Return the words of every process on this machine, and its number."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            found[(process / "cmdline").read_bytes()] = int(process.name)
    return found


class ContainerSuite(OnSandbox):
    """Tests for an engine, which a subclass gives."""

    engine: TestEngine

    def make(self, state: str = "state") -> ContainerSandbox:
        return self.engine.sandbox(self.ground / state)

    def ask(self, *words: str) -> str:
        command = [self.sandbox.name, *self.engine.options, *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def while_it_runs(self, spec: SandboxSpec, look: Callable[[str], None]) -> SandboxEnd:
        """Look at a container, by its name, when its command has spoken; return how it ends."""

        async def scenario() -> SandboxEnd:
            ear = Ear()
            task = asyncio.create_task(self.sandbox.run(spec, ear))
            async with asyncio.timeout(60):
                await ear.has_heard.wait()
            await asyncio.to_thread(look, self.ask("ps", "--format", "{{.Names}}"))
            return (await task).end

        return asyncio.run(scenario())

    def nothing_is_left(self) -> None:
        assert self.ask("ps", "--all", "--quiet") == ""
        assert list((self.ground / "state/containers").iterdir()) == []

    def test_what_a_live_container_has_used_is_told_from_outside(self) -> None:
        async def scenario() -> None:
            ear, words = Ear(), self.spec("python3", "-c", BUSY)
            assert await self.sandbox.cpu_time(words.label) is None
            task = asyncio.create_task(self.sandbox.run(words, ear))
            await ear.has_heard.wait()
            used = await self.sandbox.cpu_time(words.label)
            assert used is not None
            assert used >= timedelta(seconds=0.5)
            assert await self.sandbox.cpu_time("another/step") is None
            task.cancel()
            await asyncio.wait([task])
            assert await self.sandbox.cpu_time(words.label) is None

        asyncio.run(scenario())

    def test_the_numbers_of_the_engine_are_the_command_s_own_too(self) -> None:
        for code in (125, 127):
            result, _ = self.shell(f"exit {code}")
            assert (result.end, result.exit_code) == (SandboxEnd.EXITED, code)

    def test_an_engine_that_fails_is_no_result_of_the_command(self) -> None:
        self.shell("true")
        self.ask("rmi", "--force", *self.ask(*IMAGES).split())
        failed, ear = self.shell("echo said")
        assert (failed.end, failed.exit_code, ear.output) == (SandboxEnd.SANDBOX_FAILED, None, b"")
        again, _ = self.shell("true")
        assert again.exit_code == 0

    def test_what_is_said_to_the_command_is_said_to_nobody_else(self) -> None:
        secrets = ("in-the-environment", "in-the-argument", "in-the-input")

        def look(name: str) -> None:
            recorded = self.ask("inspect", name)
            assert name in recorded
            assert not [secret for secret in secrets if secret in recorded]
            engines = [words for words in commands() if name.encode() in words]
            assert engines
            assert not [secret for secret in secrets if secret.encode() in b" ".join(engines)]

        spec = self.spec("sh", "-c", "echo ready; cat; exec sleep 1", secrets[1])
        spec = replace(spec, environment={"KEY": secrets[0]}, stdin=secrets[2].encode())
        assert self.while_it_runs(spec, look) is SandboxEnd.EXITED

    def test_a_container_whose_client_is_killed_is_served_to_its_end(self) -> None:
        def look(name: str) -> None:
            named = [pid for words, pid in commands().items() if name.encode() in words]
            (client,) = [pid for pid in named if parent_of(pid) == os.getpid()]
            os.kill(client, signal.SIGKILL)

        spec = self.spec("sh", "-c", "echo ready; sleep 1; echo done > done")
        assert self.while_it_runs(spec, look) is SandboxEnd.EXITED
        assert (spec.cwd / "done").exists()
        self.nothing_is_left()

    def test_a_container_dies_with_its_supervisor_and_is_swept_up_after_it(self) -> None:
        words = [
            sys.executable,
            "-c",
            OWNER,
            self.engine.kind.__name__,
            str(self.ground),
            *self.engine.options,
        ]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as owner:
            assert owner.stdout is not None
            assert owner.stdout.readline() == b"ready\n"
            name = self.ask("ps", "--format", "{{.Names}}")
            keeper = os.pidfd_open(int(self.ask("inspect", "--format", "{{.State.Pid}}", name)))
            owner.kill()
        ended, _, _ = select.select([keeper], [], [], 30)
        os.close(keeper)
        assert ended
        assert asyncio.run(self.sandbox.reap("run-1/", before=1)) == 0
        self.nothing_is_left()

    def test_only_who_comes_before_is_reaped_whatever_the_label(self) -> None:
        label = "run 1/ü\t=,\n"

        def look(_: str) -> None:
            assert asyncio.run(self.make("other").reap("", before=9)) == 0
            sandbox = self.make()
            assert asyncio.run(sandbox.reap(label, before=3)) == 0
            assert asyncio.run(sandbox.reap(f"{label}x", before=4)) == 0
            assert asyncio.run(sandbox.reap(label, before=4)) == 1

        spec = replace(self.spec(*LINGER), label=label, fence=3)
        assert self.while_it_runs(spec, look) is SandboxEnd.SANDBOX_FAILED
        self.nothing_is_left()

    def test_who_uses_too_much_is_told_which_limit(self) -> None:
        limits = replace(EXECUTOR_LIMITS, memory=64 * MIB, processes=24, file_size=MIB)
        for name, script in (
            ("memory", f"exec python3 -c '{HOARD}'"),
            ("processes", "for i in $(seq 40); do sleep 60 & done; wait"),
            ("file_size", "exec head -c 2000000 /dev/zero > file"),
        ):
            spec = replace(self.spec("sh", "-c", script), limits=limits)
            result, ear = self.run(spec)
            assert result.end is SandboxEnd.LIMIT_EXCEEDED, (name, result, ear.heard)
            assert f"sandbox.limits.executor.{name}" in result.reason
        quiet, _ = self.run(replace(self.spec("true"), limits=limits))
        assert quiet.exit_code == 0

    @pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86_64")
    def test_forbidden_calls_are_refused_by_the_kernel(self) -> None:
        result, ear = self.run(self.spec("python3", "-c", FORBIDDEN))
        assert result.exit_code == 0, ear.heard
        found = json.loads(ear.output)
        assert found.pop("clone3") == errno.ENOSYS
        assert found.pop("x32") == -signal.SIGSYS
        families = {name: found.pop(name) for name in ("vsock", "vsock, high half", "packet")}
        assert set(families.values()) == {errno.EAFNOSUPPORT}
        assert set(found.values()) == {errno.EPERM}, found

    def test_the_only_way_out_is_the_door(self) -> None:
        refusals: list[EgressRefusal] = []
        with upstream() as (address, asked):
            route = BrokerRoute(
                upstream=address,
                paths=("POST /v1/messages",),
                header="x-api-key",
                secret="the-real-key",
                is_local=True,
            )
            egress = Egress(
                on_refusal=refusals.append, broker=route, broker_variables=("BASE_URL",)
            )
            script = (
                "import os, urllib.request as r, urllib.error as e\n"
                "base = os.environ['BASE_URL']\n"
                "print(r.urlopen(r.Request(base + '/v1/messages', b'{}')).read().decode())\n"
                "try: r.urlopen(base + '/v1/files')\n"
                "except e.HTTPError as error: print(error.code)\n"
            )
            spec = replace(self.spec("python3", "-c", script), egress=egress)
            result, ear = self.run(replace(spec, profile=Profile.WORKER))
            assert (result.exit_code, ear.output) == (0, b'{"ok": true}\n403\n'), ear.heard
            assert asked == [("/v1/messages", "the-real-key")]
            assert len(refusals) == 1
            missing, _ = self.run(replace(spec, argv=("no-such-command",)))
            assert missing.end is SandboxEnd.COMMAND_MISSING

    def test_the_proof_is_kept_and_tells_how_limits_are_kept(self) -> None:
        first = asyncio.run(self.sandbox.probe())
        assert first.is_usable, first
        assert first.version[0].isdigit()
        hardness = {finding.name: finding.hardness for finding in first.limits}
        assert hardness["memory"] == self.shell("true")[0].limits
        assert hardness["file_size"] is Hardness.HARD
        record = self.ground / f"state/proof-{first.backend}.json"
        kept = record.stat().st_mtime_ns
        assert asyncio.run(self.make().probe()) == first
        assert record.stat().st_mtime_ns == kept


class TestPodman(ContainerSuite):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path, podman: TestEngine) -> None:
        self.ground, self.engine = tmp_path, podman
        self.sandbox = self.make()


@pytest.mark.long
class TestDocker(ContainerSuite):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path, docker: TestEngine) -> None:
        self.ground, self.engine = tmp_path, docker
        self.sandbox = self.make()
