"""Somebody listens in a network that others made: only in that one, and only while it lives."""

import asyncio
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.sandboxes.bwrap.privileged_start import PrivilegedStarter
from supervisor_ai.sandboxes.egress.listener_handoff import ListenerHandoff

STRANGER = 61_990
"""A user who has started nothing."""


@contextmanager
def network_of_its_own() -> Iterator[int]:
    """Start somebody who sleeps in a network of its own; give its number."""
    command = ["unshare", "--user", "--map-root-user", "--net", "sh", "-c", "echo; exec sleep 600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as sleeper:
        assert sleeper.stdout is not None
        assert sleeper.stdout.readline() == b"\n"
        try:
            yield sleeper.pid
        finally:
            sleeper.kill()


def listen(pid: int, *, held: int, uid: int = 0) -> socket.socket:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            PrivilegedStarter().listen({"pid": pid, "uid": uid}, held, theirs.fileno())
        return asyncio.run(ListenerHandoff(ours).receive())


@contextmanager
def hold_on(pid: int) -> Iterator[int]:
    fd = os.pidfd_open(pid)
    try:
        yield fd
    finally:
        os.close(fd)


def test_the_listener_is_in_their_network_and_not_in_ours() -> None:
    with network_of_its_own() as pid, hold_on(pid) as held, listen(pid, held=held) as listener:
        assert listener.getsockname() == ("127.0.0.1", 3128)
        with listen_again(pid, held) as reason:
            assert "Address already in use" in reason
        # It is no address of ours: we can have it, too.
        with socket.socket() as ours:
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            ours.bind(("127.0.0.1", 3128))


@contextmanager
def listen_again(pid: int, held: int) -> Iterator[str]:
    with pytest.raises(Unavailable) as refused:
        listen(pid, held=held)
    yield refused.value.message


def test_nobody_listens_in_our_own_network() -> None:
    with hold_on(os.getpid()) as held, listen_again(os.getpid(), held) as reason:
        assert "the sandbox has no network of its own" in reason


def test_a_number_that_may_have_changed_hands_leads_nowhere() -> None:
    with subprocess.Popen(["sleep", "600"]) as former, hold_on(former.pid) as held:
        former.send_signal(signal.SIGKILL)
        former.wait()
        with network_of_its_own() as pid, listen_again(pid, held) as reason:
            assert "the sandbox has ended" in reason


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_who_did_not_start_it_cannot_go_there() -> None:
    with network_of_its_own() as pid, hold_on(pid) as held, pytest.raises(Unavailable) as refused:
        listen(pid, held=held, uid=STRANGER)
    assert "Permission denied" in refused.value.message


@contextmanager
def answer_of(starter: PrivilegedStarter, pid: int, held: int) -> Iterator[socket.socket]:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            starter.listen({"pid": pid, "uid": 0}, held, theirs.fileno())
        yield ours


def test_one_launcher_listens_in_one_network_after_the_other() -> None:
    starter = PrivilegedStarter()
    with network_of_its_own() as one, network_of_its_own() as other:
        for pid in (one, other):
            with hold_on(pid) as held, answer_of(starter, pid, held) as ours:
                listener = asyncio.run(ListenerHandoff(ours).receive())
                assert listener.getsockname() == ("127.0.0.1", 3128)
                listener.close()
        with hold_on(os.getpid()) as held, answer_of(starter, os.getpid(), held) as ours:
            # It is where we are: our network would be a strange one to whoever stayed away.
            with pytest.raises(Unavailable) as refused:
                asyncio.run(ListenerHandoff(ours).receive())
            assert "the sandbox has no network of its own" in refused.value.message


def test_who_gives_up_waiting_ends_no_launcher() -> None:
    starter = PrivilegedStarter()
    with network_of_its_own() as pid, hold_on(pid) as held:
        ours, theirs = socket.socketpair()
        ours.close()
        with theirs:
            starter.listen({"pid": pid, "uid": 0}, held, theirs.fileno())
        with answer_of(starter, pid, held) as answer:
            asyncio.run(ListenerHandoff(answer).receive()).close()
