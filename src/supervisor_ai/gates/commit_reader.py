"""Lets a process of its own read hostile code, and answers what it asks about commits."""

import asyncio
from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Final, TypeVar

from supervisor_ai.control.ports.commits import Commits
from supervisor_ai.gates.commit_lists import TaughtLists
from supervisor_ai.gates.reader_messages import (
    NOT_UNDERSTOOD,
    Answers,
    Task,
    WrittenLists,
    decode,
    encode,
)
from supervisor_ai.tools.confined_child import Ask, ChildFailedError, ConfinedReaders
from supervisor_ai.tools.confinement import ProcessLimits

READER: Final = "supervisor_ai.gates.reader"
LIMITS: Final = ProcessLimits(memory=1 << 30, cpu=60, wall=300.0, speech=16 << 20)
_PATIENCE: Final = 1.0

T = TypeVar("T")


class CommitReader:
    """Has tasks done on commits of the trusted repository."""

    def __init__(
        self, commits: Commits, has_commit: Callable[[str], bool], limits: ProcessLimits = LIMITS
    ) -> None:
        self.commits = commits
        self.has_commit = has_commit
        self._readers = ConfinedReaders(READER, limits)
        self._lists = WrittenLists(commits)
        self._taught = TaughtLists(commits)
        self._turn = Lock()

    async def done(self, task: Task, kind: type[T]) -> T:
        """Have something done by a reader of its own; raise ChildFailedError where it failed."""
        answers = Answers(self.commits, self.has_commit, self._lists)
        try:
            said = await asyncio.to_thread(self._converse, task, answers.answer)
            return decode(said, kind)
        except NOT_UNDERSTOOD:
            raise ChildFailedError("confuses its reader") from None

    def get_ready(self) -> None:
        """Start a reader, unless there is one."""
        if not self._turn.locked():
            self._readers.get_ready()

    def _need(self, task: Task, reader: int) -> bytes:
        name = task.look or task.work
        return name.encode() + b"\n" + self._taught.lessons(reader, task.commits)

    def _converse(self, task: Task, answer: Ask) -> bytes:
        """Wait a little for a reader that is busy: to start one more costs as much work."""
        has_turn = self._turn.acquire(timeout=_PATIENCE)
        try:
            return self._readers.converse(encode(task), answer, partial(self._need, task))
        finally:
            if has_turn:
                self._turn.release()
