"""Several processes run what one collection found: each is forked when all tests are known.

Collecting takes as long as thousands of tests do. A file belongs to one process as long as there
are others, so that what its tests share is made once; in the end, files are split.
"""

import atexit
import os
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import groupby
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, Final, NoReturn, TypeAlias

import pytest

NUMBER: Final = "TEST_WORKER"
"""What tells a process, and all that it starts, which of the several it is."""

Line: TypeAlias = "Connection[Any, Any]"


class Deck:
    """The tests that nobody has begun, by their numbers in the session."""

    def __init__(self, files: Iterable[Iterable[int]]) -> None:
        self._files = deque(map(deque, files))
        self._begun: dict[int, deque[int]] = {}

    def deal(self, worker: int) -> int | None:
        """Take the next test of the worker's file, of a fresh one, or of somebody else's."""
        own = self._begun.get(worker) or self._fresh()
        self._begun[worker] = own
        return own.popleft() if own else None

    def put_back(self, tests: Iterable[int]) -> None:
        """Let tests that were dealt be dealt once more."""
        self._files.appendleft(deque(tests))

    def _fresh(self) -> deque[int]:
        if self._files:
            return self._files.popleft()
        largest = max(self._begun.values(), key=len, default=deque())
        half = deque[int]()
        while len(half) < len(largest):
            half.appendleft(largest.pop())
        return half


@dataclass(slots=True)
class Worker:
    """A process, and the tests that it was dealt and has not reported."""

    number: int
    pid: int
    line: Line
    hand: list[int] = field(default_factory=list)


class Forks:
    """A plug-in of pytest that has the tests run by processes of its own."""

    def __init__(self, count: int, at_end: Callable[[], None]) -> None:
        self._count = count
        self._at_end = at_end
        self._crew: dict[Line, Worker] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Deal the tests to the workers and report what they report."""
        if session.testsfailed or session.config.option.collectonly:
            return None
        numbered = enumerate(session.items)
        files = groupby(numbered, key=lambda at: at[1].path)
        deck = Deck([number for number, _ in group] for _, group in files)
        try:
            for number in range(min(self._count, len(session.items))):
                self._hire(session, number)
            while self._crew:
                for line in wait(list(self._crew)):
                    assert isinstance(line, Connection)
                    self._hear(session, deck, self._crew[line])
                    _stop_if_asked(session)
        finally:
            self._dismiss()
        return True

    def _hire(self, session: pytest.Session, number: int) -> None:
        ours, theirs = Pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            for line in (ours, *self._crew):
                line.close()
            _live(session, number, theirs, self._at_end)
        theirs.close()
        self._crew[ours] = Worker(number, pid, ours)

    def _hear(self, session: pytest.Session, deck: Deck, worker: Worker) -> None:
        hook = session.config.hook
        try:
            said = worker.line.recv()
        except (EOFError, ConnectionResetError):
            self._bury(session, deck, worker)
            return
        if said is None:
            dealt = deck.deal(worker.number)
            worker.hand += [] if dealt is None else [dealt]
            worker.line.send(dealt)
        elif isinstance(said, int):
            worker.hand.remove(said)
            item = session.items[said]
            hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        else:
            report = hook.pytest_report_from_serializable(config=session.config, data=said)
            hook.pytest_runtest_logreport(report=report)
            if report.failed:
                # The end, where failures are explained, is many minutes away.
                terminal = session.config.get_terminal_writer()
                terminal.line(f"\n{report.nodeid} failed:\n{_gist(report)}")

    def _bury(self, session: pytest.Session, deck: Deck, worker: Worker) -> None:
        """Let another go on after one that ended in the middle of a test."""
        del self._crew[worker.line]
        worker.line.close()
        _, status = os.waitpid(worker.pid, 0)
        ended = f"Worker {worker.number} ended with {os.waitstatus_to_exitcode(status)}"
        if worker.hand:
            fatal, *rest = worker.hand
            session.config.hook.pytest_runtest_logreport(
                report=_failure(session.items[fatal], f"{ended} in this test.")
            )
            deck.put_back(rest)
            self._hire(session, worker.number)
        elif status:
            raise RuntimeError(f"{ended} after its last test.")

    def _dismiss(self) -> None:
        """Let who is left end with the test that it is at."""
        for worker in self._crew.values():
            worker.line.close()
        for worker in self._crew.values():
            os.waitpid(worker.pid, 0)
        self._crew.clear()


def _stop_if_asked(session: pytest.Session) -> None:
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    if session.shouldstop:
        raise session.Interrupted(session.shouldstop)


def _gist(report: pytest.TestReport) -> str:
    lines = [it for it in report.longreprtext.splitlines() if it.startswith(("E ", ">"))]
    return "\n".join(lines[:3])


def _failure(item: pytest.Item, why: str) -> pytest.TestReport:
    return pytest.TestReport(
        nodeid=item.nodeid,
        location=item.location,
        keywords={},
        outcome="failed",
        longrepr=why,
        when="call",
    )


def _live(session: pytest.Session, number: int, line: Line, at_end: Callable[[], None]) -> NoReturn:
    """Be a worker."""
    code = 1
    # What the others will tidy up is not ours.
    atexit._clear()
    try:
        _settle(session.config, number)
        session.config.pluginmanager.register(_Told(session.config, line))
        _work(session, line)
        at_end()
        atexit._run_exitfuncs()
        code = 0
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        session._setupstate.teardown_exact(None)
    except BaseException:  # noqa: BLE001 - nothing of it may reach the frames that were forked
        traceback.print_exc()
    finally:
        os._exit(code)


def _settle(config: pytest.Config, number: int) -> None:
    """Share neither captured output nor temporary directories with the others, and be silent."""
    os.environ[NUMBER] = str(number)
    capture = config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.close(silence)
    capture.start_global_capturing()
    capture.suspend_global_capture()
    places = config._tmp_path_factory  # type: ignore[attr-defined]
    places._basetemp = places.mktemp(f"worker{number}-")


def _work(session: pytest.Session, line: Line) -> None:
    """Run what is dealt; of each test the next one must be known, for what they share."""
    hand = deque[int]()
    while True:
        while len(hand) < 2:
            line.send(None)
            dealt = line.recv()
            if dealt is None:
                break
            hand.append(dealt)
        if not hand:
            return
        number = hand.popleft()
        after = session.items[hand[0]] if hand else None
        session.config.hook.pytest_runtest_protocol(item=session.items[number], nextitem=after)
        line.send(number)


class _Told:
    """Tells the one who deals what came of the tests."""

    def __init__(self, config: pytest.Config, line: Line) -> None:
        self._config = config
        self._line = line

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Tell of one report."""
        hook = self._config.hook
        self._line.send(hook.pytest_report_to_serializable(config=self._config, report=report))
