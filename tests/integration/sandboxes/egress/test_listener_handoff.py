"""The hand-off of a listener, with real processes in networks of their own."""

import asyncio
import errno
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

import pytest
from tests.support.processes import PATIENCE

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.run.values import EgressRefusal
from supervisor_ai.engine.ports.sandbox import Egress, SandboxEnd
from supervisor_ai.sandboxes.egress.gateway import PORT, Gateway
from supervisor_ai.sandboxes.egress.listener_handoff import ListenerHandoff, shim_command

NOBODY = 65534
PYTHON = "/usr/bin/python3"
ASK = f"""
import socket
client = socket.create_connection(("127.0.0.1", {PORT}))
client.sendall(b"CONNECT evil.example:443 HTTP/1.1\\r\\n\\r\\n")
print(client.recv(100).decode().splitlines()[0])
"""

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="a network of its own needs root")


def apart(command: tuple[str, ...]) -> list[str]:
    """Run a command in a network that has nothing but its own loopback."""
    return ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "_", *command]


def sandboxed(command: tuple[str, ...]) -> list[str]:
    """Run a command in bubblewrap, as the product will."""
    options = "--ro-bind / / --dev /dev --proc /proc --unshare-user --unshare-net --unshare-pid"
    return ["bwrap", *options.split(), "--die-with-parent", "--", *command]


@contextmanager
def started(
    wrap: Callable[[tuple[str, ...]], list[str]], *command: str, user: int | None = None
) -> Iterator[tuple[ListenerHandoff, subprocess.Popen[str]]]:
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            wrap(shim_command(PYTHON, str(theirs.fileno()), command)),
            pass_fds=[theirs.fileno()],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            user=user,
            text=True,
        )
    doorway = ListenerHandoff(ours)
    with process:
        try:
            yield doorway, process
        finally:
            doorway.close()
            process.kill()


def seen_by_the_door(
    doorway: ListenerHandoff, process: subprocess.Popen[str]
) -> tuple[list[EgressRefusal], str]:
    """Open a door on what is handed over; return what it refused and what the command printed."""
    told: list[EgressRefusal] = []
    failures: list[SandboxEnd | Exception] = []

    async def attend() -> str:
        door = Gateway(Egress(on_refusal=told.append), settle=failures.append)
        await door.open(await doorway.receive())
        assert await doorway.exec_failure() is None
        printed, _ = await asyncio.to_thread(process.communicate, timeout=PATIENCE)
        await door.close()
        return printed

    printed = asyncio.run(attend())
    assert failures == []
    return told, printed


EXPECTED = (
    [EgressRefusal(host="evil.example", port=443, reason="not-listed")],
    "HTTP/1.1 403 Forbidden\n",
)


@needs_root
def test_a_command_reaches_a_door_that_is_held_outside_of_its_network() -> None:
    with started(apart, PYTHON, "-c", ASK) as (doorway, process):
        assert seen_by_the_door(doorway, process) == EXPECTED


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_a_command_in_bubblewrap_of_an_ordinary_user_reaches_the_door() -> None:
    user = NOBODY if os.geteuid() == 0 else None
    with started(sandboxed, PYTHON, "-c", ASK, user=user) as (doorway, process):
        assert seen_by_the_door(doorway, process) == EXPECTED


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_that_a_command_has_begun_is_known_while_it_runs() -> None:
    async def attend(doorway: ListenerHandoff) -> str | None:
        (await doorway.receive()).close()
        return await asyncio.wait_for(doorway.exec_failure(), PATIENCE)

    user = NOBODY if os.geteuid() == 0 else None
    with started(sandboxed, "sleep", "60", user=user) as (doorway, process):
        assert asyncio.run(attend(doorway)) is None
        assert process.poll() is None


@needs_root
@pytest.mark.parametrize(
    ("command", "reason"),
    [("no-such-command", errno.ENOENT), ("/etc/passwd", errno.EACCES), ("/usr", errno.EACCES)],
)
def test_a_command_that_cannot_begin_is_told_from_one_that_fails(command: str, reason: int) -> None:
    async def attend(doorway: ListenerHandoff) -> str | None:
        (await doorway.receive()).close()
        return await doorway.exec_failure()

    with started(apart, command) as (doorway, process):
        assert asyncio.run(attend(doorway)) == os.strerror(reason)
        assert process.wait(30) == 127
    with started(apart, "sh", "-c", "exit 127") as (doorway, process):
        assert asyncio.run(attend(doorway)) is None
        assert process.wait(30) == 127


@needs_root
def test_a_command_begins_as_if_there_had_been_no_shim() -> None:
    look = "import os, signal, sys; print(sorted(map(int, os.listdir('/proc/self/fd')))[:-1])"
    ignored = "grep SigIgn /proc/self/status; ls /proc/self/fd"

    async def attend(doorway: ListenerHandoff) -> None:
        (await doorway.receive()).close()
        assert await doorway.exec_failure() is None

    with started(apart, "sh", "-c", ignored) as (doorway, process):
        asyncio.run(attend(doorway))
        status, *files = process.communicate(timeout=PATIENCE)[0].splitlines()
        # Python ignores these two; who started the tests may have chosen to ignore others.
        by_python = 1 << (signal.SIGPIPE - 1) | 1 << (signal.SIGXFSZ - 1)
        assert not int(status.split()[1], 16) & by_python
        # The last one is how the list itself is read.
        assert files == ["0", "1", "2", "3"]
    with started(apart, PYTHON, "-c", look) as (doorway, process):
        asyncio.run(attend(doorway))
        assert process.communicate(timeout=PATIENCE)[0] == "[0, 1, 2]\n"


@needs_root
def test_a_network_in_which_nobody_can_listen_is_told() -> None:
    take = (
        "import os, socket, sys; taken = socket.create_server(('127.0.0.1', 3128));"
        " taken.set_inheritable(True); os.execvp(sys.argv[1], sys.argv[1:])"
    )

    def occupied(command: tuple[str, ...]) -> list[str]:
        return apart((PYTHON, "-c", take, *command))

    with (
        started(occupied, "true") as (doorway, _),
        pytest.raises(Unavailable, match="could not listen: Address already in use"),
    ):
        asyncio.run(doorway.receive())


def test_a_sandbox_that_ends_first_is_told() -> None:
    ours, theirs = socket.socketpair()
    theirs.close()
    doorway = ListenerHandoff(ours)
    with pytest.raises(Unavailable, match="ended before"):
        asyncio.run(doorway.receive())
    doorway.close()


def open_files() -> Counter[str]:
    """Count what is open; what other tests left to the collector of garbage may go at any time."""
    names: Counter[str] = Counter()
    for path in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            names[str(path.readlink())] += 1
    return names


def listening(family: int, *address: object) -> socket.socket:
    made = socket.socket(family)
    made.bind(address if family != socket.AF_UNIX else "")
    made.listen()
    return made


def v4(host: str) -> socket.socket:
    return listening(socket.AF_INET, host, 0)


GIFTS: dict[str, Callable[[], list[socket.socket | IO[bytes]]]] = {
    "nothing": list,
    "a file": lambda: [Path(os.devnull).open("rb")],  # noqa: SIM115
    "a socket that does not listen": lambda: [socket.socket()],
    "a datagram socket": lambda: [socket.socket(type=socket.SOCK_DGRAM)],
    "a unix listener": lambda: [listening(socket.AF_UNIX)],
    "a listener for everybody": lambda: [v4("0.0.0.0")],  # noqa: S104
    "a listener elsewhere": lambda: [v4("127.0.0.2")],
    "a newer listener": lambda: [listening(socket.AF_INET6, "::1", 0)],
    "two listeners": lambda: [v4("127.0.0.1"), v4("127.0.0.1")],
    "forty files": lambda: [socket.socket() for _ in range(40)],
}
"""What a hostile sandbox might hand over instead of one listener."""


@pytest.mark.parametrize("gift", sorted(GIFTS))
def test_whatever_is_no_single_listener_is_refused_and_closed(gift: str) -> None:
    with ExitStack() as stack:
        files = [one.fileno() for one in GIFTS[gift]() if stack.enter_context(one)]
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(theirs, [b"L"], files)
            before = open_files()
            doorway = ListenerHandoff(ours)
            with pytest.raises(Unavailable, match=r"ended before|could not listen|something else"):
                asyncio.run(doorway.receive())
            assert not open_files() - before
            doorway.close()


def handed_over(theirs: socket.socket) -> None:
    with v4("127.0.0.1") as listener:
        socket.send_fds(theirs, [b"L"], [listener.fileno()])


def test_there_is_one_hand_off_only() -> None:
    async def attend(doorway: ListenerHandoff) -> None:
        (await doorway.receive()).close()
        with pytest.raises(Unavailable, match="already"):
            await doorway.receive()

    ours, theirs = socket.socketpair()
    with theirs:
        handed_over(theirs)
        handed_over(theirs)
        doorway = ListenerHandoff(ours)
        asyncio.run(attend(doorway))
        doorway.close()


def test_the_reason_of_a_failure_is_fit_to_be_shown() -> None:
    async def attend(doorway: ListenerHandoff) -> str | None:
        (await doorway.receive()).close()
        theirs.sendall(b"2 \x1b[31mgone\n" + b"x" * 9000)
        return await doorway.exec_failure()

    ours, theirs = socket.socketpair()
    with theirs:
        handed_over(theirs)
        doorway = ListenerHandoff(ours)
        reason = asyncio.run(attend(doorway))
        doorway.close()
    assert reason is not None
    assert reason.startswith("?[31mgone?xxx")
    assert len(reason) == 200


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a path that is longer than an address may be."""
    deep = tmp_path / ("d" * 120)
    deep.mkdir()
    return deep / "way"


def shim_at(place: Path) -> socket.socket:
    """Connect as the shim does, from inside, where the path is short."""
    directory = os.open(place.parent, os.O_PATH)
    try:
        client = socket.socket(socket.AF_UNIX)
        try:
            client.connect(f"/proc/self/fd/{directory}/{place.name}")
        except OSError:
            client.close()
            raise
        return client
    finally:
        os.close(directory)


def test_a_path_serves_its_owner_once_and_is_gone_afterwards(place: Path) -> None:
    async def attend(doorway: ListenerHandoff) -> None:
        waiting = asyncio.create_task(doorway.receive())
        await asyncio.sleep(0)
        with shim_at(place) as theirs:
            handed_over(theirs)
            (await waiting).close()
            with pytest.raises(FileNotFoundError):
                shim_at(place)
        assert await doorway.exec_failure() is None

    doorway = ListenerHandoff.at(place)
    mode = place.stat()
    assert (stat.S_IMODE(mode.st_mode), mode.st_uid) == (0o600, os.geteuid())
    asyncio.run(attend(doorway))
    doorway.close()
    doorway.close()


@needs_root
def test_a_path_may_belong_to_the_user_of_the_sandbox(place: Path) -> None:
    doorway = ListenerHandoff.at(place, owner=NOBODY)
    mode = place.stat()
    assert (stat.S_IMODE(mode.st_mode), mode.st_uid) == (0o600, NOBODY)
    doorway.close()
    assert not place.exists()


def test_waiting_at_a_path_can_be_given_up(place: Path) -> None:
    async def attend(doorway: ListenerHandoff) -> None:
        waiting = asyncio.create_task(doorway.receive())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        doorway.close()

    asyncio.run(attend(ListenerHandoff.at(place)))
    assert not place.exists()


def test_a_place_that_is_taken_is_an_error_and_stays(place: Path) -> None:
    place.write_text("mine", encoding="utf-8")
    before = open_files()
    with pytest.raises(OSError, match="in use"):
        ListenerHandoff.at(place)
    assert not open_files() - before
    assert place.read_text(encoding="utf-8") == "mine"


def test_a_path_that_cannot_be_given_away_is_not_left_behind(place: Path) -> None:
    with pytest.raises(OverflowError):
        ListenerHandoff.at(place, owner=-2)
    assert not place.exists()


@needs_root
def test_a_shim_finds_its_way_by_a_path() -> None:
    async def attend(doorway: ListenerHandoff, process: subprocess.Popen[str]) -> str | None:
        listener = await doorway.receive()
        with listener:
            assert listener.getsockname() == ("127.0.0.1", PORT)
        return await doorway.exec_failure()

    with tempfile.TemporaryDirectory(dir="/tmp") as directory:
        path = Path(directory, "way")
        doorway = ListenerHandoff.at(path)
        command = apart(shim_command(sys.executable, str(path), ("true",)))
        with subprocess.Popen(command, text=True) as process:
            assert asyncio.run(attend(doorway, process)) is None
            assert process.wait(30) == 0
        doorway.close()
