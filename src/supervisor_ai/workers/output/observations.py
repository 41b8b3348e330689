"""Observations of what a command prints: harmless for a terminal, and short."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from supervisor_ai.domain.run.values import Usage
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.ports.workers import (
    Observation,
    ToolCalled,
    UsageSeen,
    WorkerFinished,
    WorkerRetried,
    WorkerSaid,
    WorkerStarted,
)
from supervisor_ai.tools.text import one_line as on_one_line
from supervisor_ai.workers.output.records import JsonRecord

_LONGEST: Final = 64 << 10
_LINE: Final = 240
_TELLING: Final = (
    *("command", "cmd", "file_path", "filePath", "path", "pattern", "url", "query", "description"),
    *("message", "prompt"),
)
"""The arguments of a tool that say most about the call."""


def one_line(text: str, limit: int = _LINE) -> str:
    """Make a text from outside harmless and put it on one line of bounded length."""
    return on_one_line(plain(text[: 4 * limit + 1]), limit)


def started(session: str, model: str = "") -> WorkerStarted:
    """Observe that it is up."""
    return WorkerStarted(
        session=one_line(session) or None if session else None,
        model=one_line(model) or None if model else None,
    )


def said(text: str) -> Iterator[Observation]:
    """Observe words, if there are any."""
    if text.strip():
        yield WorkerSaid(text=plain(text[:_LONGEST]))


def called(name: str, arguments: JsonRecord) -> ToolCalled:
    """Observe the use of a tool."""
    told = (arguments.text(key) for key in _TELLING)
    return ToolCalled(
        name=one_line(name) or "a tool", detail=one_line(next(filter(None, told), ""))
    )


def retried(attempt: int, reason: str, after: timedelta | None = None) -> WorkerRetried:
    """Observe that the command goes to its model once more."""
    return WorkerRetried(attempt=attempt, reason=one_line(reason), after=after)


def finished(message: str, usage: Usage) -> Iterator[Observation]:
    """Observe the end."""
    yield UsageSeen(usage=usage)
    yield WorkerFinished(message=one_line(message))
